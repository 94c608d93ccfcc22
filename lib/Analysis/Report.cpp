//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report. Requires placements on every value (the propagated stage or a
// later one) and concrete meshes; changes nothing. Bytes come from the formulas
// of Placement/Collectives.h, which the runtime counts with too.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Report.h"

#include "ShardIR/Analysis/Askers.h"
#include "ShardIR/Analysis/Extents.h"
#include "ShardIR/Analysis/PeakMemory.h"
#include "ShardIR/Analysis/Refusals.h"
#include "ShardIR/Analysis/SymbolicBytes.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Placement/Packing.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace shardir;
namespace json = llvm::json;

std::string shardir::describeLocation(Location loc) {
  std::string text;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = llvm::formatv("{0}:{1}:{2}", file.getFilename().getValue(),
                         file.getLine(), file.getColumn());
    return WalkResult::interrupt();
  });
  return text;
}

namespace {

class ReportBuilder {
public:
  ReportBuilder(ModuleOp module, ReportSources *sources)
      : module(module), meshes(module), sources(sources) {}
  json::Object build();

private:
  void addFunction(func::FuncOp function);
  void addValue(func::FuncOp function, Value value, std::string name,
                PlacementAttr placement, Type type, StringRef op,
                std::string decidedBy, std::string refused);
  std::vector<int64_t> receivedIn(Block &block);
  /// The extents of a whole tensor as expressions; nothing where arguments do
  /// not tell one.
  std::optional<std::vector<SizeExpr>> shapeFormula(Value tensor,
                                                    RankedTensorType type);
  void addFormulas(Operation *op, const CollectiveStep &step, const Mesh &mesh,
                   bool crosses, RankedTensorType type, int64_t bytes,
                   int64_t times, bool isAssumed, json::Object &entry);
  void addStep(Operation *op, const CollectiveStep &step, const Mesh &mesh,
               const Mesh &toMesh, RankedTensorType type, StringAttr reason);

  ModuleOp module;
  MeshTable meshes;
  ReportSources *sources;
  PackingCache packing;
  json::Array values, collectives;
  std::vector<int64_t> received; ///< per rank
  /// Per rank, of each op that moves data; all executions together.
  llvm::DenseMap<Operation *, std::vector<int64_t>> receivedBy;
  bool lowerBound = false;
  bool assumes = false; ///< a figure rests on a size that is not known (P6)
  std::unique_ptr<Extents> extents; ///< of the function at hand
  std::string prefix; ///< of names of its sizes, where there are others
  /// All steps of the module, equal ones once, by what they are; no formula of
  /// their sum where one is not known or they are more than kMaxSteps.
  std::map<std::string, SymbolicStep> steps;
  std::map<std::string, std::optional<SizeExpr>> stepFormulas;
  bool sumHasFormula = true;
  bool isSymbolic = false; ///< some size is not known
  static constexpr size_t kMaxSteps = 48;
  int64_t peak = 0;
  bool peakIsKnown = true; ///< not on shards of unknown extent, nor on buffers
};

} // namespace

static std::string utf8(StringRef text) { return json::fixUTF8(text); }

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

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

/// Whether one of `op`'s regions runs and the others do not.
static bool isBranch(Operation *op) {
  return asShardableRegion(op) && !isa<LoopLikeOpInterface>(op) &&
         op->getNumRegions() > 1;
}

/// Whether `op` may not run at all, as it stands in a branch.
static bool isConditional(Operation *op) {
  while ((op = op->getParentOp()))
    if (isBranch(op))
      return true;
  return false;
}

static void addTo(std::vector<int64_t> &sum, ArrayRef<int64_t> terms) {
  sum.resize(std::max(sum.size(), terms.size()));
  for (auto [all, own] : llvm::zip(sum, terms))
    all += own;
}

