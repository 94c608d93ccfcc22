//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, its first step. Rewrites annotations of Shardy, GSPMD and
// MLIR's shard dialect into meshes, placements and constraints. Requires
// nothing of the dialects that wrote them: attributes are read as text, ops in
// generic form. Guarantees that no annotation of theirs is left, and that a
// program without any stays as it is.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "ForeignOps.h"
#include "Gspmd/ImportManual.h"
#include "Shard/ImportShard.h"
#include "StableHLO/Combiners.h"
#include "StableHLO/ImportCollectives.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Import/ImportAnnotations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace shardir;

constexpr llvm::StringLiteral kFrontend = "mhlo.frontend_attributes";
constexpr llvm::StringLiteral kShardyAttribute = "sdy.sharding";
constexpr llvm::StringLiteral kShardyInFrontend = "xla.sdy.sharding";
constexpr llvm::StringLiteral kGspmd = "mhlo.sharding";

/// The annotation among an op's or argument's attributes; of several that say
/// the same in other words, Shardy's own first.
static Attribute findAnnotation(DictionaryAttr attributes, bool &isGspmd) {
  isGspmd = false;
  if (!attributes || attributes.empty())
    return {};
  if (Attribute attr = attributes.get(kShardyAttribute))
    return attr;
  if (auto frontend = attributes.getAs<DictionaryAttr>(kFrontend))
    if (Attribute attr = frontend.get(kShardyInFrontend))
      return attr;
  isGspmd = true;
  return attributes.get(kGspmd);
}

/// `attributes` without annotations; null if nothing changes.
static DictionaryAttr withoutAnnotations(DictionaryAttr attributes) {
  NamedAttrList list;
  bool changed = false;
  for (NamedAttribute attr : attributes) {
    if (attr.getName() == kShardyAttribute || attr.getName() == kGspmd) {
      changed = true;
      continue;
    }
    auto frontend = dyn_cast<DictionaryAttr>(attr.getValue());
    if (attr.getName() == kFrontend && frontend) {
      NamedAttrList kept;
      for (NamedAttribute entry : frontend)
        if (!entry.getName().getValue().starts_with("xla.sdy."))
          kept.append(entry);
      if (llvm::range_size(kept) != frontend.size()) {
        changed = true;
        if (!kept.empty())
          list.append(kFrontend,
                      kept.getDictionary(attr.getName().getContext()));
        continue;
      }
    }
    list.append(attr);
  }
  return changed ? list.getDictionary(attributes.getContext())
                 : DictionaryAttr();
}

LogicalResult Importer::add(Operation *op, const Twine &what, TypeRange types,
                            Attribute attr, bool isGspmd, Apply apply) {
  Annotation annotation{op, what.str(), llvm::to_vector(types), apply, {},
                        {}, {}};
  std::string error, text = textOf(attr);
  bool read = false;
  size_t count = 0;
  if (isGspmd) {
    if (auto found = parseGspmdShardings(text, error)) {
      annotation.gspmd = *found;
      count = found->size();
      read = true;
    }
  } else if (auto found = parseShardyShardings(text, error)) {
    annotation.shardy = *found;
    count = found->size();
    read = true;
  }
  if (!read)
    return op->emitError() << "the sharding of " << what
                           << " cannot be read: " << error;
  if (count != types.size())
    return op->emitError() << "the sharding of " << what << " has " << count
                           << " entries for " << types.size() << " tensors";
  annotations.push_back(std::move(annotation));
  return success();
}

LogicalResult Importer::addFound(Operation *op, const Twine &what,
                                 TypeRange types, DictionaryAttr attributes,
                                 Apply apply) {
  bool isGspmd;
  Attribute attr = findAnnotation(attributes, isGspmd);
  if (!attr)
    return success();
  if (attributes.get(ShardIRDialect::kPlacement))
    return op->emitError() << what << " has both '"
                           << ShardIRDialect::kPlacement
                           << "' and a sharding to import; drop one";
  return add(op, what, types, attr, isGspmd, apply);
}

