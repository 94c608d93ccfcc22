"""Which part of a tensor each device holds, as text and as a drawing."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from ._mesh import Block, Mesh


def _text_parts(parts: Sequence[tuple[int, int]]) -> str:
    return " and ".join(_text_range(*part) for part in parts[:8]) + (" and more" if len(parts) > 8 else "")


def _text_range(start: int, stop: int) -> str:
    return "none" if start == stop else str(start) if stop == start + 1 else f"{start}..{stop - 1}"


class View:
    """What `Program.show` returns: text where it is printed, a drawing in a notebook."""

    def __init__(self, title: str, mesh: Mesh | None, blocks: Sequence[Block], shape: Sequence[int], placement: str):
        """`blocks` are in the order of the mesh."""
        self.title, self.mesh, self.blocks, self.shape = title, mesh, list(blocks), tuple(shape)
        self.placement = placement

    def __str__(self) -> str:
        lines = [f"{self.title}  {self.placement}".rstrip()]
        if self.mesh:
            lines.append("mesh " + " x ".join(f"{a}={n}" for a, n in self.mesh.axes.items()))
            lines += ["  " + line for line in self._grid()]
        names = ["rows", "columns"] if len(self.shape) == 2 else [f"dim {d}" for d in range(len(self.shape))]
        for block in sorted(self.blocks, key=lambda b: b.rank):
            if 0 in block.shape:
                parts = "nothing"
            else:
                parts = ", ".join(f"{n}{':' if n[-1].isdigit() else ''} {_text_parts(block.parts_of(d))}" for d, n in enumerate(names)) or "all"
            lines.append(f"  rank {block.rank}: {parts}")
        return "\n".join(lines)

    __repr__ = __str__

    def _grid(self) -> list[str]:
        """The mesh: a row per index of all axes but the last."""
        *outer, (axis, columns) = self.mesh.axes.items()
        ranks = [block.rank for block in self.blocks]
        width = len(str(max(ranks))) + 2
        lines = []
        for row in range(self.mesh.size // columns):
            place, rest = [], row
            for name, size in reversed(outer):
                rest, index = divmod(rest, size)
                place.insert(0, f"{name}={index}")
            cells = "".join(str(r).rjust(width) for r in ranks[row * columns:(row + 1) * columns])
            lines.append(f"{' '.join(place):<{8 * len(outer)}}{cells}   ({axis} ->)" if row == 0
                         else f"{' '.join(place):<{8 * len(outer)}}{cells}")
        return lines

    def _repr_html_(self) -> str:
        return self.svg()

    def svg(self) -> str:
        """The last two dims as a rectangle, with the ranks that hold each part."""
        shape = self.shape
        rows, columns = (1, 1) if not shape else (1, shape[0]) if len(shape) == 1 else (shape[-2], shape[-1])
        held: dict[tuple, list[int]] = {}
        for block in self.blocks:
            if 0 in block.shape:
                continue
            parts = [((0, 1),)] * (2 - len(shape)) + [block.parts_of(d) for d in range(len(shape))]
            for r in parts[-2][:64]:
                for c in parts[-1][:64]:
                    held.setdefault((r, c), []).append(block.rank)
        width, height = 420.0, max(60.0, min(300.0, 420.0 * rows / max(columns, 1)))
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 20:.0f} {height + 44:.0f}" '
                 f'width="{width + 20:.0f}" font-family="sans-serif" font-size="12" fill="currentColor" role="img">',
                 f'<text x="10" y="18">{html.escape(self.title)}</text>']
        for n, ((r, c), ranks) in enumerate(sorted(held.items())):
            x, y = 10 + width * c[0] / max(columns, 1), 30 + height * r[0] / max(rows, 1)
            w, h = width * (c[1] - c[0]) / max(columns, 1), height * (r[1] - r[0]) / max(rows, 1)
            label = ", ".join(map(str, ranks[:6])) + ("..." if len(ranks) > 6 else "")
            parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" '
                         f'fill="hsl({n * 47 % 360}, 55%, 60%)" fill-opacity="0.45" stroke="currentColor">'
                         f'<title>ranks {label}: rows {_text_range(*r)}, columns {_text_range(*c)}</title></rect>'
                         f'<text x="{x + w / 2:.1f}" y="{y + h / 2 + 4:.1f}" text-anchor="middle">{label}</text>')
        return "".join(parts) + "</svg>"


def show_tensor(tensor: Any, mesh: Mesh | None, blocks: Sequence[Block], shape: Sequence[int]) -> View | None:
    view = View(str(tensor), mesh, blocks, shape, tensor.placement)
    try:
        from IPython import get_ipython
        if get_ipython() is not None:
            return view
    except ImportError:
        pass
    print(view)
    return None
