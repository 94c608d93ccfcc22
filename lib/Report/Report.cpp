//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the report of a module that has placements on every value (the
// propagated stage or a later one). Bytes come from the formulas of
// Placement/Collectives.h, with which the runtime counts too.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Report/Report.h"

#include "ReceivedBytes.h"

#include "ShardIR/Analysis/Extents.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/FittedStates.h"
#include "ShardIR/Dialect/ShardIR/Recomputed.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Placement/Describe.h"
#include "ShardIR/Placement/DeviceSample.h"
#include "ShardIR/Placement/Packing.h"
#include "ShardIR/Report/NotShardedReasons.h"
#include "ShardIR/Report/RedistributionUsers.h"
#include "ShardIR/Report/SymbolicBytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace shardir;
namespace json = llvm::json;

namespace {

class ReportBuilder {
public:
  explicit ReportBuilder(ModuleOp module)
      : module(module), meshes(module),
        isLocal(module->hasAttr(ShardIRDialect::kStage)) {}
  ProgramReport build();

private:
  void addFunction(func::FuncOp function);
  void addArguments(func::FuncOp function);
  void addSteps(Operation *op);
  void addOpResult(OpResult result, func::FuncOp function);
  void addFunctionResults(func::FuncOp function);
  ReportedValue entryOf(Value value, func::FuncOp function) const;
  void addValue(ReportedValue entry);
  /// Adds the entries of `value`, or of what it stands for, to the operands.
  void addOperand(Value value, ReportedValue &entry) const;
  /// The extents of a global tensor as expressions; nullopt where the
  /// arguments do not give one.
  std::optional<std::vector<SizeExpr>> shapeFormula(Value tensor,
                                                    RankedTensorType type);
  /// `bytes` are those of one element.
  void addFormulas(const Mesh &mesh, int64_t bytes, ReportedCollective &entry);
  void addStep(Operation *op, const CollectiveStep &step, const Mesh &mesh,
               const Mesh &toMesh, RankedTensorType type, ReasonAttr reason);

  ModuleOp module;
  MeshTable meshes;
  bool isLocal; ///< local programs have no provenance
  PackingCache packing;
  ProgramReport report;
  /// Entries of the report's values, but for results of functions.
  llvm::DenseMap<Value, int64_t> indices;
  /// Bytes alive at the ops of the current function's body.
  llvm::DenseMap<Operation *, int64_t> aliveAt;
  ExecutedSteps executed;
  bool assumes = false; ///< some figure depends on an unknown size (P6)
  std::unique_ptr<Extents> extents;         ///< of the current function
  std::optional<NotShardedReasons> reasons; ///< of the current function
  std::string prefix; ///< of the names of its sizes, in a module of several
  /// The distinct steps of the module. Their sum has no formula where one of
  /// them has none or they are more than kMaxSteps.
  std::map<std::string, SymbolicStep> steps;
  std::map<std::string, std::optional<SizeExpr>> stepFormulas;
  bool sumHasFormula = true;
  bool isSymbolic = false; ///< some size is unknown
  static constexpr size_t kMaxSteps = 48;
  int64_t peak = 0;
  bool peakIsKnown = true; ///< false on shards of unknown extent and on buffers
};

} // namespace

static std::string nameOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  return "";
}

std::optional<int64_t> shardir::executionsOf(Operation *op) {
  int64_t times = 1;
  for (Operation *parent = op->getParentOp();
       parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (!loop)
      continue;
    std::optional<SmallVector<OpFoldResult>> lower = loop.getLoopLowerBounds(),
                                             upper = loop.getLoopUpperBounds(),
                                             step = loop.getLoopSteps();
    if (!lower || !upper || !step)
      return std::nullopt;
    for (auto [l, u, s] : llvm::zip(*lower, *upper, *step)) {
      auto low = getConstantIntValue(l), high = getConstantIntValue(u),
           by = getConstantIntValue(s);
      if (!low || !high || !by || *by <= 0)
        return std::nullopt;
      times *= std::max<int64_t>(0, llvm::divideCeil(*high - *low, *by));
    }
  }
  return times;
}

