"""Factorizations of small matrices in terms of other ops: a step for each column, all matrices of a batch at once."""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten

#: Larger matrices are refused: a program would have more ops than a compiler's user waits for.
_LARGEST = 64


def _solve_transposes() -> bool:
    """Whether PyTorch's solve returns the factors of the transposed matrix, as some versions do and their gradients
    expect."""
    a = torch.tensor([[1.0, 2.0], [4.0, 3.0]])
    return bool(aten._linalg_solve_ex.default(a, a)[1][0, 0] == 2)  # the greatest of row 0, not of column 0


_SOLVE_TRANSPOSES = _solve_transposes()


def _numbers(a: torch.Tensor) -> torch.Tensor:
    return torch.arange(a.shape[-2], device=a.device)


def _no_errors(a: torch.Tensor) -> torch.Tensor:
    """What LAPACK says of each matrix: 0. A singular one gives infinities and NaNs."""
    return torch.zeros(a.shape[:-2], dtype=torch.int32, device=a.device)


def _with_row(a: torch.Tensor, k: int, row: torch.Tensor) -> torch.Tensor:
    return torch.where((_numbers(a) == k).unsqueeze(-1), row, a)


def _lu(a: torch.Tensor) -> Any:
    """Both factors in one matrix, and the row, counted from 1, that each row was exchanged with."""
    n = min(a.shape[-2:])
    if max(a.shape[-2:]) > _LARGEST or a.is_complex():
        return NotImplemented
    rows, pivots = _numbers(a), []
    for k in range(n):
        column = torch.where(rows >= k, a[..., k].abs(), torch.full((), -1, dtype=a.dtype, device=a.device))
        pivot = column.argmax(-1, keepdim=True)
        pivots.append(pivot)
        order = torch.where(rows == k, pivot, torch.where(rows == pivot, torch.full_like(pivot, k), rows))
        a = a.gather(-2, order.unsqueeze(-1).expand(a.shape))
        factors = torch.where(rows > k, a[..., k] / a[..., k:k + 1, k], torch.zeros_like(a[..., k])).unsqueeze(-1)
        columns = torch.arange(a.shape[-1], device=a.device)
        rest = a - factors * a[..., k:k + 1, :]
        below = (rows > k).unsqueeze(-1)
        a = torch.where(below & (columns == k), factors, torch.where(below & (columns > k), rest, a))
    return a, torch.cat(pivots, -1).to(torch.int32) + 1


def _of_transposed(a: torch.Tensor) -> Any:
    """The factors that the gradient of a determinant expects: of the transposed matrix where rows are contiguous."""
    return _lu(a.transpose(-2, -1) if a.is_contiguous() else a)


def _order(pivots: torch.Tensor, rows: int) -> torch.Tensor:
    """Where each row comes from after the exchanges."""
    order = torch.arange(rows, device=pivots.device).expand(*pivots.shape[:-1], rows)
    numbers = torch.arange(rows, device=pivots.device)
    for k in range(pivots.shape[-1]):
        other = pivots[..., k:k + 1].to(torch.int64) - 1
        here, there = order[..., k:k + 1], order.gather(-1, other)
        order = torch.where(numbers == k, there, torch.where(numbers == other, here, order))
    return order


def _solve_triangular(a: torch.Tensor, b: torch.Tensor, *, upper: bool, left: bool = True,
                      unitriangular: bool = False) -> Any:
    if a.shape[-1] > _LARGEST or a.is_complex():
        return NotImplemented
    if not left:
        found = _solve_triangular(a.transpose(-2, -1), b.transpose(-2, -1), upper=not upper,
                                  unitriangular=unitriangular)
        return found.transpose(-2, -1)
    n = a.shape[-1]
    b = b.expand(*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    rows = torch.arange(n, device=a.device)
    for k in reversed(range(n)) if upper else range(n):
        row = b[..., k:k + 1, :]
        if not unitriangular:
            row = row / a[..., k:k + 1, k:k + 1]
            b = _with_row(b, k, row)
        others = rows < k if upper else rows > k
        column = torch.where(others, a[..., k], torch.zeros_like(a[..., k])).unsqueeze(-1)
        b = b - column * row
    return b


def _lu_solve(lu: torch.Tensor, pivots: torch.Tensor, b: torch.Tensor, *, left: bool = True,
              adjoint: bool = False) -> Any:
    if lu.shape[-1] > _LARGEST or lu.is_complex():
        return NotImplemented
    if not left:
        return _lu_solve(lu, pivots, b.transpose(-2, -1), adjoint=not adjoint).transpose(-2, -1)
    order = _order(pivots, lu.shape[-2])
    order = order.expand(*torch.broadcast_shapes(order.shape[:-1], b.shape[:-2]), order.shape[-1])
    if adjoint:
        transposed = lu.transpose(-2, -1)
        b = _solve_triangular(transposed, b, upper=False)
        b = _solve_triangular(transposed, b, upper=True, unitriangular=True)
        order = order.argsort(-1)
        return b.gather(-2, order.unsqueeze(-1).expand(b.shape))
    b = b.expand(*order.shape[:-1], *b.shape[-2:])
    b = b.gather(-2, order.unsqueeze(-1).expand(b.shape))
    b = _solve_triangular(lu, b, upper=False, unitriangular=True)
    return _solve_triangular(lu, b, upper=True)


def _solve(a: torch.Tensor, b: torch.Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    transposed = _SOLVE_TRANSPOSES and a.is_contiguous()
    factors = _lu(a.transpose(-2, -1) if transposed else a)
    if factors is NotImplemented:
        return NotImplemented
    vector = b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1])
    found = _lu_solve(*factors, b.unsqueeze(-1) if vector else b, left=left, adjoint=transposed)
    return found.squeeze(-1) if vector else found, *factors, _no_errors(a)


