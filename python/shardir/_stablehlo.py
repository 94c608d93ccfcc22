"""From StableHLO to linalg on tensors, by the passes that jaxlib carries, and control flow to scf."""

from __future__ import annotations

import collections
import re
from collections.abc import Sequence
from typing import Any

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

from ._errors import CompileError, Diagnostic
from ._mesh import Mesh, in_module
from ._stablehlo_ops import EXPANSIONS, Builder, ints, place_of, refuse

stablehlo.register_stablehlo_passes()

_BEFORE = ("builtin.module(func.func(stablehlo-legalize-composite-to-call),func.func(chlo-legalize-to-stablehlo),"
           "inline,symbol-dce)")
#: Without a pattern that ignores the strides with which a padded tensor is inserted.
_CANONICALIZE = 'canonicalize{disable-patterns="(anonymous namespace)::FoldInsertPadIntoFill"},cse,symbol-dce'
_AFTER = f"builtin.module(stablehlo-legalize-to-linalg,stablehlo-convert-to-signless,{_CANONICALIZE})"

#: What the compiler reads from StableHLO itself.
_READ_LATER = {"stablehlo.sort", "stablehlo.scatter", "stablehlo.return", "stablehlo.all_reduce",
               "stablehlo.all_gather", "stablehlo.all_to_all", "stablehlo.reduce_scatter", "stablehlo.collective_permute",
               "stablehlo.partition_id", "stablehlo.custom_call", "stablehlo.collective_broadcast",
               "stablehlo.optimization_barrier"}


def make_context() -> ir.Context:
    """A context with the dialects that JAX writes."""
    from jax._src.interpreters import mlir
    context = mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    return context


def _walk(op: Any) -> list[Any]:
    """All ops below `op`, inner ones first."""
    found = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                found += _walk(inner.operation)
                found.append(inner.operation)
    return found


def _run(module: ir.Module, pipeline: str) -> None:
    try:
        passmanager.PassManager.parse(pipeline, context=module.context).run(module.operation)
    except ir.MLIRError as error:
        diagnostics = tuple(Diagnostic("error", d.message, *place_of(d.location)) for d in error.error_diagnostics)
        raise CompileError("\n".join(map(str, diagnostics)) or str(error), diagnostics) from None


def _is_empty(value: Any) -> bool:
    kind = value.type
    return isinstance(kind, ir.RankedTensorType) and kind.has_static_shape and 0 in kind.shape


def _remove_empty_tensors(module: ir.Module) -> None:
    """Tensors without elements, which linalg's verifiers refuse as out of bounds, become constants; what pads
    one, or joins one with others, does without it."""
    for op in _walk(module.operation):
        if op.name == "stablehlo.reduce" and any(map(_is_empty, op.operands)):
            for old, first in zip(op.results, list(op.operands)[len(op.results):]):
                shape = list(ir.RankedTensorType(old.type).shape)
                old.replace_all_uses_with(Builder(op).splat(first, shape))
            op.erase()
            continue
        if not op.name.startswith("stablehlo.") or len(op.results) != 1 or op.name == "stablehlo.constant":
            continue
        kind, loc, ip = op.results[0].type, op.location, ir.InsertionPoint(op)
        if _is_empty(op.results[0]):
            new = ir.Operation.parse(f"stablehlo.constant dense<> : {kind}")
            ip.insert(new)
        elif op.name == "stablehlo.pad" and _is_empty(op.operands[0]):
            attributes = {"broadcast_dimensions": ir.DenseI64ArrayAttr.get([])}
            new = ir.Operation.create("stablehlo.broadcast_in_dim", [kind], [op.operands[1]], attributes, loc=loc,
                                      ip=ip)
        elif op.name == "stablehlo.concatenate" and any(map(_is_empty, op.operands)):
            attributes = {"dimension": op.attributes["dimension"]}
            operands = [v for v in op.operands if not _is_empty(v)]
            new = ir.Operation.create("stablehlo.concatenate", [kind], operands, attributes, loc=loc, ip=ip)
        else:
            continue
        _replace(op, new)


