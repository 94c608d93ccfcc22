# Rows of cells as text: aligned for a terminal, or in Markdown. The first row is the header.
#
# Requires: rows of one length.
# Guarantees: the last column is left ragged.
"""Tables of the tools that print reports and counters."""


def aligned(rows, indent=""):
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return "\n".join((indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths))).rstrip() for row in cells)


def markdown(rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"