/// What each rank receives in a block: of a branch, the least that it can be.
std::vector<int64_t> ReportBuilder::receivedIn(Block &block) {
  std::vector<int64_t> sum;
  for (Operation &op : block) {
    if (auto own = receivedBy.find(&op); own != receivedBy.end())
      addTo(sum, own->second);
    SmallVector<std::vector<int64_t>> regions;
    size_t ranks = 0;
    for (Region &region : op.getRegions()) {
      std::vector<int64_t> &all = regions.emplace_back();
      for (Block &inner : region)
        addTo(all, receivedIn(inner));
      ranks = std::max(ranks, all.size());
    }
    bool branches = isBranch(&op);
    for (std::vector<int64_t> &region : regions) {
      region.resize(ranks);
      if (!branches)
        addTo(sum, region);
    }
    if (!branches)
      continue;
    std::vector<int64_t> least = regions.front();
    for (const std::vector<int64_t> &region : regions) {
      lowerBound |= region != regions.front();
      for (auto [all, own] : llvm::zip(least, region))
        all = std::min(all, own);
    }
    addTo(sum, least);
  }
  return sum;
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

/// Writes figures as formulas where there are some; `assumed` keeps the
/// numbers.
static void setFigure(json::Object &entry, StringRef key,
                      const std::optional<SizeExpr> &formula) {
  auto number = entry.getInteger(key);
  if (!number)
    return;
  if (!entry.getObject("assumed"))
    entry["assumed"] = json::Object();
  (*entry.getObject("assumed"))[key] = *number;
  if (formula)
    entry[key] = formula->str();
}

void ReportBuilder::addFormulas(Operation *op, const CollectiveStep &step,
                                const Mesh &mesh, bool crosses,
                                RankedTensorType type, int64_t bytes,
                                int64_t times, bool isAssumed,
                                json::Object &entry) {
  std::optional<std::vector<SizeExpr>> shape;
  if (!crosses && op->getNumOperands() > 0)
    shape = shapeFormula(op->getOperand(0), type);
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
    steps.try_emplace(key, own).first->second.executions += times;
    sumHasFormula &=
        received && steps.size() <= kMaxSteps && !isConditional(op);
  }
  if (!isAssumed)
    return;
  setFigure(entry, "bytes_per_device", received);
  setFigure(entry, "operand_bytes", operand);
  setFigure(entry, "result_bytes", result);
  setFigure(entry, "packed_bytes", std::nullopt);
}

/// Who asked, and what was compared where something competed.
static void addReasons(Operation *op, json::Object &entry) {
  json::Array askers;
  for (const Asker &asker : findAskers(op))
    askers.push_back(json::Object{{"op", utf8(asker.name)},
                                  {"loc", utf8(describeLocation(asker.loc))}});
  entry["asked_by"] = std::move(askers);
  Alternatives compared = alternativesBehind(op);
  if (compared.all.empty())
    return;
  json::Array list;
  for (const Alternative &each : compared.all)
    list.push_back(json::Object{{"placement", utf8(each.placement)},
                                {"bytes", each.bytes},
                                {"chosen", each.isChosen}});
  entry["alternatives"] = std::move(list);
  entry["alternatives_of"] =
      json::Object{{"op", utf8(compared.name)}, {"loc", utf8(compared.loc)}};
}

/// The mesh with the sizes that decisions assume.
static Mesh assumedSizes(const Mesh &mesh) {
  Mesh known = mesh;
  for (MeshAxis &axis : known.axes)
    axis.size = axis.assumedSize();
  return known;
}