def _refuse_ordered_effects(module: ir.Module) -> None:
    """Tokens, which order them, are no tensors."""
    if any("token" in str(a.type) for a in _symbols(module)["main"].regions[0].blocks[0].arguments):
        raise CompileError("ordered effects, as of jax.debug.print(ordered=True), are not supported")


def _split_complex(module: ir.Module) -> None:
    """Complex arguments and results of @main get a dim more, of their real and imaginary parts."""
    main = _symbols(module)["main"]
    block = main.regions[0].blocks[0]
    end = block.operations[len(block.operations) - 1].operation

    def parts(value: Any) -> tuple[Any, list[int]] | None:
        kind = ir.RankedTensorType(value.type)
        element = kind.element_type
        return (element.element_type, list(kind.shape)) if isinstance(element, ir.ComplexType) else None

    first = Builder(block.operations[0].operation)
    for argument in block.arguments:
        if found := parts(argument):
            element, shape = found
            kind = ir.RankedTensorType(argument.type)
            argument.set_type(ir.RankedTensorType.get([*shape, 2], element))
            halves = [first.slice(argument, [*[0] * len(shape), i], [*shape, i + 1], [1] * (len(shape) + 1)) for i in (0, 1)]
            flat = [first.make("reshape", shape, element, [x]) for x in halves]
            joined = first.make("complex", shape, kind.element_type, flat)
            argument.replace_all_uses_with(joined)
            for half in halves:
                half.owner.operands[0] = argument
    last = Builder(end)
    for i, value in enumerate(end.operands):
        if found := parts(value):
            element, shape = found
            halves = [last.make("reshape", [*shape, 1], element, [last.make(part, shape, element, [value])])
                      for part in ("real", "imag")]
            end.operands[i] = last.make("concatenate", [*shape, 2], element, halves, dimension=ir.IntegerAttr.get(
                ir.IntegerType.get_signless(64), len(shape)))
    types = [a.type for a in block.arguments], [v.type for v in end.operands]
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))


def _drop_reductions_of_nothing(module: ir.Module) -> None:
    """A reduction over no dims is its operand: the initial value is neutral."""
    for op in _walk(module.operation):
        if op.name == "stablehlo.reduce" and not ints(op, "dimensions", 0, 0):
            for old, value in zip(op.results, list(op.operands)[:len(op.results)]):
                old.replace_all_uses_with(value)
            op.erase()


#: Stands for stablehlo.partition_id, whose verifier refuses the signless result that the passes make.
_HIDDEN = "shardir_hidden.partition_id"


def _hide_partition_ids(module: ir.Module) -> None:
    for op in _walk(module.operation):
        if op.name == "stablehlo.partition_id":
            _replace(op, ir.Operation.create(_HIDDEN, [r.type for r in op.results], loc=op.location,
                                             ip=ir.InsertionPoint(op)))


def _replace(op: Any, new: Any) -> None:
    for old, value in zip(op.results, new.results):
        old.replace_all_uses_with(value)
    op.erase()


def _scalar(value: Any, loc: Any, ip: Any) -> Any:
    return ir.Operation.create("tensor.extract", [ir.RankedTensorType(value.type).element_type], [value], loc=loc,
                               ip=ip).results[0]


def _end_with(block: Any, name: str, first: list[Any] = []) -> None:
    """`name` in the place of the block's stablehlo.return."""
    end = block.operations[len(block.operations) - 1].operation
    operands = first + list(end.operands)
    ir.Operation.create(name, [], operands, loc=end.location, ip=ir.InsertionPoint(end))
    end.erase()


