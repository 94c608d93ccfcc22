//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks of the dialect's discardable attributes. Every placement that
// stands on a function or an op is verified here, once, against its mesh (P1,
// P4, P5).
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/FittedStates.h"
#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/PartialCast.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/Recomputed.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/VerifyRule.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace shardir;

/// `shardir.carried`: placements of what goes around a loop and is no result.
static LogicalResult verifyCarried(Operation *op, Attribute attr) {
  auto carried = dyn_cast<ArrayAttr>(attr);
  if (!carried || !llvm::all_of(carried, llvm::IsaPred<PlacementAttr>))
    return op->emitError() << "'" << ShardIRDialect::kCarried
                           << "' must be a list of placements";
  if (llvm::any_of(carried.getAsRange<PlacementAttr>(),
                   [](PlacementAttr p) { return p.getValue().sugar; }))
    return op->emitError() << "'" << ShardIRDialect::kCarried
                           << "' takes placements by dim; `placements = [...]` "
                              "is for annotations";
  // A list that no longer fits the op, as upstream's passes leave it, says
  // nothing.
  auto region = asShardableRegion(op);
  if (!region)
    return success();
  SmallVector<RegionValueGroup> groups = region.getValueGroups();
  for (auto [i, placement] :
       llvm::enumerate(getGroupPlacements(region, groups)))
    if (placement && llvm::none_of(groups[i].values, llvm::IsaPred<OpResult>) &&
        failed(verifyPlacementFor(op, placement, groups[i].values[0].getType(),
                                  "carried tensor " + Twine(i))))
      return failure();
  return success();
}

/// Checks `shardir.decided_by`: a list of provenances, or of such lists.
static LogicalResult verifyDecidedBy(Operation *op, Attribute attr) {
  auto isList = [](Attribute each) {
    auto list = dyn_cast<ArrayAttr>(each);
    return list && llvm::all_of(list, llvm::IsaPred<ProvenanceAttr>);
  };
  auto lists = dyn_cast<ArrayAttr>(attr);
  if (isList(attr) || (lists && llvm::all_of(lists, isList)))
    return success();
  return op->emitError() << "'" << ShardIRDialect::kDecidedBy
                         << "' must be a list of #shardir.provenance, or one "
                            "such list for each tensor that flows through "
                            "the op's regions";
}