void ReportBuilder::addStep(Operation *op, const CollectiveStep &whole,
                            const Mesh &symbolicMesh,
                            const Mesh &symbolicToMesh, RankedTensorType type,
                            StringAttr reason) {
  if (whole.kind == CollectiveKind::Slice ||
      whole.kind == CollectiveKind::MakePartial)
    return;
  std::vector<int64_t> shape = shapeOf(type);
  CollectiveStep step = whole;
  Type element =
      splitComplex(type.getElementType(), shape, step.from, step.to, step.halo);
  // Sizes that are not known count as decisions assume them (P6).
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
  int64_t bytes = elementBytes(element), most = 0, operand = 0, result = 0;
  std::optional<int64_t> times = executionsOf(op);
  lowerBound |= !times;
  std::vector<int64_t> &received = receivedBy[op];
  bool crosses = !(mesh == toMesh);
  auto product = [&](ArrayRef<int64_t> local) {
    int64_t all = bytes;
    for (int64_t extent : local)
      all *= extent;
    return all;
  };
  for (int64_t p = 0, e = toMesh.numDevices(); p < e; ++p) {
    int64_t own = crosses ? bytesReceived(step, mesh, toMesh, shape, bytes, p)
                          : bytesReceived(step, mesh, shape, bytes, p);
    most = std::max(most, own);
    size_t rank = toMesh.rankAt(p);
    received.resize(std::max(received.size(), rank + 1));
    received[rank] += own * times.value_or(1);
    result = std::max(
        result, product(localShape(step.to, step.halo, toMesh, shape, p)));
  }
  for (int64_t p = 0, e = mesh.numDevices(); p < e; ++p)
    operand = std::max(operand, product(localShape(step.from, mesh, shape, p)));
  int64_t packed = packing.get(step, mesh, toMesh, shape, bytes);
  json::Array axes;
  int64_t group = 1;
  if (crosses)
    group = ranksOfEither(mesh, toMesh).size();
  else
    for (const AxisRef &axis : groupAxes(step, mesh, shape)) {
      axes.push_back(toReportString(axis));
      group *= axisSize(mesh, axis);
    }
  json::Object entry{
      {"kind", stringifyCollectiveKind(step.kind)},
      {"axes", std::move(axes)},
      {"mesh", mesh.name},
      {"group_size", group},
      {"element_type", elementTypeName(type)},
      {"bytes_per_device", most},
      {"contiguous", packed == 0},
      {"packed_bytes", packed},
      {"operand_bytes", operand},
      {"result_bytes", result},
      {"executions", times && !isConditional(op) ? json::Value(*times)
                                                 : json::Value(nullptr)},
      {"function", utf8(op->getParentOfType<func::FuncOp>().getSymName())},
      {"loc", utf8(describeLocation(op->getLoc()))},
      {"reason", reason ? utf8(reason.getValue()) : ""}};
  if (crosses)
    entry["to_mesh"] = toMesh.name;
  if (isSymbolic)
    addFormulas(op, step, symbolicMesh, crosses, type, bytes, times.value_or(1),
                isAssumed, entry);
  if (!step.halo.empty()) {
    json::Array halo;
    for (const DimHalo &own : step.halo)
      halo.push_back(json::Array(numbersOf(own)));
    entry["halo"] = std::move(halo);
  }
  addReasons(op, entry);
  collectives.push_back(std::move(entry));
  if (sources)
    sources->collectives.push_back(op);
}

void ReportBuilder::addValue(func::FuncOp function, Value value,
                             std::string name, PlacementAttr placement,
                             Type type, StringRef op, std::string decidedBy,
                             std::string refused) {
  if (!placement || !isa<RankedTensorType>(type))
    return;
  if (std::string own = nameOf(value.getLoc()); name.empty())
    name = own;
  std::string text;
  llvm::raw_string_ostream(text) << placement;
  assumes |= !cast<RankedTensorType>(type).hasStaticShape() ||
             !meshes.get(placement).isConcrete();
  json::Object entry{{"name", utf8(name)},
                     {"function", utf8(function.getSymName())},
                     {"loc", utf8(describeLocation(value.getLoc()))},
                     {"op", op},
                     {"type", typeText(type)},
                     {"placement", text},
                     {"local_bytes", localBytes(type, placement, meshes)},
                     {"decided_by", utf8(decidedBy)}};
  auto tensor = cast<RankedTensorType>(type);
  const Mesh &mesh = meshes.get(placement);
  if (!mesh.isConcrete() || !tensor.hasStaticShape()) {
    std::optional<SizeExpr> formula;
    if (auto shape = shapeFormula(value, tensor))
      formula = localBytesFormula(placement.getValue(), mesh, *shape,
                                  elementBytes(tensor));
    setFigure(entry, "local_bytes", formula);
  }
  if (!refused.empty())
    entry["refused"] = utf8(refused);
  values.push_back(std::move(entry));
  if (sources)
    sources->values.push_back(value);
}

/// The whole tensor behind a boundary value: its own type before localization.
static Type globalType(Type type, Attribute attr) {
  if (auto global = dyn_cast_or_null<TypeAttr>(attr))
    return global.getValue();
  return type;
}