LogicalResult Importer::collectSignature(FunctionOpInterface function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto apply = [function, i](ArrayRef<PlacementAttr> placements) mutable {
      if (placements[0])
        function.setArgAttr(i, ShardIRDialect::kPlacement, placements[0]);
      return success();
    };
    if (failed(addFound(function, "argument " + Twine(i),
                        function.getArgumentTypes()[i],
                        function.getArgAttrDict(i), apply)))
      return failure();
    if (DictionaryAttr attributes = function.getArgAttrDict(i))
      if (DictionaryAttr kept = withoutAnnotations(attributes))
        function.setArgAttrs(i, kept);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto apply = [function, i](ArrayRef<PlacementAttr> placements) mutable {
      if (placements[0])
        function.setResultAttr(
            i,
            StringAttr::get(function.getContext(), ShardIRDialect::kPlacement),
            placements[0]);
      return success();
    };
    if (failed(addFound(function, "result " + Twine(i),
                        function.getResultTypes()[i],
                        function.getResultAttrDict(i), apply)))
      return failure();
    if (DictionaryAttr attributes = function.getResultAttrDict(i))
      if (DictionaryAttr kept = withoutAnnotations(attributes))
        function.setResultAttrs(i, kept);
  }
  return success();
}

/// Replaces the results of `op` by its operands, constrained.
LogicalResult Importer::constrain(Operation *op, Attribute attr, bool isGspmd) {
  if (op->getOperandTypes() != op->getResultTypes())
    return op->emitOpError("stands for a constraint, but its results have "
                           "other types than its operands");
  auto apply = [op](ArrayRef<PlacementAttr> placements) {
    OpBuilder builder(op);
    for (auto [value, result, placement] :
         llvm::zip(llvm::to_vector(op->getOperands()), op->getResults(),
                   placements)) {
      if (!placement) {
        result.replaceAllUsesWith(value);
        continue;
      }
      // Without uses it is about the operand itself, as in Shardy.
      bool dangles = result.use_empty();
      if (dangles)
        builder.setInsertionPointAfterValue(value);
      else
        builder.setInsertionPoint(op);
      auto constraint = ConstrainOp::create(builder, op->getLoc(),
                                            value.getType(), value, placement);
      if (dangles)
        value.replaceAllUsesExcept(constraint.getResult(), constraint);
      else
        result.replaceAllUsesWith(constraint.getResult());
    }
    return success();
  };
  finished.insert(op);
  std::string what = ("'" + op->getName().getStringRef() + "'").str();
  return add(op, what, op->getResultTypes(), attr, isGspmd, apply);
}

LogicalResult Importer::collectOp(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name.starts_with("sdy."))
    return collectShardyOp(op);
  bool isGspmd;
  Attribute attr = findAnnotation(op->getDiscardableAttrDictionary(), isGspmd);
  if (!attr)
    return success();
  StringRef target = customCallTarget(op);
  if (target == "Sharding") {
    GspmdBorder border;
    if (failed(readBorder(op, attr, border)) ||
        failed(constrain(op, attr, isGspmd)))
      return failure();
    annotations.back().openDims = border.openDims;
    return success();
  }
  if (target.starts_with("SPMD"))
    return op->emitOpError("is a border of a manual region whose other border "
                           "stands elsewhere; both must stand in one block, "
                           "with what is between them or calls of it");
  auto apply = [op](ArrayRef<PlacementAttr> placements) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (auto [result, placement] : llvm::zip(op->getResults(), placements)) {
      if (!placement)
        continue;
      auto constraint = ConstrainOp::create(
          builder, op->getLoc(), result.getType(), result, placement);
      result.replaceAllUsesExcept(constraint.getResult(), constraint);
    }
    return success();
  };
  if (failed(add(op, "'" + name + "'", op->getResultTypes(), attr, isGspmd,
                 apply)))
    return failure();
  op->setDiscardableAttrs(
      withoutAnnotations(op->getDiscardableAttrDictionary()));
  return success();
}