/// An expression of Extents.h.
static std::optional<SizeExpr> readExtent(Attribute extent,
                                          const std::string &prefix) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(extent))
    return SizeExpr(number.getInt());
  auto list = dyn_cast_or_null<ArrayAttr>(extent);
  if (!list)
    return std::nullopt;
  if (list.size() == 2)
    return SizeExpr::named(
        prefix + "arg" + std::to_string(cast<IntegerAttr>(list[0]).getInt()) +
        "_dim" + std::to_string(cast<IntegerAttr>(list[1]).getInt()));
  auto a = readExtent(list[1], prefix), b = readExtent(list[2], prefix);
  if (!a || !b)
    return std::nullopt;
  return llvm::StringSwitch<llvm::function_ref<SizeExpr()>>(
             cast<StringAttr>(list[0]).getValue())
      .Case("add", [&] { return *a + *b; })
      .Case("sub", [&] { return *a - *b; })
      .Case("mul", [&] { return *a * *b; })
      .Case("div", [&] { return SizeExpr::floorDiv(*a, *b); })
      .Case("rem", [&] { return *a - *b * SizeExpr::floorDiv(*a, *b); })
      .Case("min", [&] { return SizeExpr::min(*a, *b); })
      .Default([&] { return SizeExpr::max(*a, *b); })();
}

std::optional<std::vector<SizeExpr>>
ReportBuilder::shapeFormula(Value tensor, RankedTensorType type) {
  std::vector<SizeExpr> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      shape.push_back(type.getDimSize(dim));
      continue;
    }
    auto extent = extents && tensor
                      ? readExtent(extents->of(tensor, dim), prefix)
                      : std::nullopt;
    if (!extent)
      return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

/// Sets the formula of an assumed figure, if there is one.
static void setFormula(ReportedBytes &figure,
                       const std::optional<SizeExpr> &formula) {
  figure.isAssumed = true;
  if (formula)
    figure.formula = formula->str();
}

void ReportBuilder::addFormulas(const Mesh &mesh, int64_t bytes,
                                ReportedCollective &entry) {
  const CollectiveStep &step = entry.step;
  bool isAssumed = entry.received.isAssumed;
  std::optional<std::vector<SizeExpr>> shape;
  if (entry.toMesh.empty() && entry.op->getNumOperands() > 0)
    shape = shapeFormula(entry.op->getOperand(0), entry.type);
  std::optional<SizeExpr> received, operand, result;
  if (!shape) {
    sumHasFormula = false;
  } else {
    // The parts of a complex number are a dim of their own.
    shape->resize(step.from.dims.size(), 2);
    SymbolicStep own{step, mesh, *shape, bytes, 1};
    std::string key = mesh.name + stringifyCollectiveKind(step.kind) +
                      toString(step.from) + toString(step.to) +
                      toString(step.halo) + "x" + std::to_string(bytes);
    for (const SizeExpr &extent : *shape)
      key += "," + extent.str();
    auto [found, isNew] = stepFormulas.try_emplace(key);
    if (isNew)
      found->second = receivedFormula({own});
    received = found->second;
    operand = localBytesFormula(step.from, mesh, *shape, bytes);
    if (step.halo.empty())
      result = localBytesFormula(step.to, mesh, *shape, bytes);
    own.executions = 0;
    steps.try_emplace(key, own).first->second.executions +=
        executionsOf(entry.op).value_or(1);
    sumHasFormula &=
        received && steps.size() <= kMaxSteps && !isConditional(entry.op);
  }
  if (!isAssumed)
    return;
  setFormula(entry.received, received);
  setFormula(entry.operand, operand);
  setFormula(entry.result, result);
  setFormula(entry.packed, std::nullopt);
}

/// The mesh with the sizes that decisions assume.
static Mesh assumedSizes(const Mesh &mesh) {
  Mesh known = mesh;
  for (MeshAxis &axis : known.axes)
    axis.size = axis.assumedSize();
  return known;
}