def _constant(value: Any) -> int | None:
    """The integer that a scalar is known to be."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "stablehlo.constant" or ir.RankedTensorType(value.type).rank:
        return None
    element = ir.RankedTensorType(value.type).element_type
    if not isinstance(element, ir.IntegerType) or not element.is_signless or element.width == 1:
        return None
    return int(ir.DenseIntElementsAttr(owner.attributes["value"])[0])


def _counter(op: Any) -> tuple[int, int, int] | None:
    """Of a loop that counts: which of its values counts up by one, from where, and below which bound."""
    before, after = op.regions[0].blocks[0], op.regions[1].blocks[0]
    test = before.operations[len(before.operations) - 1].operands[0].owner
    if isinstance(test, ir.Block) or test.name != "stablehlo.compare" or "LT" not in str(
            test.attributes["comparison_direction"]):
        return None
    tested, bound = test.operands[0], _constant(test.operands[1])
    if bound is None or not isinstance(tested.owner, ir.Block):
        return None
    number = ir.BlockArgument(tested).arg_number
    step = after.operations[len(after.operations) - 1].operands[number].owner
    if isinstance(step, ir.Block) or step.name != "stablehlo.add" or after.arguments[number] not in list(step.operands):
        return None
    first = _constant(op.operands[number])
    if first is None or 1 not in [_constant(v) for v in step.operands]:
        return None
    return number, first, max(first, bound)


def _count_loop(op: Any, number: int, first: int, bound: int) -> None:
    """A while that counts as an scf.for, whose trip count the compiler knows."""
    loc, ip, index = op.location, ir.InsertionPoint(op), ir.IndexType.get()
    element = ir.RankedTensorType(op.operands[number].type).element_type

    def constant(value: int) -> Any:
        return ir.Operation.create("arith.constant", [index], attributes={"value": ir.IntegerAttr.get(index, value)},
                                   loc=loc, ip=ip).results[0]

    kept = [i for i in range(len(op.operands)) if i != number]
    types = [op.operands[i].type for i in kept]
    loop = ir.Operation.create("scf.for", types, [constant(first), constant(bound), constant(1),
                                                  *(op.operands[i] for i in kept)], regions=1, loc=loc, ip=ip)
    block = loop.regions[0].blocks.append(index, *types)
    anchor = ir.Operation.create("arith.constant", [index], attributes={"value": ir.IntegerAttr.get(index, 0)}, loc=loc,
                                 ip=ir.InsertionPoint(block))
    count = ir.Operation.create("arith.index_cast", [element], [block.arguments[0]], loc=loc,
                                ip=ir.InsertionPoint(anchor)).results[0]
    count = ir.Operation.create("tensor.from_elements", [op.operands[number].type], [count], loc=loc,
                                ip=ir.InsertionPoint(anchor)).results[0]
    body = op.regions[1].blocks[0]
    for i, argument in enumerate(body.arguments):
        argument.replace_all_uses_with(count if i == number else block.arguments[1 + kept.index(i)])
    for inner in list(body.operations):
        inner.operation.move_before(anchor)
    anchor.erase()
    end = block.operations[len(block.operations) - 1].operation
    values = [end.operands[i] for i in kept]
    ir.Operation.create("scf.yield", [], values, loc=end.location, ip=ir.InsertionPoint(end))
    end.erase()
    for result, i in zip(loop.results, kept):
        op.results[i].replace_all_uses_with(result)
    last = ir.Attribute.parse(f"dense<{bound}> : {op.operands[number].type}")
    last = ir.Operation.create("arith.constant", [op.operands[number].type], attributes={"value": last}, loc=loc, ip=ip)
    op.results[number].replace_all_uses_with(last.results[0])
    op.erase()


def _while_to_scf(op: Any) -> None:
    loop = ir.Operation.create("scf.while", [r.type for r in op.results], list(op.operands), regions=2,
                               loc=op.location, ip=ir.InsertionPoint(op))
    before, after = op.regions[0].blocks[0], op.regions[1].blocks[0]
    before.append_to(loop.regions[0])
    after.append_to(loop.regions[1])
    before, after = loop.regions[0].blocks[0], loop.regions[1].blocks[0]
    end = before.operations[len(before.operations) - 1].operation
    condition = _scalar(end.operands[0], end.location, ir.InsertionPoint(end))
    ir.Operation.create("scf.condition", [], [condition, *before.arguments], loc=end.location,
                        ip=ir.InsertionPoint(end))
    end.erase()
    _end_with(after, "scf.yield")
    _replace(op, loop)


def _branches_to_scf(op: Any) -> None:
    """`if`, and `case`, whose last branch is taken for all other numbers, as a chain of scf.if."""
    types, loc, ip = [r.type for r in op.results], op.location, ir.InsertionPoint(op)
    number = _scalar(op.operands[0], loc, ip)
    branches = [region.blocks[0] for region in op.regions]

    def chain(i: int, ip: Any) -> Any:
        if op.name == "stablehlo.if":
            taken = number
        else:
            same = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
            wanted = ir.Operation.create("arith.constant", [number.type],
                                         attributes={"value": ir.IntegerAttr.get(number.type, i)}, loc=loc, ip=ip)
            taken = ir.Operation.create("arith.cmpi", [ir.IntegerType.get_signless(1)], [number, wanted.results[0]],
                                        attributes={"predicate": same}, loc=loc, ip=ip).results[0]
        result = ir.Operation.create("scf.if", types, [taken], regions=2, loc=loc, ip=ip)
        branches[i].append_to(result.regions[0])
        _end_with(result.regions[0].blocks[0], "scf.yield")
        if i + 2 == len(branches):
            branches[i + 1].append_to(result.regions[1])
            _end_with(result.regions[1].blocks[0], "scf.yield")
        else:
            block = result.regions[1].blocks.append()
            inner = chain(i + 1, ir.InsertionPoint(block))
            ir.Operation.create("scf.yield", [], list(inner.results), loc=loc, ip=ir.InsertionPoint(block))
        return result

    if len(branches) == 1:
        block = branches[0]
        end = block.operations[len(block.operations) - 1].operation
        values = list(end.operands)
        end.erase()
        for inner in list(block.operations):
            inner.operation.move_before(op)
        for old, value in zip(op.results, values):
            old.replace_all_uses_with(value)
        op.erase()
        return
    _replace(op, chain(0, ip))


#: Types of floats that are not lowered.
_NO_FLOATS = {"f8E8M0FNU", "f8E4M3", "f8E3M4", "f8E4M3B11FNUZ", "f8E4M3FNUZ", "f8E5M2FNUZ", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"}


def _refuse_what_is_left(module: ir.Module) -> None:
    for op in _walk(module.operation):
        if op.name in ("arith.truncf", "arith.extf"):
            for value in (op.operands[0], op.results[0]):
                if str(value.type) in _NO_FLOATS:
                    refuse(op, f"floats of type {value.type} are not supported: f8E4M3FN and f8E5M2 are")
        if op.name == "stablehlo.fft":
            refuse(op, "Fourier transforms are supported by shardir.jax.jit alone")
        if op.name == "stablehlo.custom_call":
            target = str(op.attributes["call_target_name"]) if "call_target_name" in op.attributes else ""
            if "sharding" not in target.lower() and "SPMD" not in target:
                refuse(op, _why_not(target))
        elif op.name.startswith(("stablehlo.", "chlo.", "mhlo.")) and op.name not in _READ_LATER:
            refuse(op, f"'{op.name}' is not supported")


def _why_not(target: str) -> str:
    """What a user of the function of a custom call can do instead."""
    if "callback" in target:
        return ("calls back to Python (jax.pure_callback, io_callback) are not supported: leave them out; for those of "
                "equinox and diffrax, set EQX_ON_ERROR=nan")
    if "lapack" in target:
        return (f"{target}: this decomposition is not supported; Cholesky, LU, QR, eigh, svd and triangular solves are, by "
                "shardir.jax.jit")
    return f"custom call {target} is not supported: write it with jax.numpy and jax.lax"


def _symbols(module: ir.Module) -> dict[str, Any]:
    return {ir.StringAttr(op.attributes["sym_name"]).value: op.operation for op in module.body.operations
            if "sym_name" in op.attributes}


def _attributes_of(main: ir.Operation, kind: str, count: int) -> list[dict[str, ir.Attribute]]:
    """Attributes of a function's `count` arguments ("arg_attrs") or results ("res_attrs"), a dict for each."""
    if kind not in main.attributes:
        return [{} for _ in range(count)]
    return [{e.name: e.attr for e in ir.DictAttr(entries)} for entries in main.attributes[kind]]


