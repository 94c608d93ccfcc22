"""Kernels of a SASS listing, as `nvdisasm -c` or `cuobjdump -sass` print it.

Requires the text of either tool; guarantees instructions in the order of the
listing, and loops as pairs of indices: a branch backwards, and its target. What
is no instruction, label or kernel's beginning is passed over.
"""
import collections
import re

INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*);")
LABEL = re.compile(r"^(\.L_\w+):")
KERNEL = re.compile(r"^\s*(?:\.section\s+\.text\.([^,\s]+)|Function : (\S+))")
# The classes, by the first part of an opcode; the first that holds counts.
CLASSES = [
    ("tensor", r"HGMMA|QGMMA|IGMMA|BGMMA|HMMA|IMMA|DMMA|QMMA|OMMA|UTC\w*MMA"),
    ("global", r"LDG|STG|LDGSTS|UTMALDG|UTMASTG|UBLKCP|UBLKPF|LD|ST|RED|REDG|ATOM|ATOMG|REDUX|CCTL"),
    ("shared", r"LDS|STS|LDSM|STSM|ATOMS|LDTM|STTM"),
    ("local", r"LDL|STL"),
    ("float", r"FFMA|FADD|FMUL|FMNMX\w*|FSEL|FSETP?|FCHK|MUFU|HFMA2|HADD2|HMUL2|HMNMX2|HSETP?2|D(?:ADD|MUL|FMA|SETP|MNMX)|FSWZADD"),
    ("convert", r"F2F|F2FP|F2I\w*|I2F\w*|I2FP|I2I\w*|FRND"),
    ("barrier", r"BAR|SYNCS|DEPBAR|LDGDEPBAR|ARRIVES|WARPSYNC|WARPGROUP|WARPGROUPSET|MEMBAR|FENCE|ERRBAR|UTMACMDFLUSH|CGAERRBAR|UCGABAR_\w+|UTCBAR|NANOSLEEP"),
    ("shuffle", r"SHFL|VOTE|VOTEU|ELECT|MATCH"),
    ("control", r"BRA|BRX|JMP|JMX|BSSY|BSYNC|BREAK|CALL|RET|EXIT|NOP|YIELD|WARPGROUPSET|USETMAXREG|ACQBULK|PREEXIT|KILL|BPT"),
    ("move", r"MOV|UMOV|SEL|USEL|PRMT|UPRMT|R2UR|R2P|P2R|S2R|S2UR|CS2R|LDC|ULDC|LDCU|PLOP3|UPLOP3|R2B|B2R"),
]
CLASSES = [(name, re.compile(rf"(?:{pattern})$")) for name, pattern in CLASSES]


class Instruction:
    def __init__(self, address, opcode, operands):
        self.address, self.opcode, self.operands = address, opcode, operands

    def kind(self):
        """Its class; what is left is arithmetic on integers and addresses."""
        name = self.opcode.split(".")[0]
        return next((kind for kind, pattern in CLASSES if pattern.match(name)), "integer")

    def access(self):
        """`LDG.128` of a load or store: the opcode and the bits that a thread has; else None."""
        parts = self.opcode.split(".")
        if parts[0] in ("UTMALDG", "UTMASTG", "UBLKCP"):
            return parts[0]
        if parts[0] in ("LDSM", "STSM"):
            return f"{parts[0]}.x{next((p for p in parts if p in ('2', '4')), '1')}"
        if parts[0] not in ("LDG", "STG", "LDGSTS", "LDS", "STS", "LDL", "STL", "LD", "ST"):
            return None
        widths = {"U8": "8", "S8": "8", "U16": "16", "S16": "16", "64": "64", "128": "128"}
        return f"{parts[0]}.{next((widths[p] for p in parts if p in widths), '32')}"


class Kernel:
    def __init__(self, name):
        self.name, self.instructions, self.labels = name, [], {}

    def loops(self):
        """(first, last) of each loop, as indices of instructions, outer ones too."""
        index = {each.address: i for i, each in enumerate(self.instructions)}
        for last, each in enumerate(self.instructions):
            if each.opcode.split(".")[0] != "BRA":
                continue
            label, address = re.search(r"\((\.L_\w+)\)", each.operands), re.search(r"(0x[0-9a-f]+)\s*$", each.operands)
            first = self.labels.get(label[1]) if label else index.get(int(address[1], 16)) if address else None
            # The last instruction of all is a branch to itself.
            if first is not None and first < last:
                yield first, last

    def main_loop(self):
        """The instructions of the innermost loop with the most work: that has matrix units' instructions
        where there are any, else accesses to memory. Empty where no loop has. A range with the kernel's end in
        it is no loop: waits that take long stand behind that, and jump back."""
        def work(loop):
            body = [each.kind() for each in self.instructions[loop[0]:loop[1] + 1]]
            return body.count("tensor"), sum(kind in ("global", "shared", "float") for kind in body)

        def ends(loop):
            return any(each.opcode.startswith("EXIT") for each in self.instructions[loop[0]:loop[1]])

        loops = {loop: work(loop) for loop in self.loops() if not ends(loop)}
        for by in (0, 1):
            some = [loop for loop in loops if loops[loop][by]]
            innermost = [a for a in some if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in some)]
            if innermost:
                first, last = max(innermost, key=lambda loop: loops[loop][by])
                return self.instructions[first:last + 1]
        return []


def read_listing(text):
    kernels = []
    for line in text.splitlines():
        if (found := KERNEL.match(line)):
            kernels.append(Kernel(found[1] or found[2]))
        elif not kernels:
            continue
        elif (found := LABEL.match(line)):
            kernels[-1].labels[found[1]] = len(kernels[-1].instructions)
        elif (found := INSTRUCTION.match(line)):
            kernels[-1].instructions.append(Instruction(int(found[1], 16), found[2], found[3].strip()))
    return kernels


def mix_of(instructions):
    """How many instructions of each class, most first; and how many accesses by width."""
    kinds = collections.Counter(each.kind() for each in instructions)
    widths = collections.Counter(filter(None, (each.access() for each in instructions)))
    return kinds, widths