void ReportBuilder::addStep(Operation *op, const CollectiveStep &global,
                            const Mesh &symbolicMesh,
                            const Mesh &symbolicToMesh, RankedTensorType type,
                            ReasonAttr reason) {
  if (global.kind == CollectiveKind::Slice ||
      global.kind == CollectiveKind::MakePartial)
    return;
  std::vector<int64_t> shape = shapeOf(type);
  CollectiveStep step = global;
  Type element =
      splitComplex(type.getElementType(), shape, step.from, step.to, step.halo);
  // Unknown sizes count as decisions assume them (P6).
  Mesh mesh = assumedSizes(symbolicMesh), toMesh = assumedSizes(symbolicToMesh);
  bool isAssumed = !symbolicMesh.isConcrete() || !symbolicToMesh.isConcrete();
  for (auto [d, extent] : llvm::enumerate(shape)) {
    if (extent != kUnknown)
      continue;
    isAssumed = true;
    int64_t unit = std::lcm(exactFactor(step.from.dims[d], mesh),
                            exactFactor(step.to.dims[d], toMesh));
    extent = llvm::alignTo(uint64_t(kAssumedDimSize), uint64_t(unit));
  }
  assumes |= isAssumed;
  bool crosses = !(mesh == toMesh);
  ReportedCollective entry;
  entry.op = op;
  entry.step = step;
  entry.mesh = mesh.name;
  if (crosses)
    entry.toMesh = toMesh.name;
  entry.type = type;
  int64_t bytes = elementBytes(element);
  std::optional<int64_t> times = executionsOf(op);
  report.isLowerBound |= !times;
  auto localBytesOf = [&](ArrayRef<int64_t> local) {
    int64_t all = bytes;
    for (int64_t extent : local)
      all *= extent;
    return all;
  };
  auto raise = [](ReportedBytes &figure, int64_t bytes) {
    figure.bytes = std::max(figure.bytes, bytes);
  };
  if (crosses) {
    for (int64_t p = 0, e = toMesh.numDevices(); p < e; ++p) {
      raise(entry.received, bytesReceived(step, mesh, toMesh, shape, bytes, p));
      raise(entry.result,
            localBytesOf(localShape(step.to, step.halo, toMesh, shape, p)));
    }
  } else {
    DeviceSample sample(mesh);
    sample.add(step, shape);
    for (int64_t own : bytesReceived({step}, mesh, shape, bytes, sample))
      raise(entry.received, own);
    if (step.halo.empty())
      raise(entry.result, localBytesOf(localShape(step.to, mesh, shape, 0)));
    else
      for (int64_t p : sample.positions())
        raise(entry.result,
              localBytesOf(localShape(step.to, step.halo, mesh, shape, p)));
  }
  // The first device has the first block of every cut, which is the longest.
  raise(entry.operand, localBytesOf(localShape(step.from, mesh, shape, 0)));
  executed[op].push_back({step, mesh, toMesh, shape, bytes, times.value_or(1)});
  entry.packed.bytes = packing.get(step, mesh, toMesh, shape, bytes);
  if (crosses)
    entry.groupSize = ranksOfEither(mesh, toMesh).size();
  else
    for (const AxisRef &axis : groupAxes(step, mesh, shape)) {
      entry.axes.push_back(axis);
      entry.groupSize *= axisSize(mesh, axis);
    }
  if (times && !isConditional(op))
    entry.executions = times;
  if (reason) {
    entry.reason = reason.describe();
    std::string change = describeRedistribution(
        global.from, symbolicMesh, global.to, symbolicToMesh, global.halo);
    if (!change.empty())
      entry.reason += ": " + change;
  }
  entry.received.isAssumed = isAssumed;
  if (isSymbolic)
    addFormulas(symbolicMesh, bytes, entry);
  if (auto bucket = op->getAttrOfType<IntegerAttr>(collective::kBucket))
    entry.bucket = bucket.getInt();
  entry.users = findRedistributionUsers(op);
  entry.alternatives = alternativesBehind(op);
  report.collectives.push_back(std::move(entry));
}

void ReportBuilder::addValue(ReportedValue entry) {
  auto type = dyn_cast<RankedTensorType>(entry.type);
  if (!entry.placement || !type)
    return;
  if (entry.name.empty())
    entry.name = nameOf(entry.value.getLoc());
  const Mesh &mesh = meshes.get(entry.placement);
  entry.localBytes.bytes = localBytes(type, entry.placement, meshes);
  if (!mesh.isConcrete() || !type.hasStaticShape()) {
    assumes = true;
    std::optional<SizeExpr> formula;
    if (auto shape = shapeFormula(entry.value, type))
      formula = localBytesFormula(entry.placement.getValue(), mesh, *shape,
                                  elementBytes(type));
    setFormula(entry.localBytes, formula);
  }
  if (!entry.result)
    indices[entry.value] = report.values.size();
  report.values.push_back(std::move(entry));
}