LogicalResult ShardIRDialect::verifyOperationAttribute(Operation *op,
                                                       NamedAttribute attr) {
  if (attr.getName() == kAlternatives || attr.getName() == kConstrained)
    return success();
  if (attr.getName() == kDecidedBy)
    return verifyDecidedBy(op, attr.getValue());
  if (attr.getName() == kOperands) {
    auto list = dyn_cast<ArrayAttr>(attr.getValue());
    if (list && llvm::all_of(list, llvm::IsaPred<PlacementAttr, UnitAttr>))
      return success();
    return op->emitError() << "'" << kOperands
                           << "' must be a list of placements, or unit for "
                              "what is not a tensor";
  }
  if (attr.getName() == kManualAxes) {
    auto axes = dyn_cast<ArrayAttr>(attr.getValue());
    if (axes && llvm::all_of(axes, llvm::IsaPred<StringAttr>))
      return success();
    return op->emitError() << "'" << kManualAxes
                           << "' must be a list of strings";
  }
  if (attr.getName() == kKernel) {
    if (isa<UnitAttr, StringAttr>(attr.getValue()))
      return success();
    return op->emitError() << "'" << kKernel
                           << "' must be a name or have no value";
  }
  if (attr.getName() == kSchedule) {
    if (isa<DictionaryAttr>(attr.getValue()))
      return success();
    return op->emitError() << "'" << kSchedule << "' must be a dictionary";
  }
  if (attr.getName() == kLaunchSeconds) {
    if (isa<FloatAttr>(attr.getValue()))
      return success();
    return op->emitError() << "'" << kLaunchSeconds << "' must be a number";
  }
  if (attr.getName() == kPartialCast || attr.getName() == kUnstored) {
    if (isa<UnitAttr>(attr.getValue()))
      return success();
    return op->emitError() << "'" << attr.getName().getValue()
                           << "' has no value";
  }
  if (attr.getName() == kMachine) {
    std::string error;
    auto machine = dyn_cast<DictionaryAttr>(attr.getValue());
    if (!machine || !isa<ModuleOp>(op))
      return op->emitError()
             << "'" << kMachine << "' must be a dictionary on the module";
    if (verifyMachine(machine, error))
      return success();
    return op->emitError() << "'" << kMachine << "': " << error;
  }
  if (attr.getName() == kReport) {
    if (isa<DictionaryAttr>(attr.getValue()) && isa<ModuleOp>(op))
      return success();
    return op->emitError() << "'" << kReport
                           << "' must be a dictionary on the module";
  }
  if (attr.getName() == kStage) {
    auto name = dyn_cast<StringAttr>(attr.getValue());
    std::optional<Stage> stage;
    if (name && isa<ModuleOp>(op))
      stage = parseStage(name);
    if (stage && *stage >= Stage::Local)
      return success();
    return op->emitError() << "'" << kStage
                           << "' must be \"local\", \"scheduled\", "
                              "\"bufferized\", \"cpu\" or \"gpu\", on the "
                              "module";
  }
  if (attr.getName() == kGpu) {
    if (isa<StringAttr>(attr.getValue()) && isa<ModuleOp>(op))
      return success();
    return op->emitError() << "'" << kGpu << "' must be a string on the module";
  }
  if (attr.getName() == kLayoutSavedBytes) {
    auto bytes = dyn_cast<IntegerAttr>(attr.getValue());
    if (bytes && bytes.getType().isSignlessInteger(64) && isa<ModuleOp>(op))
      return success();
    return op->emitError() << "'" << kLayoutSavedBytes
                           << "' must be an i64 on the module";
  }
  if (attr.getName() == kFittedStates) {
    auto fitted = dyn_cast<DictionaryAttr>(attr.getValue());
    if (fitted && fitted.getAs<ArrayAttr>("axes") && isa<ModuleOp>(op))
      return success();
    return op->emitError() << "'" << kFittedStates
                           << "' must be a dictionary with 'axes' on the "
                              "module";
  }
  if (attr.getName() == kRecomputed || attr.getName() == kOffloaded) {
    if (isa<DictionaryAttr>(attr.getValue()) && isa<ModuleOp>(op))
      return success();
    return op->emitError() << "'" << attr.getName().getValue()
                           << "' must be a dictionary on the module";
  }
  if (attr.getName() == kRule) {
    if (isa<CallOpInterface>(op))
      return op->emitOpError("takes no '")
             << kRule
             << "': callees are inlined, and what is in them decides; write "
                "rules on ops of the callee";
    if (auto rule = dyn_cast<RuleAttr>(attr.getValue()))
      return verifyRule(op, rule);
    return op->emitError() << "'" << kRule << "' must be a #shardir.rule";
  }
  if (attr.getName() == kCarried)
    return verifyCarried(op, attr.getValue());
  if (attr.getName() == kHalo) {
    auto halo = dyn_cast<ArrayAttr>(attr.getValue());
    auto type = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : RankedTensorType();
    if (halo && type)
      return checkHalo(op, halo, type.getRank());
    return op->emitError() << "'" << kHalo
                           << "' must be an array, one entry per dim of the "
                              "op's one result, a ranked tensor";
  }
  if (attr.getName() != kPlacements)
    return op->emitError() << "unknown attribute '" << attr.getName().getValue()
                           << "'; ops carry '" << kPlacements << "'";
  auto placements = dyn_cast<ArrayAttr>(attr.getValue());
  // Upstream's patterns take unused results from loops and branches, and leave
  // their attributes: such a list says nothing.
  if (placements && placements.size() != op->getNumResults() &&
      asShardableRegion(op))
    return success();
  if (!placements || placements.size() != op->getNumResults())
    return op->emitError() << "'" << kPlacements << "' must have one entry per "
                           << "result, " << op->getNumResults() << " in all";
  for (auto [i, entry] : llvm::enumerate(placements)) {
    if (isa<UnitAttr>(entry) && !isa<TensorType>(op->getResult(i).getType()))
      continue;
    auto placement = dyn_cast<PlacementAttr>(entry);
    if (!placement)
      return op->emitError()
             << "'" << kPlacements << "' entry " << i << " must be a placement"
             << (isa<TensorType>(op->getResult(i).getType())
                     ? ""
                     : ", or unit as the result is not a tensor");
    if (failed(verifyPlacementFor(op, placement, op->getResult(i).getType(),
                                  "result " + Twine(i))))
      return failure();
  }
  return success();
}

