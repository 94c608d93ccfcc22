# Random loops and branches around the ops of fuzz_generator.py.
#
# Requires: a class that has the members of fuzz_generator.Generator.
# Guarantees: regions are ops of the program like others, so that they can be
# taken away as a whole. What a loop carries is clamped to the range that it
# started with, so that values stay exact however often it runs; it runs at most
# three times.
"""Loops and branches for fuzz_generator.py."""

from fuzz_program import Value, tensor

FLOATS = ("f32", "f64", "bf16", "f16")


class RegionGenerator:
    """Makers of scf.for, scf.while, scf.if and scf.index_switch."""

    def inside(self, arguments, wanted, by_index=None):
        """Lines of a region, the names that it uses, and the values that it ends with."""
        values, ops = self.values, self.program.ops
        self.values, self.program.ops = values + arguments, []
        self.depth += 1
        try:
            tries = 0
            if by_index and self.chance(0.5):
                self.attempt(lambda: self.step_slice(by_index))
            while len(self.program.ops) < wanted and tries < 12:
                tries += 1
                self.attempt(self.rng.choice(self.makers(nested=self.depth > 1)))
            lines = ["  " + line for _, body, _ in self.program.ops for line in body]
            used = [name for _, _, operands in self.program.ops for name in operands]
            return lines, used, self.values[len(values):], self.values
        finally:
            self.values, self.program.ops = values, ops
            self.depth -= 1

    def step_slice(self, index):
        """The part of a tensor that belongs to this iteration, as of a micro-batch."""
        value = self.pick(lambda v: len(v.shape) > 1 and v.shape[0] >= 3)
        r, rest = self.name(), value.shape[1:]
        offsets = ", ".join([f"%{index}"] + ["0"] * len(rest))
        sizes = ", ".join(map(str, (1,) + rest))
        strides = ", ".join(["1"] * len(value.shape))
        self.emit([f"%{r} = tensor.extract_slice %{value.name}[{offsets}] [{sizes}] [{strides}] : "
                   f"{value.type} to {tensor(rest, value.dtype)}"], rest, value.dtype, value.bound, [value], r)

    def like(self, wanted, new, known):
        """A value of the type of `wanted`, one that the region made where there is one."""
        def fits(v):
            return v.shape == wanted.shape and v.dtype == wanted.dtype
        found = [v for v in new if fits(v)] or [v for v in known if fits(v)]
        return self.rng.choice(found[-3:])

    def clamped(self, value, bound):
        """Lines that keep `value` in the range of `bound`, and the name then."""
        if value.dtype == "i1" or value.bound <= bound:
            return [], value.name
        f, r = value.dtype in FLOATS, self.name("k")
        low, high = (f"-{bound}.0", f"{bound}.0") if f else (f"-{bound}", f"{bound}")
        greatest, least = ("maximumf", "minimumf") if f else ("maxsi", "minsi")
        return [f"  %{r}l = arith.constant dense<{low}> : {value.type}", f"  %{r}h = arith.constant dense<{high}> : {value.type}",
                f"  %{r}g = arith.{greatest} %{value.name}, %{r}l : {value.type}",
                f"  %{r} = arith.{least} %{r}g, %{r}h : {value.type}"], r

    def number(self, most):
        """Lines, the name of an index in [0, most], and the tensor that it is read from."""
        value = self.pick(lambda v: v.dtype in ("i32", "i8", "i64") and len(v.shape) <= 2)
        r, lines, at = self.name("n"), [], []
        for dim, extent in enumerate(value.shape):
            lines.append(f"%{r}p{dim} = arith.constant {self.rng.randrange(extent)} : index")
            at.append(f"%{r}p{dim}")
        return lines + [f"%{r}x = tensor.extract %{value.name}[{', '.join(at)}] : {value.type}",
                        f"%{r}c = arith.index_cast %{r}x : {value.dtype} to index",
                        f"%{r}m = arith.constant {most + 1} : index", f"%{r} = arith.remui %{r}c, %{r}m : index"], r, value

    def results(self, lines, r, kinds, used):
        """Adds a region op with one result per entry of `kinds`: values with bounds."""
        many = len(kinds) > 1
        values = [Value(f"{r}#{i}" if many else r, v.shape, v.dtype, bound) for i, (v, bound) in enumerate(kinds)]
        names = {v.name for v in self.values}
        lines = [line.replace("@R@", f"%{r}:{len(kinds)}" if many else f"%{r}") for line in lines]
        self.program.ops.append((values, lines, sorted(names.intersection(used))))
        self.values += values

    def carried(self):
        return [self.pick(lambda v: v.dtype != "i1" or self.chance(0.3)) for _ in range(self.rng.choice([1, 1, 2, 3]))]

    def for_loop(self):
        rng, r = self.rng, self.name()
        inits = self.carried()
        arguments = [Value(f"{r}a{i}", v.shape, v.dtype, v.bound) for i, v in enumerate(inits)]
        lines = [f"%{r}l = arith.constant 0 : index", f"%{r}s = arith.constant 1 : index"]
        used = [v.name for v in inits]
        if self.chance(0.3):
            more, upper, source = self.number(3)
            lines += more
            used.append(source.name)
        else:
            upper = f"{r}u"
            lines.append(f"%{upper} = arith.constant {rng.choice([0, 1, 2, 3, 3])} : index")
        body, names, new, known = self.inside(arguments, rng.randint(1, 4), by_index=f"{r}i")
        yielded, tail = [], []
        for value in inits:
            more, name = self.clamped(self.like(value, new, known), value.bound)
            tail += more
            yielded.append(name)
        types = ", ".join(v.type for v in inits)
        carried = ", ".join(f"%{a.name} = %{v.name}" for a, v in zip(arguments, inits))
        lines += [f"@R@ = scf.for %{r}i = %{r}l to %{upper} step %{r}s iter_args({carried}) -> ({types}) {{"]
        lines += body + tail + [f"  scf.yield {', '.join('%' + n for n in yielded)} : {types}", "}"]
        self.results(lines, r, [(v, v.bound) for v in inits], used + names + yielded)

    def while_loop(self):
        """At most three times; a number of what is carried may end it earlier."""
        rng, r = self.rng, self.name()
        inits, handed = self.carried(), self.carried()
        before = [Value(f"{r}a{i}", v.shape, v.dtype, v.bound) for i, v in enumerate(inits)]
        after = [Value(f"{r}b{i}", v.shape, v.dtype, v.bound) for i, v in enumerate(handed)]
        lines = [f"%{r}z = arith.constant 0 : i32", f"%{r}o = arith.constant 1 : i32", f"%{r}m = arith.constant 3 : i32"]
        body, used, new, known = self.inside(before, rng.randint(0, 2))
        go, names = f"{r}c", []
        body.append(f"  %{r}c = arith.cmpi slt, %{r}k, %{r}m : i32")
        source = rng.choice(before)
        if self.chance(0.6) and source.dtype in ("f32", "i32"):
            at = []
            for dim, extent in enumerate(source.shape):
                body.append(f"  %{r}p{dim} = arith.constant {rng.randrange(extent)} : index")
                at.append(f"%{r}p{dim}")
            f = source.dtype in FLOATS
            body += [f"  %{r}x = tensor.extract %{source.name}[{', '.join(at)}] : {source.type}",
                     f"  %{r}y = arith.constant {'2.0' if f else '2'} : {source.dtype}",
                     f"  %{r}d = arith.cmp{'f olt' if f else 'i slt'}, %{r}x, %{r}y : {source.dtype}",
                     f"  %{r}g = arith.andi %{r}c, %{r}d : i1"]
            go = f"{r}g"
        for value in handed:
            more, name = self.clamped(self.like(value, new, known), value.bound)
            body += more
            names.append(name)
        passed = "".join(f"%{n}, " for n in names) + f"%{r}k"
        in_types = ", ".join([v.type for v in inits] + ["i32"])
        out_types = ", ".join([v.type for v in handed] + ["i32"])
        carried = "".join(f"%{a.name} = %{v.name}, " for a, v in zip(before, inits)) + f"%{r}k = %{r}z"
        many = len(handed) + 1
        lines += [f"%{r}:{many} = scf.while ({carried}) : ({in_types}) -> ({out_types}) {{"] + body
        lines += [f"  scf.condition(%{go}) {passed} : {out_types}", "} do {",
                  f"^bb0({''.join(f'%{b.name}: {b.type}, ' for b in after)}%{r}j: i32):"]
        body, more_used, new, known = self.inside(after, rng.randint(0, 3))
        lines += body
        back = []
        for value in inits:
            more, name = self.clamped(self.like(value, new, known), value.bound)
            lines += more
            back.append(name)
        lines += [f"  %{r}n = arith.addi %{r}j, %{r}o : i32",
                  f"  scf.yield {''.join(f'%{n}, ' for n in back)}%{r}n : {in_types}", "}"]
        values = [Value(f"{r}#{i}", v.shape, v.dtype, v.bound) for i, v in enumerate(handed)]
        outer = {v.name for v in self.values}
        used += more_used + names + back + [v.name for v in inits]
        self.program.ops.append((values, lines, sorted(outer.intersection(used))))
        self.values += values

    def branches(self):
        rng, r = self.rng, self.name()
        wanted = [self.pick() for _ in range(rng.choice([1, 1, 2]))]
        lines, at, source = self.number(3)
        types = ", ".join(v.type for v in wanted)
        switch = self.chance(0.4)
        if switch:
            count = rng.randint(1, 3)
            heads = [f"case {i} {{" for i in range(count - 1)] + ["default {"]
            lines.append(f"@R@ = scf.index_switch %{at} -> {types}")
        else:
            lines += [f"%{r}t = arith.constant 2 : index", f"%{r}c = arith.cmpi ult, %{at}, %{r}t : index"]
            heads = [f"@R@ = scf.if %{r}c -> ({types}) {{", "} else {"]
        used, bounds = [source.name], [0] * len(wanted)
        for i, head in enumerate(heads):
            body, names, new, known = self.inside([], rng.randint(0, 3))
            chosen = [self.like(v, new, known) for v in wanted]
            bounds = [max(b, v.bound) for b, v in zip(bounds, chosen)]
            lines += [head] + body + [f"  scf.yield {', '.join('%' + v.name for v in chosen)} : {types}"]
            lines += ["}"] if switch or i + 1 == len(heads) else []
            used += names + [v.name for v in chosen]
        self.results(lines, r, list(zip(wanted, bounds)), used)