void ReportBuilder::addOperand(Value value, ReportedValue &entry) const {
  if (auto found = indices.find(value); found != indices.end()) {
    if (!llvm::is_contained(entry.operands, found->second))
      entry.operands.push_back(found->second);
    return;
  }
  // A region's argument has no entry: it is what enters the region.
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return;
  Operation *op = argument.getOwner()->getParentOp();
  auto region = asShardableRegion(op);
  if (!region)
    return;
  for (const RegionValueGroup &group : region.getValueGroups())
    if (llvm::is_contained(group.values, value))
      for (OpOperand *operand : group.operands)
        if (operand->getOwner() == op)
          addOperand(operand->get(), entry);
}

/// The type of the global tensor of an argument or result.
static Type globalType(Type type, Attribute attr) {
  if (auto global = dyn_cast_or_null<TypeAttr>(attr))
    return global.getValue();
  return type;
}

ReportedValue ReportBuilder::entryOf(Value value, func::FuncOp function) const {
  ReportedValue entry;
  entry.value = value;
  entry.function = function;
  entry.type = value.getType();
  if (reasons)
    entry.notSharded = reasons->of(value);
  return entry;
}

void ReportBuilder::addArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    ReportedValue entry = entryOf(argument, function);
    entry.name = "arg" + std::to_string(i);
    entry.placement =
        function.getArgAttrOfType<PlacementAttr>(i, ShardIRDialect::kPlacement);
    entry.type = globalType(
        entry.type, function.getArgAttr(i, ShardIRDialect::kGlobalType));
    if (!isLocal)
      entry.provenance = provenanceOf(argument);
    addValue(std::move(entry));
  }
}

/// Adds the collectives that `op` is or will be.
void ReportBuilder::addSteps(Operation *op) {
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op))
    addStep(op, step.getStep(), meshes.get(step.getFrom()),
            meshes.get(step.getTo()), step.getGlobalTensorType(),
            op->getAttrOfType<ReasonAttr>("reason"));
  if (auto manual = dyn_cast<ManualCollectiveOp>(op))
    addStep(op,
            collective::manualStep(
                manual, getResultPlacement(cast<OpResult>(manual.getResult()))),
            meshes.get(manual.getSource()), meshes.get(manual.getTarget()),
            cast<RankedTensorType>(manual.getGlobal()),
            ReasonAttr::ofProgram(op->getContext()));
  auto redistribute = dyn_cast<RedistributeOp>(op);
  if (!redistribute)
    return;
  const Mesh &from = meshes.get(redistribute.getFrom());
  const Mesh &to = meshes.get(redistribute.getTo());
  // As shardir-redistribute-to-collectives plans it by default.
  PlanOptions options;
  options.mode = CostMode::Time;
  options.elementBytes = elementBytes(redistribute.getType());
  auto result = planRedistribute(redistribute.getFrom().getValue(), from,
                                 redistribute.getTo().getValue(), to,
                                 shapeOf(redistribute.getType()),
                                 readHalo(redistribute.getHaloAttr()), options);
  if (auto *plan = std::get_if<CrossMeshPlan>(&result))
    for (size_t i = 0; i < plan->steps.size(); ++i)
      addStep(op, plan->steps[i], i <= plan->crossing ? from : to,
              i < plan->crossing ? from : to, redistribute.getType(),
              redistribute.getReasonAttr());
}

void ReportBuilder::addOpResult(OpResult result, func::FuncOp function) {
  Operation *op = result.getOwner();
  ReportedValue entry = entryOf(result, function);
  entry.op = op->getName().getStringRef();
  entry.placement = getResultPlacement(result);
  if (entry.placement)
    entry.provenance = provenanceOf(result);
  if (auto region = asShardableRegion(op)) {
    for (const RegionValueGroup &group : region.getValueGroups())
      if (llvm::is_contained(group.values, Value(result)))
        for (OpOperand *operand : group.operands)
          addOperand(operand->get(), entry);
  } else {
    for (Value operand : op->getOperands())
      addOperand(operand, entry);
  }
  if (auto alive = aliveAt.find(op); alive != aliveAt.end())
    entry.aliveBytes = alive->second;
  addValue(std::move(entry));
}