/// From the local stage on a value's placement refers to its global type.
static Type globalType(Type type, Attribute globalType) {
  if (auto attr = dyn_cast_or_null<TypeAttr>(globalType))
    return attr.getValue();
  return type;
}

/// `shardir.global_type` is what the local type is a shard of.
static LogicalResult verifyGlobalType(Operation *op, NamedAttribute attr,
                                      Type type, const Twine &what) {
  auto whole = dyn_cast<TypeAttr>(attr.getValue());
  auto global =
      whole ? dyn_cast<RankedTensorType>(whole.getValue()) : RankedTensorType();
  auto local = dyn_cast<ShapedType>(type);
  if (global && local && local.hasRank() &&
      local.getRank() == global.getRank() &&
      local.getElementType() == global.getElementType())
    return success();
  return op->emitError() << "'" << attr.getName().getValue() << "' of " << what
                         << " must be a ranked tensor type of the rank and "
                            "element type of "
                         << type << ", found " << attr.getValue();
}

/// Checks that `shardir.extents` has one entry per dim of `type`.
static LogicalResult verifyExtents(Operation *op, NamedAttribute attr,
                                   Type type, const Twine &what) {
  auto list = dyn_cast<ArrayAttr>(attr.getValue());
  auto shaped = dyn_cast<ShapedType>(type);
  if (list && shaped && shaped.hasRank() &&
      int64_t(list.size()) == shaped.getRank())
    return success();
  return op->emitError() << "'" << attr.getName().getValue() << "' of " << what
                         << " of type " << type
                         << " must be a list of one entry per dim, found "
                         << attr.getValue();
}

/// Checks `shardir.extents` of an argument: what an open extent is equal to.
static LogicalResult verifyArgumentExtents(FunctionOpInterface function,
                                           unsigned number,
                                           NamedAttribute attr) {
  if (failed(verifyExtents(function, attr, function.getArgumentTypes()[number],
                           "argument " + Twine(number))))
    return failure();
  auto isExtent = [&](Attribute entry) {
    auto number = dyn_cast<IntegerAttr>(entry);
    if (isa<UnitAttr>(entry) || (number && number.getInt() >= 0))
      return true;
    auto list = dyn_cast<ArrayAttr>(entry);
    if (!list || list.size() != 2 || !llvm::all_of(list, [](Attribute part) {
          return isa<IntegerAttr>(part);
        }))
      return false;
    int64_t i = cast<IntegerAttr>(list[0]).getInt(),
            dim = cast<IntegerAttr>(list[1]).getInt();
    if (i < 0 || i >= int64_t(function.getNumArguments()))
      return false;
    auto other = dyn_cast<ShapedType>(function.getArgumentTypes()[i]);
    return other && other.hasRank() && dim >= 0 && dim < other.getRank();
  };
  for (Attribute entry : cast<ArrayAttr>(attr.getValue()))
    if (!isExtent(entry))
      return function->emitError()
             << "'" << attr.getName().getValue() << "' of argument " << number
             << " must have a unit, a number, or [argument, dim] for each dim, "
                "found "
             << entry;
  return success();
}

/// Checks `shardir.name`, which has to name something in a file.
static LogicalResult verifyName(Operation *op, NamedAttribute attr,
                                const Twine &what) {
  auto name = dyn_cast<StringAttr>(attr.getValue());
  if (name && !name.empty())
    return success();
  return op->emitError() << "'" << attr.getName().getValue() << "' of " << what
                         << " must be a string that is not empty, found "
                         << attr.getValue();
}