def _set_attributes(main: ir.Operation, kind: str, entries: Sequence[dict[str, ir.Attribute]]) -> None:
    main.attributes[kind] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in entries])


def names_of_main(module: ir.Module) -> tuple[list[str], list[str]]:
    """What the source calls @main's arguments and results, as JAX `params['w']` and `result[0]`; "" where it has no name."""
    main = _symbols(module)["main"]
    arguments = [getattr(a.location, "name_str", "") for a in main.regions[0].blocks[0].arguments]
    results = [ir.StringAttr(entries["jax.result_info"]).value if "jax.result_info" in entries else ""
               for entries in _attributes_of(main, "res_attrs", 0)]
    return arguments, results


def _name_main(module: ir.Module) -> None:
    """Names arguments and results for files: as the source does, and what becomes of a donated argument as that one."""
    main = _symbols(module)["main"]
    arguments, results = names_of_main(module)
    attributes = [_attributes_of(main, kind, len(names))
                  for kind, names in (("arg_attrs", arguments), ("res_attrs", results))]
    kinds = [list(map(str, types)) for types in (main.regions[0].blocks[0].arguments.types,
                                                 ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).results)]
    # By type and path within the argument or result. JAX's own choice of a result goes by the type alone, so that it may be a gradient.
    donated, made = collections.defaultdict(list), collections.defaultdict(list)
    for i, (name, entries) in enumerate(zip(arguments, attributes[0])):
        if name and {"jax.buffer_donor", "tf.aliasing_output"} & entries.keys():
            donated[kinds[0][i], re.sub(r"^\w+", "", name)].append(name)
    for i, name in enumerate(results):
        path = name.removeprefix("result")
        for suffix in {path, re.sub(r"^\[\d+\]", "", path)} if name else ():
            made[kinds[1][i], suffix].append(i)
    for key, names in donated.items():
        if len(names) == len(made[key]) == 1:
            results[made[key][0]] = names[0]
    for names, all_entries, kind in zip((arguments, results), attributes, ("arg_attrs", "res_attrs")):
        for name, entries in zip(names, all_entries):
            if name:
                entries["shardir.name"] = ir.StringAttr.get(name)
        if names:
            _set_attributes(main, kind, all_entries)