void ReportBuilder::addFunctionResults(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    ReportedValue entry = entryOf(terminator->getOperand(i), function);
    entry.name = "result" + std::to_string(i);
    entry.result = i;
    entry.placement = dyn_cast_or_null<PlacementAttr>(
        function.getResultAttr(i, ShardIRDialect::kPlacement));
    entry.type = globalType(
        type, function.getResultAttr(i, ShardIRDialect::kGlobalType));
    if (!isLocal) {
      entry.provenance = provenanceOfResult(function, i);
      addOperand(entry.value, entry);
    }
    addValue(std::move(entry));
  }
}

void ReportBuilder::addFunction(func::FuncOp function) {
  extents =
      isSymbolic && !isLocal ? std::make_unique<Extents>(function) : nullptr;
  if (llvm::range_size(module.getOps<func::FuncOp>()) > 1)
    prefix = json::fixUTF8(function.getSymName()) + "_";
  aliveAt.clear();
  peak = std::max(
      peak, peakMemory(function, meshes, isLocal ? nullptr : &aliveAt).bytes);
  if (!isLocal)
    reasons.emplace(function);
  addArguments(function);
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.hasStaticShape() : !isa<BaseMemRefType>(type);
  };
  function.walk([&](Operation *op) {
    addSteps(op);
    if (isLocal)
      peakIsKnown &= llvm::all_of(op->getOperandTypes(), isKnown) &&
                     llvm::all_of(op->getResultTypes(), isKnown);
    else
      for (OpResult result : op->getResults())
        addOpResult(result, function);
  });
  addFunctionResults(function);
}

ProgramReport ReportBuilder::build() {
  for (const Mesh &mesh : meshes.all()) {
    report.meshes.push_back(mesh);
    isSymbolic |= !mesh.isConcrete();
  }
  for (auto function : module.getOps<func::FuncOp>())
    isSymbolic |= llvm::any_of(function.getArgumentTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && !tensor.hasStaticShape();
    });
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration())
      addFunction(function);
  std::map<int64_t, int64_t> sizes;
  for (const ReportedCollective &entry : report.collectives)
    if (entry.bucket)
      ++sizes[*entry.bucket];
  for (ReportedCollective &entry : report.collectives)
    if (entry.bucket)
      entry.reason +=
          (entry.reason.empty() ? "" : "; ") + std::string("one of ") +
          std::to_string(sizes[*entry.bucket]) + " that travel together";
  ReceivedBytes received = mostReceived(module, executed);
  report.received.bytes = received.bytes;
  report.isLowerBound |= received.isLowerBound;
  if (auto saved =
          module->getAttrOfType<IntegerAttr>(ShardIRDialect::kLayoutSavedBytes))
    report.layoutSavedBytes = saved.getInt();
  if (auto fitted = module->getAttrOfType<DictionaryAttr>(kFittedStates)) {
    for (auto axis : fitted.getAs<ArrayAttr>("axes").getAsRange<StringAttr>())
      report.fittedAxes.push_back(axis.str());
    if (auto bytes = fitted.getAs<IntegerAttr>("peak"))
      report.peakUnfitted = bytes.getInt();
  }
  report.recomputed = module->getAttrOfType<DictionaryAttr>(kRecomputed);
  report.offloaded = module->getAttrOfType<DictionaryAttr>(kOffloaded);
  if (peakIsKnown)
    report.peak = ReportedBytes{peak, assumes};
  if (assumes) {
    std::optional<SizeExpr> sum;
    std::vector<SymbolicStep> all;
    for (const auto &[key, step] : steps)
      all.push_back(step);
    if (isSymbolic && sumHasFormula)
      sum = receivedFormula(all);
    setFormula(report.received, sum);
  }
  return std::move(report);
}

ProgramReport shardir::buildReport(ModuleOp module) {
  return ReportBuilder(module).build();
}