LogicalResult ShardIRDialect::verifyRegionArgAttribute(Operation *op,
                                                       unsigned regionIndex,
                                                       unsigned argIndex,
                                                       NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError() << "'" << attr.getName().getValue()
                           << "' is for arguments of functions";
  if (attr.getName() == kConstrained)
    return success();
  if (attr.getName() == kDecidedBy)
    return verifyDecidedBy(op, attr.getValue());
  if (attr.getName() == kGlobalType)
    return verifyGlobalType(op, attr, function.getArgumentTypes()[argIndex],
                            "argument " + Twine(argIndex));
  if (attr.getName() == kExtents)
    return verifyArgumentExtents(function, argIndex, attr);
  if (attr.getName() == kName)
    return verifyName(op, attr, "argument " + Twine(argIndex));
  if (attr.getName() == kResult) {
    if (isa<UnitAttr>(attr.getValue()) &&
        isa<MemRefType>(function.getArgumentTypes()[argIndex]))
      return success();
    return op->emitError() << "'" << kResult << "' of argument " << argIndex
                           << " must be a unit attribute of a memref";
  }
  if (attr.getName() == kInPlace) {
    auto index = dyn_cast<IntegerAttr>(attr.getValue());
    if (index && function.getArgAttr(argIndex, kResult) &&
        index.getInt() >= 0 && index.getInt() < int64_t(argIndex) &&
        function.getArgumentTypes()[index.getInt()] ==
            function.getArgumentTypes()[argIndex])
      return success();
    return op->emitError()
           << "'" << kInPlace << "' of argument " << argIndex
           << " must be the number of an argument of its type, of a result";
  }
  auto placement = dyn_cast<PlacementAttr>(attr.getValue());
  if (attr.getName() != kPlacement || !placement)
    return op->emitError() << "argument " << argIndex << " has attribute '"
                           << attr.getName().getValue() << "'; expected '"
                           << kPlacement << "' with a #shardir.placement";
  Type type = globalType(function.getArgumentTypes()[argIndex],
                         function.getArgAttr(argIndex, kGlobalType));
  std::optional<Location> loc;
  if (!function.isExternal())
    loc = function.getFunctionBody().getArgument(argIndex).getLoc();
  return verifyPlacementFor(op, placement, type, "argument " + Twine(argIndex),
                            loc);
}

LogicalResult ShardIRDialect::verifyRegionResultAttribute(Operation *op,
                                                          unsigned regionIndex,
                                                          unsigned resultIndex,
                                                          NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError() << "'" << attr.getName().getValue()
                           << "' is for results of functions";
  if (attr.getName() == kDecidedBy)
    return verifyDecidedBy(op, attr.getValue());
  if (attr.getName() == kGlobalType)
    return verifyGlobalType(op, attr, function.getResultTypes()[resultIndex],
                            "result " + Twine(resultIndex));
  if (attr.getName() == kExtents)
    return verifyExtents(op, attr, function.getResultTypes()[resultIndex],
                         "result " + Twine(resultIndex));
  if (attr.getName() == kName)
    return verifyName(op, attr, "result " + Twine(resultIndex));
  if (attr.getName() == kInPlace) {
    auto alias = dyn_cast_or_null<IntegerAttr>(
        function.getResultAttr(resultIndex, kAlias));
    if (!isa<UnitAttr>(attr.getValue()) || !alias)
      return op->emitError()
             << "'" << kInPlace << "' of result " << resultIndex
             << " must be a unit, beside '" << kAlias
             << "' with the number of the argument that is overwritten";
    for (unsigned other = 0; other < resultIndex; ++other)
      if (function.getResultAttr(other, kInPlace) &&
          function.getResultAttr(other, kAlias) == alias)
        return op->emitError()
               << "results " << other << " and " << resultIndex
               << " are both written into argument " << alias.getInt()
               << "; one argument has room for one result";
    return success();
  }
  if (attr.getName() == kAlias) {
    auto index = dyn_cast<IntegerAttr>(attr.getValue());
    if (!index || !index.getType().isSignlessInteger(64) ||
        index.getInt() < 0 ||
        index.getInt() >= int64_t(function.getNumArguments()))
      return op->emitError() << "'" << kAlias << "' of result " << resultIndex
                             << " must be the number of an argument, 0 to "
                             << int64_t(function.getNumArguments()) - 1;
    Type argument = function.getArgumentTypes()[index.getInt()];
    Type result = function.getResultTypes()[resultIndex];
    if (argument != result)
      return op->emitError()
             << "result " << resultIndex << " of type " << result
             << " cannot take the placement of "
             << "argument " << index.getInt() << " of type " << argument;
    return success();
  }
  auto placement = dyn_cast<PlacementAttr>(attr.getValue());
  if (attr.getName() != kPlacement || !placement)
    return op->emitError() << "result " << resultIndex << " has attribute '"
                           << attr.getName().getValue() << "'; expected '"
                           << kPlacement << "' with a #shardir.placement";
  Type type = globalType(function.getResultTypes()[resultIndex],
                         function.getResultAttr(resultIndex, kGlobalType));
  return verifyPlacementFor(op, placement, type,
                            "result " + Twine(resultIndex));
}
