"""torch.utils.checkpoint in a training step that is traced: what is computed again stays a second computation."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch.utils._pytree as pytree
import torch.utils.checkpoint as torch_checkpoint
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from ._torch_functions import WithoutValues


@torch.library.custom_op("shardir::optimization_barrier", mutates_args=())
def _barrier(x: torch.Tensor) -> torch.Tensor:
    """`x`, which no pass looks through: `shardir.optimization_barrier` in the program."""
    return x.clone()


_barrier.register_fake(lambda x: torch.empty_like(x))
_barrier.register_autograd(lambda context, gradient: gradient)

BARRIER = torch.ops.shardir.optimization_barrier.default


def _nodes() -> list[torch.fx.Node]:
    """What has been traced so far."""
    mode = get_proxy_mode()
    return [] if mode is None else list(mode.tracer.graph.nodes)


def _random(nodes: list[torch.fx.Node]) -> list[torch.fx.Node]:
    return [n for n in nodes if torch.Tag.nondeterministic_seeded in getattr(n.target, "tags", ())]


def _repeat_numbers(drawn: list[torch.fx.Node], again: list[torch.fx.Node]) -> None:
    """Has `again` give the random numbers that `drawn` has given, not others."""
    for old, new in zip(drawn, again, strict=True):
        if isinstance(old.meta.get("val"), torch.Tensor):
            graph = old.graph
            with graph.inserting_after(old):
                # Later ops may write to the tensor.
                kept = graph.call_function(torch.ops.aten.clone.default, (old,))
                kept.meta = dict(old.meta)
            with graph.inserting_before(new):
                writes = new.target._schema.is_mutable
                same = graph.call_function(torch.ops.aten.copy_.default, (new.args[0], kept)) if writes \
                    else graph.call_function(torch.ops.aten.clone.default, (kept,))
                same.meta = dict(new.meta)
        else:
            same = old
        new.replace_all_uses_with(same)
        new.graph.erase_node(new)


class _Frame(torch_checkpoint._CheckpointFrame):
    """One call of `checkpoint`, whose second computation begins behind barriers."""

    def __init__(self, recompute: Any, *args: Any):
        first, drawn = len(_nodes()), None

        def again(*inputs: Any) -> None:
            nonlocal drawn
            before = _nodes()
            with WithoutValues():  # torch.autograd.grad runs without the mode that it is called in
                recompute(*pytree.tree_map_only(torch.Tensor, _barrier, inputs))
            _repeat_numbers(drawn, _random(_nodes()[len(before):]))

        def finish() -> None:
            nonlocal drawn
            drawn = _random(_nodes()[first:])

        super().__init__(again, *args)
        self._finish = finish

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "forward_completed" and value:
            self._finish()
        super().__setattr__(name, value)


class _NotReentrant:
    """Stands for the older kind of checkpoint, which torch.autograd.grad does not support."""

    @staticmethod
    def apply(function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        return torch_checkpoint.checkpoint(function, *args, use_reentrant=False, preserve_rng_state=False)


@contextlib.contextmanager
def recomputing_apart() -> Iterator[None]:
    """While tracing: each checkpoint computes again behind barriers, with the random numbers of its first time."""
    before = torch_checkpoint._CheckpointFrame, torch_checkpoint.CheckpointFunction
    torch_checkpoint._CheckpointFrame, torch_checkpoint.CheckpointFunction = _Frame, _NotReentrant
    try:
        # Ops that nothing needs are dropped later.
        with torch_checkpoint.set_checkpoint_early_stop(False):
            yield
    finally:
        torch_checkpoint._CheckpointFrame, torch_checkpoint.CheckpointFunction = before