void ReportBuilder::addFunction(func::FuncOp function) {
  // From there on nobody knows any more who decided.
  bool local = module->hasAttr(ShardIRDialect::kStage);
  extents = isSymbolic && !local && !function.getBody().empty()
                ? std::make_unique<Extents>(function)
                : nullptr;
  if (llvm::range_size(module.getOps<func::FuncOp>()) > 1)
    prefix = utf8(function.getSymName()) + "_";
  std::optional<Refusals> refusals;
  if (!local && !function.isDeclaration())
    refusals.emplace(function);
  auto refused = [&](Value value) {
    return refusals ? refusals->of(value) : std::string();
  };
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    addValue(
        function, argument, "arg" + std::to_string(i),
        function.getArgAttrOfType<PlacementAttr>(i, ShardIRDialect::kPlacement),
        globalType(argument.getType(),
                   function.getArgAttr(i, ShardIRDialect::kGlobalType)),
        "", local ? "" : decidedBy(argument), refused(argument));
  }
  function.walk([&](Operation *op) {
    if (auto step = dyn_cast<collective::CollectiveOpInterface>(op))
      addStep(op, step.getStep(), meshes.get(step.getFrom()),
              meshes.get(step.getTo()), step.getGlobalTensorType(),
              op->getAttrOfType<StringAttr>("reason"));
    if (auto manual = dyn_cast<ManualCollectiveOp>(op)) {
      addStep(op,
              collective::manualStep(manual, getResultPlacement(cast<OpResult>(
                                                 manual.getResult()))),
              meshes.get(manual.getSource()), meshes.get(manual.getTarget()),
              cast<RankedTensorType>(manual.getGlobal()),
              StringAttr::get(op->getContext(), "the program asks for it"));
    }
    if (auto redistribute = dyn_cast<RedistributeOp>(op)) {
      const Mesh &from = meshes.get(redistribute.getFrom());
      const Mesh &to = meshes.get(redistribute.getTo());
      // As shardir-redistribute-to-collectives plans it by default.
      PlanOptions options;
      options.mode = CostMode::Time;
      options.elementBytes = elementBytes(redistribute.getType());
      auto result = planRedistribute(
          redistribute.getFrom().getValue(), from,
          redistribute.getTo().getValue(), to, shapeOf(redistribute.getType()),
          readHalo(redistribute.getHaloAttr()), options);
      if (auto *plan = std::get_if<CrossMeshPlan>(&result))
        for (size_t i = 0; i < plan->steps.size(); ++i)
          addStep(op, plan->steps[i], i <= plan->crossing ? from : to,
                  i < plan->crossing ? from : to, redistribute.getType(),
                  redistribute.getReasonAttr());
    }
    if (local)
      return;
    for (OpResult result : op->getResults())
      addValue(function, result, "", getResultPlacement(result),
               result.getType(), op->getName().getStringRef(),
               decidedBy(result), refused(result));
  });
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto placement = dyn_cast_or_null<PlacementAttr>(
        function.getResultAttr(i, ShardIRDialect::kPlacement));
    Value value = function.getBody().front().getTerminator()->getOperand(i);
    addValue(function, value, "result" + std::to_string(i), placement,
             globalType(type,
                        function.getResultAttr(i, ShardIRDialect::kGlobalType)),
             "", local ? "" : decidedByOfResult(function, i), refused(value));
  }
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.hasStaticShape() : !isa<BaseMemRefType>(type);
  };
  if (local)
    function.walk([&](Operation *op) {
      peakIsKnown &= llvm::all_of(op->getOperandTypes(), isKnown) &&
                     llvm::all_of(op->getResultTypes(), isKnown);
    });
  for (Block &block : function.getBody())
    addTo(received, receivedIn(block));
  peak = std::max(peak, peakMemory(function, meshes).bytes);
}

json::Object ReportBuilder::build() {
  json::Object meshTable;
  for (const Mesh &mesh : meshes.all()) {
    json::Object axes;
    for (const MeshAxis &axis : mesh.axes)
      if (axis.size == kUnknown)
        axes[axis.name] = "?" + std::to_string(axis.assumed);
      else
        axes[axis.name] = axis.size;
    meshTable[mesh.name] = json::Object{{"axes", std::move(axes)}};
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
  int64_t bytes = 0;
  for (int64_t own : received)
    bytes = std::max(bytes, own);
  if (sources)
    sources->received = received;
  auto saved =
      module->getAttrOfType<IntegerAttr>(ShardIRDialect::kLayoutSavedBytes);
  json::Object report{{"version", 1},
                      {"layout_saved_bytes", saved ? saved.getInt() : 0},
                      {"meshes", std::move(meshTable)},
                      {"values", std::move(values)},
                      {"collectives", std::move(collectives)},
                      {"bytes_per_device", bytes},
                      {"peak_bytes_per_device",
                       peakIsKnown ? json::Value(peak) : json::Value(nullptr)}};
  if (lowerBound)
    report["lower_bound"] = true;
  if (assumes) {
    std::optional<SizeExpr> sum;
    std::vector<SymbolicStep> all;
    for (const auto &[key, step] : steps)
      all.push_back(step);
    if (isSymbolic && sumHasFormula)
      sum = receivedFormula(all);
    setFigure(report, "bytes_per_device", sum);
    setFigure(report, "peak_bytes_per_device", std::nullopt);
  }
  return report;
}

json::Object shardir::buildReport(ModuleOp module, ReportSources *sources) {
  return ReportBuilder(module, sources).build();
}