def _place_main(module: ir.Module, mesh: Mesh, arguments: Sequence[str | None], results: Sequence[str | None]) -> str:
    """Gives @main shardings of Shardy, as the module may have others of its own; the name of their mesh, which
    is an equal one of the module where there is one."""
    symbols = _symbols(module)
    text = f"<{mesh.attribute()[1:-1]}>"
    name = next((n for n, op in symbols.items() if op.name == "sdy.mesh" and text in str(op.attributes["mesh"])), None)
    if name is None:
        names = [mesh.name, *(f"mesh_{i}" for i in range(len(symbols)))]
        name = next(n for n in names if n not in symbols)
        if any(arguments) or any(results):
            declared = ir.Operation.parse(f"sdy.mesh @{name} = {mesh.attribute()}")
            ir.InsertionPoint.at_block_begin(module.body).insert(declared)
    for kind, placements in (("arg_attrs", arguments), ("res_attrs", results)):
        after = []
        for before, placement in zip(_attributes_of(symbols["main"], kind, len(placements)), placements):
            entries = {key: value for key, value in before.items()
                       if not key.startswith("jax.") and key != "mhlo.memory_kind"}
            if placement:
                sharding = placement.replace(f"#shardir.placement<@{mesh.name},", f"#sdy.sharding<@{name},", 1)
                entries["sdy.sharding"] = ir.Attribute.parse(sharding)
            after.append(entries)
        _set_attributes(symbols["main"], kind, after)
    return name