/// Ops of Shardy's dialect. Its collectives keep a tensor's value and change
/// its sharding, as a constraint does.
LogicalResult Importer::collectShardyOp(Operation *op) {
  StringRef name = op->getName().getStringRef().drop_front(4);
  bool isUnary = op->getNumOperands() == 1 && op->getNumResults() == 1;
  if (name == "sharding_constraint" || name == "reshard") {
    Attribute attr = op->getAttr("sharding");
    if (!isUnary || !attr)
      return op->emitOpError("needs one operand, one result and 'sharding'");
    return constrain(op, attr, /*isGspmd=*/false);
  }
  if (Attribute attr = op->getAttr("out_sharding")) {
    if (!isUnary)
      return op->emitOpError("needs one operand and one result");
    return constrain(op, attr, /*isGspmd=*/false);
  }
  if (name == "propagation_barrier" || name == "data_flow_edge") {
    if (!isUnary)
      return op->emitOpError("needs one operand and one result");
    if (Attribute attr = op->getAttr("sharding"))
      return constrain(op, attr, /*isGspmd=*/false);
    if (name == "propagation_barrier")
      return collectHint(op);
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    finished.insert(op);
    return success();
  }
  if (name == "sharding_group")
    return collectHint(op);
  if (name == "manual_computation" || name == "named_computation")
    return collectComputation(op);
  if (name == "return") // goes with its computation
    return success();
  if (name == "constant") {
    auto value = dyn_cast_or_null<TypedAttr>(op->getAttr("value"));
    if (!value || op->getNumResults() != 1 ||
        value.getType() != op->getResult(0).getType())
      return op->emitOpError("needs one result of the type of 'value'");
    OpBuilder builder(op);
    auto constant = arith::ConstantOp::create(builder, op->getLoc(), value);
    constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->getResult(0).replaceAllUsesWith(constant);
    finished.insert(op);
    return collectOp(constant);
  }
  return op->emitOpError("cannot be imported");
}

/// Groups and barriers, which say how axes propagate and name no mesh.
LogicalResult Importer::collectHint(Operation *op) {
  bool isGroup = op->getNumResults() == 0;
  if (op->getNumOperands() != 1 ||
      !isa<RankedTensorType>(op->getOperand(0).getType()) ||
      (isGroup ? !op->getAttrOfType<IntegerAttr>("group_id")
               : op->getOperandTypes() != op->getResultTypes() ||
                     !op->getAttr("allowed_direction")))
    return op->emitOpError("needs one operand, a ranked tensor, and '")
           << (isGroup ? "group_id" : "allowed_direction") << "'";
  finished.insert(op);
  hints.push_back(op);
  return success();
}

/// Makes constraints of groups and barriers, on the program's first mesh:
/// propagation finds their own. Without any mesh nothing is sharded.
LogicalResult Importer::placeHints() {
  std::vector<Mesh> all = meshes.all();
  for (Operation *op : hints) {
    Value value = op->getOperand(0);
    bool isGroup = op->getNumResults() == 0;
    std::string direction = "both";
    if (!isGroup) {
      // A word, or `#sdy<propagation_direction FORWARD>` in generic form.
      std::string text = textOf(op->getAttr("allowed_direction"));
      direction =
          StringRef(text).drop_front(text.rfind(' ') + 1).rtrim('>').lower();
      if (!llvm::is_contained({"forward", "backward", "none", "both"},
                              direction))
        return op->emitOpError("has 'allowed_direction' ")
               << op->getAttr("allowed_direction")
               << "; expected FORWARD, BACKWARD, BOTH or NONE";
    }
    if (all.empty() || (!isGroup && direction == "both")) {
      op->replaceAllUsesWith(op->getOperands().take_front(op->getNumResults()));
      continue;
    }
    Placement open = Placement::replicatedOfRank(
        cast<RankedTensorType>(value.getType()).getRank());
    for (DimPlacement &dim : open.dims)
      dim.open = true;
    OpBuilder builder(op);
    if (isGroup)
      builder.setInsertionPointAfterValue(value);
    auto constraint = ConstrainOp::create(
        builder, op->getLoc(), value.getType(), value,
        PlacementAttr::get(op->getContext(),
                           builder.getStringAttr(all.front().name), open));
    if (isGroup) {
      constraint.setGroupAttr(op->getAttrOfType<IntegerAttr>("group_id"));
      value.replaceAllUsesExcept(constraint.getResult(), constraint);
    } else {
      constraint.setDirection(StringRef(direction));
      op->getResult(0).replaceAllUsesWith(constraint.getResult());
    }
  }
  return success();
}

