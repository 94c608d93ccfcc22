"""Train a small GPT on Shakespeare's sonnets, over a mesh of devices.

    python examples/train_gpt.py                                  # 300 steps on dp=2,tp=2
    python examples/train_gpt.py --compare                        # also PyTorch alone, and the difference of the losses
    python examples/train_gpt.py --steps 150 --save ckpt          # stop half way ...
    python examples/train_gpt.py --resume ckpt --mesh dp=4        # ... and go on, on another mesh

The model is ordinary PyTorch: nothing in `GPT` is about sharding. The mesh, the plan and
`shardir.torch.train_step` are all that there is. Needs: pip install '.[torch]'.
"""

import argparse
import json
import os
import pathlib
import sys
import time
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

import shardir
import shardir.torch
from shardir.torch import ColwiseParallel, RowwiseParallel

CONTEXT, WIDTH, HEADS, LAYERS, BATCH = 64, 64, 4, 2, 16


class Block(nn.Module):
    """Attention and a perceptron, each added to its input."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        n = self.norm1(x)
        q, k, v = (linear(n).view(batch, length, HEADS, -1).transpose(1, 2) for linear in (self.q, self.k, self.v))
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(heads.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, vocabulary)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[:ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


# Tensor parallelism: heads and hidden units are split over the mesh axis "tp". On a mesh without "tp" the
# styles would take another axis, so the plan is left out there.
PLAN = {
    "blocks.*.q": ColwiseParallel(), "blocks.*.k": ColwiseParallel(), "blocks.*.v": ColwiseParallel(),
    "blocks.*.o": RowwiseParallel(),
    "blocks.*.up": ColwiseParallel(), "blocks.*.down": RowwiseParallel(),
}


def loss_of(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def batch_of(text, step):
    """The batch of a step: the same on every mesh, and after a resume."""
    generator = torch.Generator().manual_seed(step)
    starts = torch.randint(len(text) - CONTEXT - 1, (BATCH,), generator=generator)
    windows = torch.stack([text[s:s + CONTEXT + 1] for s in starts])
    return windows[:, :-1].contiguous(), windows[:, 1:].contiguous()


def progress(step, last, loss, since, done):
    """One line on standard error, rewritten at every step; a line now and then where it is no terminal."""
    if not sys.stderr.isatty() and step % 50 and step != last:
        return
    filled = 30 * step // last
    seconds = (time.time() - since) / max(done, 1) * (last - step)
    begin, end = ("\r", "" if step != last else "\n") if sys.stderr.isatty() else ("", "\n")
    sys.stderr.write(f"{begin}[{'#' * filled}{'.' * (30 - filled)}] step {step}/{last}  loss {loss:.3f}  "
                     f"{seconds:3.0f} s left{end}")
    sys.stderr.flush()


def draw_curves(path, curves):
    """Writes loss curves, {name: [(step, loss)]}, as an SVG."""
    points = [p for curve in curves.values() for p in curve]
    low, high = min(p[0] for p in points), max(p[0] for p in points)
    top = max(p[1] for p in points)
    place = lambda s, v: f"{50 + 530 * (s - low) / max(high - low, 1):.1f},{20 + 240 * (1 - v / top):.1f}"
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 310" font-family="sans-serif" font-size="12">',
             '<rect width="600" height="310" fill="white"/>',
             '<path d="M50,20 V260 H580" fill="none" stroke="#444"/>',
             f'<text x="580" y="278" text-anchor="end">step {high}</text><text x="50" y="278">{low}</text>',
             f'<text x="44" y="26" text-anchor="end">{top:.1f}</text><text x="44" y="264" text-anchor="end">0</text>']
    for (name, curve), color, dash, y in zip(curves.items(), ("#1f6fb4", "#d95f02"), ("", "4 4"), (40, 58)):
        line = " ".join(place(s, v) for s, v in curve)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5" stroke-dasharray="{dash}"/>'
                     f'<text x="570" y="{y}" text-anchor="end" fill="{color}">{name}: {curve[-1][1]:.3f}</text>')
    pathlib.Path(path).write_text("\n".join(parts) + "\n</svg>\n")


@torch.no_grad()
def sample(model, characters, length=160):
    """Text that the model writes, the likeliest of three characters at a time."""
    generator, ids = torch.Generator().manual_seed(0), [characters.index("\n")]
    for _ in range(length):
        logits = model(torch.tensor([ids[-CONTEXT:]]))[0, -1]
        best = logits.topk(3)
        ids.append(int(best.indices[torch.multinomial(best.values.softmax(0), 1, generator=generator)]))
    return "".join(characters[i] for i in ids[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mesh", default="dp=2,tp=2", help="axes and their sizes")
    parser.add_argument("--steps", type=int, default=300, help="the last step")
    parser.add_argument("--save", metavar="FOLDER", help="write a checkpoint at the end")
    parser.add_argument("--resume", metavar="FOLDER", help="go on from a checkpoint, of any mesh")
    parser.add_argument("--compare", action="store_true", help="train PyTorch's own model alongside")
    parser.add_argument("--curve", default="loss.svg", help="where to draw the losses")
    parser.add_argument("--html", help="where to write the report of what is communicated, as a page")
    options = parser.parse_args()
    if options.compare and options.resume:
        parser.error("--compare starts at step 0: leave out --resume")
    warnings.filterwarnings("ignore", message="TF32")

    text = (pathlib.Path(__file__).parent / "data" / "sonnets.txt").read_text()
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(c) for c in text])

    torch.manual_seed(0)
    model = GPT(len(characters))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    torch.manual_seed(0)
    alone = GPT(len(characters))
    alone_optimizer = torch.optim.AdamW(alone.parameters(), lr=2e-3)

    mesh = shardir.Mesh.of(options.mesh)
    begun = time.time()
    step = shardir.torch.train_step(model, loss_of, optimizer, args=batch_of(ids, 0), mesh=mesh,
                                    plan=PLAN if "tp" in mesh.axes else None)
    print(f"compiled for {mesh} in {time.time() - begun:.1f} s: {len(step.report.collectives)} collectives a step, "
          f"{step.report.bytes_per_device} bytes received per device")
    if options.html:
        step.report.html(options.html)

    first, curve = 0, []
    if options.resume:
        step.load(options.resume)
        saved = json.loads(pathlib.Path(options.resume, "progress.json").read_text())
        first, curve = saved["step"], [tuple(p) for p in saved["curve"]]
        print(f"resumed at step {first}")

    begun, reference = time.time(), []
    for number in range(first, options.steps):
        x, y = batch_of(ids, number)
        loss = step(x, y).item()
        curve.append((number + 1, loss))
        if options.compare:
            expected = loss_of(alone(x), y)
            alone_optimizer.zero_grad()
            expected.backward()
            alone_optimizer.step()
            reference.append((number + 1, expected.item()))
        progress(number + 1, options.steps, loss, begun, number + 1 - first)
    print(f"{options.steps - first} steps in {time.time() - begun:.1f} s, loss {curve[0][1]:.3f} -> {curve[-1][1]:.3f}")

    curves = {f"ShardIR on {options.mesh}": curve}
    if options.compare:
        curves["PyTorch"] = reference
        largest, at = max((abs(a[1] - b[1]), a[0]) for a, b in zip(curve, reference))
        print(f"largest difference from PyTorch's loss: {largest:.2g} at step {at}")
    draw_curves(options.curve, curves)
    print(f"losses drawn in {options.curve}")
    if options.save:
        step.save(options.save)
        pathlib.Path(options.save, "progress.json").write_text(json.dumps({"step": options.steps, "curve": curve}))
        print(f"checkpoint in {options.save}{os.sep}")
    step.copy_to(model)
    print("---\n" + sample(model, characters))


if __name__ == "__main__":
    main()