def _inverse(a: torch.Tensor, *, check_errors: bool = False) -> Any:
    found = _solve(a, torch.eye(a.shape[-1], dtype=a.dtype, device=a.device).expand(a.shape))
    return found if found is NotImplemented else (found[0], found[3])


def _lu_factor(a: torch.Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    factors = _lu(a) if pivot else NotImplemented
    return factors if factors is NotImplemented else (*factors, _no_errors(a))


def _sign(pivots: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """-1 for an odd number of exchanges."""
    numbers = torch.arange(1, pivots.shape[-1] + 1, device=pivots.device)
    return 1 - 2 * ((pivots != numbers).to(torch.int64).sum(-1) % 2).to(dtype)


def _product(x: torch.Tensor) -> torch.Tensor:
    found = x[..., 0]
    for k in range(1, x.shape[-1]):
        found = found * x[..., k]
    return found


def _det(a: torch.Tensor) -> Any:
    factors = _of_transposed(a)
    if factors is NotImplemented:
        return NotImplemented
    lu, pivots = factors
    return _sign(pivots, a.dtype) * _product(lu.diagonal(dim1=-2, dim2=-1)), lu, pivots


def _slogdet(a: torch.Tensor) -> Any:
    factors = _of_transposed(a)
    if factors is NotImplemented:
        return NotImplemented
    lu, pivots = factors
    diagonal = lu.diagonal(dim1=-2, dim2=-1)
    return _sign(pivots, a.dtype) * _product(torch.sign(diagonal)), diagonal.abs().log().sum(-1), lu, pivots


def _cholesky(a: torch.Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    if a.shape[-1] > _LARGEST or a.is_complex():
        return NotImplemented
    status = _no_errors(a)
    if upper:
        a = a.transpose(-2, -1)
    columns = []
    rows = _numbers(a)
    for k in range(a.shape[-1]):
        column = torch.where(rows >= k, a[..., k], torch.zeros_like(a[..., k])) / a[..., k:k + 1, k].sqrt()
        columns.append(column)
        a = a - column.unsqueeze(-1) * column.unsqueeze(-2)
    found = torch.stack(columns, -1)
    return found.transpose(-2, -1) if upper else found, status


def _cholesky_solve(b: torch.Tensor, factor: torch.Tensor, upper: bool = False) -> Any:
    lower = factor.transpose(-2, -1) if upper else factor
    found = _solve_triangular(lower, b, upper=False)
    return found if found is NotImplemented else _solve_triangular(lower.transpose(-2, -1), found, upper=True)


def _cholesky_inverse(factor: torch.Tensor, upper: bool = False) -> Any:
    unit = torch.eye(factor.shape[-1], dtype=factor.dtype, device=factor.device).expand(factor.shape)
    return _cholesky_solve(unit, factor, upper)


def _first_of(several: Any) -> Any:
    def first(*operands: Any, **options: Any) -> Any:
        found = several(*operands, **options)
        return found if found is NotImplemented else found[0]
    return first


def linalg_decompositions() -> dict:
    return {
        # These would check for errors afterwards, which is an effect.
        aten.linalg_solve.default: _first_of(_solve), aten.linalg_inv.default: _first_of(_inverse),
        aten.inverse.default: _first_of(_inverse), aten.linalg_cholesky.default: _first_of(_cholesky),
        aten._linalg_solve_ex.default: _solve, aten.linalg_inv_ex.default: _inverse,
        aten.linalg_lu_factor_ex.default: _lu_factor, aten.linalg_lu_solve.default: _lu_solve,
        aten.linalg_solve_triangular.default: _solve_triangular,
        aten._linalg_det.default: _det, aten._linalg_slogdet.default: _slogdet,
        aten.linalg_cholesky_ex.default: _cholesky,
        aten._cholesky_solve_helper.default: _cholesky_solve,
        aten.cholesky_solve.default: _cholesky_solve, aten.cholesky_inverse.default: _cholesky_inverse,
    }