/// The shardings of a computation's borders, one list for each side.
LogicalResult Importer::collectComputation(Operation *op) {
  computations.push_back(op);
  Computation &borders = borderOf[op];
  if (failed(readComputation(op, borders)))
    return failure();
  auto addSide = [&](StringRef name, TypeRange types,
                     SmallVector<PlacementAttr> &side) -> LogicalResult {
    Attribute attr = op->getAttr(name);
    side.resize(types.size());
    if (!attr && !borders.isManual)
      return success();
    if (!attr)
      return op->emitOpError("needs '") << name << "'";
    auto apply = [&side](ArrayRef<PlacementAttr> placements) {
      side.assign(placements.begin(), placements.end());
      return success();
    };
    return add(op, "'" + name + "'", types, attr, /*isGspmd=*/false, apply);
  };
  return failure(
      failed(addSide("in_shardings", op->getOperandTypes(), borders.in)) ||
      failed(addSide("out_shardings", op->getResultTypes(), borders.out)));
}

/// The borders of GSPMD's manual regions, outer ones first.
LogicalResult Importer::collectRegions() {
  SmallVector<GspmdRegion> regions;
  if (failed(groupManualRegions(module, regions)))
    return failure();
  for (GspmdRegion &region : regions) {
    ManualOp op = region.op;
    auto addBorder = [&](const GspmdBorder &border, Type type, size_t index,
                         bool isOut) -> LogicalResult {
      auto apply = [op, index, isOut](ArrayRef<PlacementAttr> placed) mutable {
        ArrayAttr known = isOut ? op.getOut() : op.getIn();
        SmallVector<Attribute> all(known.begin(), known.end());
        all.resize(std::max(all.size(), index + 1));
        all[index] = placed[0];
        auto attr = ArrayAttr::get(op.getContext(), all);
        isOut ? op.setOutAttr(attr) : op.setInAttr(attr);
        return success();
      };
      std::string what = (Twine(isOut ? "result " : "operand ") + Twine(index) +
                          " of the manual region")
                             .str();
      if (failed(add(op, what, type, border.sharding, /*isGspmd=*/true, apply)))
        return failure();
      annotations.back().openDims = border.openDims;
      return success();
    };
    for (auto [i, border] : llvm::enumerate(region.in))
      if (failed(addBorder(border, op.getInputs()[i].getType(), i, false)))
        return failure();
    for (auto [i, border] : llvm::enumerate(region.out))
      if (failed(addBorder(border, op.getResult(i).getType(), i, true)))
        return failure();
    auto apply = [this, op](ArrayRef<PlacementAttr> placed) mutable {
      SmallVector<StringRef> axes;
      std::vector<Mesh> all = meshes.all();
      // Without any axis told all are manual that are not so around it.
      StringRef name =
          placed[0] ? placed[0].getMesh().getValue()
                    : cast<PlacementAttr>(op.getOut()[0]).getMesh().getValue();
      const Mesh &mesh = *llvm::find_if(
          all, [&](const Mesh &each) { return each.name == name; });
      for (const MeshAxis &axis : mesh.axes) {
        bool outer = false;
        for (auto up = op->getParentOfType<ManualOp>(); up;
             up = up->getParentOfType<ManualOp>())
          outer |= llvm::any_of(
              up.getAxes().getAsRange<StringAttr>(),
              [&](StringAttr own) { return own.getValue() == axis.name; });
        bool told = !placed[0];
        if (placed[0])
          for (const AxisRef &own : placed[0].getValue().partialAxes)
            told |= own.name == axis.name;
        if (told && !outer)
          axes.push_back(axis.name);
      }
      op.setAxesAttr(Builder(op.getContext()).getStrArrayAttr(axes));
      return success();
    };
    if (failed(add(op, "the shards of the manual region", region.insideType,
                   region.inside, /*isGspmd=*/true, apply)))
      return failure();
    annotations.back().tellsManual = true;
  }
  return success();
}