def _write_in_place(module: ir.Module, arguments: Sequence[str | None], results: Sequence[str | None]) -> None:
    """Donated arguments, for which JAX names a result of their shape, have it written into their memory, unless it is
    to be placed otherwise."""
    main = _symbols(module)["main"]
    given, made = (_attributes_of(main, kind, 0) for kind in ("arg_attrs", "res_attrs"))
    number = ir.IntegerType.get_signless(64)
    for i, entries in enumerate(given):
        entries.pop("jax.buffer_donor", None)
        alias = entries.pop("tf.aliasing_output", None)
        if alias is None:
            continue
        result = ir.IntegerAttr(alias).value
        placements = [p[k] if p else None for p, k in ((arguments, i), (results, result))]
        if placements[1] in (None, placements[0]):
            made[result].update({"shardir.alias": ir.IntegerAttr.get(number, i), "shardir.in_place": ir.UnitAttr.get()})
    for kind, all_entries in (("arg_attrs", given), ("res_attrs", made)):
        if kind in main.attributes:
            _set_attributes(main, kind, all_entries)


def to_linalg(module: ir.Module, mesh: Mesh | None = None, arguments: Sequence[str | None] = (),
              results: Sequence[str | None] = ()) -> str:
    """The text of the program on linalg, scf, arith and math. Changes `module`.

    mesh: of the placement attributes of @main's arguments and results, None where open. Raises
    CompileError with the place in the source for what is not supported.
    """
    module.context.allow_unregistered_dialects = True
    with module.context, ir.Location.unknown(module.context):
        _name_main(module)
        _refuse_ordered_effects(module)
        _split_complex(module)
        _write_in_place(module, arguments, results)
        mesh_name = _place_main(module, mesh, arguments, results) if mesh else ""
        for op in _walk(module.operation):
            if op.name == "stablehlo.dot_general" and "algorithm" in op.attributes:
                del op.attributes["algorithm"]
        _run(module, _BEFORE)
        _remove_empty_tensors(module)
        _drop_reductions_of_nothing(module)
        _hide_partition_ids(module)
        for op in _walk(module.operation):
            if op.name in EXPANSIONS:
                EXPANSIONS[op.name](op)
                continue
            counter = _counter(op) if op.name == "stablehlo.while" else None
            if counter:
                _count_loop(op, *counter)
        _run(module, _AFTER)
        for op in _walk(module.operation):
            if op.name == "stablehlo.while":
                _while_to_scf(op)
            elif op.name in ("stablehlo.case", "stablehlo.if"):
                _branches_to_scf(op)
        _run(module, f"builtin.module({_CANONICALIZE})")
        _refuse_what_is_left(module)
        names = {op.name.partition(".")[0] for op in _walk(module.operation)}
        text = module.operation.get_asm(enable_debug_info=True,
                                        print_generic_op_form=bool(names & {"stablehlo", "shardir_hidden"}))
        text = text.replace(_HIDDEN, "stablehlo.partition_id")
        if mesh and mesh_name not in _symbols(module):
            # Nothing names the mesh, and a mesh of Shardy that nothing names is no part of the program.
            return in_module(text, f"shardir.mesh @{mesh_name} {mesh.attribute()}")
        return text