LogicalResult Importer::run() {
  // XLA writes down how it has partitioned a program.
  for (StringRef name :
       {"mhlo.spmd_parameters_shardings", "mhlo.spmd_output_sharding"})
    if (module->hasAttr(name))
      return module.emitError()
             << "'" << name
             << "' says that the program has been partitioned, so that its "
                "types "
                "are those of shards; import it as it was before";
  if (failed(meshes.collect()) || failed(collectRegions()))
    return failure();
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() == "sdy.manual_computation")
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(inlineIntoRegions(module, op)))
      return failure();
  ops.clear();
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    hasCollectives |= isForeignCollective(op);
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      if (failed(collectSignature(function)))
        return failure();
    if (op != module && !finished.contains(op) && failed(collectOp(op)))
      return failure();
  }
  defaultPriorities();
  if (failed(placeShardy()) || failed(placeGspmd()) || failed(placeHints()))
    return failure();
  for (Operation *op : llvm::reverse(finished.getArrayRef()))
    op->erase();
  for (Operation *op : computations)
    if (failed(replaceComputation(op, borderOf[op])))
      return failure();
  if (DictionaryAttr kept =
          withoutAnnotations(module->getDiscardableAttrDictionary()))
    module->setDiscardableAttrs(kept);
  return importCollectives(module, meshes);
}

/// StableHLO's barriers keep what a backward pass recomputes apart from the
/// forward pass: one op for each operand. Returns whether there were any.
static bool importBarriers(ModuleOp module) {
  SmallVector<Operation *> barriers;
  module.walk([&](Operation *op) {
    if (foreignName(op) == "optimization_barrier" &&
        op->getOperandTypes() == op->getResultTypes())
      barriers.push_back(op);
  });
  for (Operation *op : barriers) {
    OpBuilder builder(op);
    for (auto [value, result] :
         llvm::zip(llvm::to_vector(op->getOperands()), op->getResults())) {
      if (isa<RankedTensorType>(value.getType()))
        value = OptimizationBarrierOp::create(builder, op->getLoc(), value);
      result.replaceAllUsesWith(value);
    }
    op->erase();
  }
  return !barriers.empty();
}

/// Scatters, sorts and scans. Returns whether there were any.
static FailureOr<bool> importForeignOps(ModuleOp module) {
  using Read = LogicalResult (*)(Operation *);
  SmallVector<std::pair<Operation *, Read>> found;
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (name.starts_with("tm_tensor.") && name != "tm_tensor.yield")
      found.emplace_back(op, importTmTensor);
    else if (foreignName(op) == "scatter" || foreignName(op) == "sort")
      found.emplace_back(op, importStablehloIndexed);
  });
  for (auto [op, read] : found)
    if (failed(read(op)))
      return failure();
  return !found.empty();
}

FailureOr<bool> shardir::importAnnotations(ModuleOp module) {
  FailureOr<bool> hasGrids = importShardDialect(module);
  if (failed(hasGrids))
    return failure();
  Importer importer(module);
  if (failed(importer.run()))
    return failure();
  FailureOr<bool> hasOps = importForeignOps(module);
  if (failed(hasOps))
    return failure();
  return importBarriers(module) || *hasGrids || *hasOps || importer.foundAny();
}
