//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the index arithmetic of one rank, and of everything else what allocates,
// frees, or leads into regions. See BufferPeak.h for what is required and
// guaranteed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Memory/BufferPeak.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>
#include <tuple>

using namespace mlir;
using namespace shardir;

namespace {

/// How often a loop goes around: what the first iteration has made the second
/// one hands on, and the third frees.
constexpr int64_t kTrips = 3;

class RankRun {
public:
  /// Lists what is held where `listAt` bytes are first alive.
  RankRun(const MeshTable &meshes, int64_t rank, BufferUse *use,
          int64_t listAt = 0)
      : meshes(meshes), rank(rank), use(use), listAt(listAt) {}

  /// Arguments and results, which are arguments by now; false where an extent
  /// is not known.
  bool enter(func::FuncOp entry);
  /// False where a size is not known.
  bool run(Block &block);
  MemoryPeak peak;
  /// The bytes alive after each allocation.
  std::vector<int64_t> trace;

private:
  /// The place of this rank in a mesh; ranks that it lacks run as its first.
  int64_t positionIn(const Mesh &mesh) const {
    return std::max<int64_t>(0, mesh.positionOf(rank));
  }
  std::optional<int64_t> get(Value value) const {
    std::optional<int64_t> number = getConstantIntValue(value);
    if (auto found = numbers.find(value); !number && found != numbers.end())
      number = found->second;
    // True is 1, however wide numbers are.
    if (number && value.getType().isInteger(1))
      return *number & 1;
    return number;
  }
  std::optional<int64_t> get(OpFoldResult value) const {
    if (auto known = getConstantIntValue(value))
      return known;
    return get(cast<Value>(value));
  }
  std::optional<int64_t> evaluate(Operation &op) const;
  std::optional<int64_t> extentOf(Value buffer, int64_t dim) const;
  /// The buffer that a view or a value of a region stands for.
  Value rootOf(Value buffer) const;
  void bind(Value inner, Value outer);
  bool visit(Operation &op);
  /// True if something in `op` allocates or frees.
  bool allocates(Operation &op);
  bool visitFor(scf::ForOp loop);
  bool visitWhile(scf::WhileOp loop);
  bool visitBranches(Operation &op);

  const MeshTable &meshes;
  int64_t rank;
  BufferUse *use;
  int64_t listAt;
  int64_t alive = 0;
  int64_t most = 0; ///< alive since the op began that is run
  llvm::DenseMap<Value, int64_t> numbers;
  llvm::DenseMap<Value, SmallVector<int64_t>> shapes;
  /// Which allocation a value is: one in a loop makes another each time.
  llvm::DenseMap<Value, int64_t> instances;
  /// The allocations that are alive, by instance.
  llvm::MapVector<int64_t, HeldValue> allocated;
  SmallVector<HeldValue> arguments;
  int64_t nextInstance = 1;
  llvm::DenseMap<Operation *, bool> known; ///< allocates
};

} // namespace

bool RankRun::enter(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    // A result in place has the memory of an argument.
    if (!type ||
        entry.getArgAttr(argument.getArgNumber(), ShardIRDialect::kInPlace))
      continue;
    SmallVector<int64_t> shape(type.getShape());
    auto global = entry.getArgAttrOfType<TypeAttr>(argument.getArgNumber(),
                                                   ShardIRDialect::kGlobalType);
    auto placement = entry.getArgAttrOfType<PlacementAttr>(
        argument.getArgNumber(), ShardIRDialect::kPlacement);
    if (!type.hasStaticShape()) {
      auto tensor = global ? dyn_cast<RankedTensorType>(global.getValue())
                           : RankedTensorType();
      if (!tensor || !tensor.hasStaticShape() || !placement ||
          tensor.getRank() != type.getRank())
        return false;
      const Mesh &mesh = meshes.get(placement);
      shape = llvm::to_vector(localShape(placement.getValue(), mesh,
                                         shapeOf(tensor), positionIn(mesh)));
    }
    int64_t bytes = elementBytes(
        RankedTensorType::get(type.getShape(), type.getElementType()));
    for (int64_t extent : shape)
      bytes *= extent;
    alive += bytes;
    arguments.push_back({argument, bytes});
    shapes[argument] = shape;
  }
  peak.bytes = alive;
  trace.push_back(alive);
  if (alive == listAt)
    peak.held = arguments;
  return true;
}

Value RankRun::rootOf(Value buffer) const {
  while (true) {
    if (auto parts = buffer.getDefiningOp<memref::ExtractStridedMetadataOp>()) {
      buffer = parts.getSource();
      continue;
    }
    auto view = buffer.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return buffer;
    buffer = view.getViewSource();
  }
}

std::optional<int64_t> RankRun::extentOf(Value buffer, int64_t dim) const {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto found = shapes.find(buffer); found != shapes.end())
    return found->second[dim];
  Operation *op = buffer.getDefiningOp();
  if (auto cast = dyn_cast_or_null<memref::CastOp>(op))
    return extentOf(cast.getSource(), dim);
  if (auto view = dyn_cast_or_null<memref::SubViewOp>(op)) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    int64_t source = 0;
    for (int64_t left = dim; dropped.test(source) || left-- > 0;)
      ++source;
    return get(view.getMixedSizes()[source]);
  }
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(op))
    return get(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(op)) {
    int64_t product = 1;
    for (int64_t part : collapse.getReassociationIndices()[dim]) {
      auto own = extentOf(collapse.getSrc(), part);
      if (!own)
        return std::nullopt;
      product *= *own;
    }
    return product;
  }
  return std::nullopt;
}

std::optional<int64_t> RankRun::evaluate(Operation &op) const {
  using Result = std::optional<int64_t>;
  if (auto axis = dyn_cast<AxisIndexOp>(op)) {
    for (const Mesh &mesh : meshes.all())
      if (mesh.name == axis.getMesh())
        return mesh.coordinates(
            positionIn(mesh))[size_t(mesh.axisIndex(axis.getAxis().str()))];
    return std::nullopt;
  }
  if (auto query = dyn_cast<memref::DimOp>(op)) {
    auto dim = get(query.getIndex());
    return dim ? extentOf(query.getSource(), *dim) : Result();
  }
  // A deallocation compares buffers.
  if (auto pointer = dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(op))
    return instances.lookup(rootOf(pointer.getSource()));
  SmallVector<int64_t> v;
  for (Value operand : op.getOperands()) {
    auto own = get(operand);
    if (!own)
      return std::nullopt;
    v.push_back(*own);
  }
  auto map = [&](AffineMap map) {
    SmallVector<Attribute> operands, results;
    for (int64_t number : v)
      operands.push_back(Builder(op.getContext()).getIndexAttr(number));
    SmallVector<int64_t> values;
    if (succeeded(map.constantFold(operands, results)))
      for (Attribute result : results)
        values.push_back(cast<IntegerAttr>(result).getInt());
    return values;
  };
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](arith::AddIOp) { return v[0] + v[1]; })
      .Case([&](arith::SubIOp) { return v[0] - v[1]; })
      .Case([&](arith::MulIOp) { return v[0] * v[1]; })
      .Case([&](arith::AndIOp) { return v[0] & v[1]; })
      .Case([&](arith::OrIOp) { return v[0] | v[1]; })
      .Case([&](arith::XOrIOp) { return v[0] ^ v[1]; })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return std::min(v[0], v[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return std::max(v[0], v[1]); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>([&](auto) {
        return v[1] > 0 && v[0] >= 0 ? Result(v[0] / v[1]) : Result();
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) {
        return v[1] > 0 && v[0] >= 0 ? Result(v[0] % v[1]) : Result();
      })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) {
        return v[1] > 0 && v[0] >= 0
                   ? Result(int64_t(llvm::divideCeil(v[0], v[1])))
                   : Result();
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(
          [&](auto) { return v[0]; })
      .Case([&](arith::SelectOp) { return v[0] ? v[1] : v[2]; })
      .Case([&](arith::CmpIOp compare) {
        return int64_t(arith::applyCmpPredicate(compare.getPredicate(),
                                                APInt(64, v[0], true),
                                                APInt(64, v[1], true)));
      })
      .Case([&](affine::AffineApplyOp apply) {
        auto values = map(apply.getAffineMap());
        return values.size() == 1 ? Result(values[0]) : Result();
      })
      .Case([&](affine::AffineMinOp least) {
        auto values = map(least.getMap());
        return values.empty() ? Result() : *llvm::min_element(values);
      })
      .Case([&](affine::AffineMaxOp most) {
        auto values = map(most.getMap());
        return values.empty() ? Result() : *llvm::max_element(values);
      })
      .Default([](Operation *) { return Result(); });
}

void RankRun::bind(Value inner, Value outer) {
  if (isa<BaseMemRefType>(inner.getType())) {
    Value root = rootOf(outer);
    SmallVector<int64_t> shape;
    auto type = dyn_cast<MemRefType>(outer.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (auto extent = extentOf(outer, dim))
        shape.push_back(*extent);
    if (type && int64_t(shape.size()) == type.getRank())
      shapes[inner] = shape;
    else
      shapes.erase(inner);
    // The buffer at this point, for the value may be another one later.
    int64_t instance = instances.lookup(root);
    instances[inner] = instance;
  } else if (auto number = get(outer)) {
    numbers[inner] = *number;
  } else {
    numbers.erase(inner);
  }
}

bool RankRun::allocates(Operation &op) {
  auto [found, isNew] = known.try_emplace(&op, false);
  if (isNew)
    found->second =
        op.walk([&](Operation *inner) {
            return WalkResult(failure(
                isa<memref::AllocOp, memref::DeallocOp, func::CallOp>(inner)));
          }).wasInterrupted();
  return found->second;
}

bool RankRun::visitFor(scf::ForOp loop) {
  auto from = get(loop.getLowerBound()), to = get(loop.getUpperBound()),
       by = get(loop.getStep());
  int64_t trips = kTrips;
  if (from && to && by && *by > 0)
    trips = std::min<int64_t>(
        kTrips, *to > *from ? int64_t(llvm::divideCeil(*to - *from, *by)) : 0);
  for (auto [result, init] : llvm::zip(loop.getResults(), loop.getInitArgs()))
    bind(result, init);
  if (!allocates(*loop))
    return true;
  for (int64_t i = 0; i < trips; ++i) {
    if (from && by)
      numbers[loop.getInductionVar()] = *from + i * *by;
    for (auto [argument, present] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      bind(argument, present);
    if (!run(*loop.getBody()))
      return false;
    for (auto [result, yielded] :
         llvm::zip(loop.getResults(), loop.getYieldedValues()))
      bind(result, yielded);
  }
  return true;
}

bool RankRun::visitWhile(scf::WhileOp loop) {
  for (auto [argument, init] :
       llvm::zip(loop.getBeforeArguments(), loop.getInits()))
    bind(argument, init);
  for (int i = 0; i < kTrips; ++i) {
    if (!run(*loop.getBeforeBody()))
      return false;
    auto values = loop.getConditionOp().getArgs();
    for (auto [argument, result, value] :
         llvm::zip(loop.getAfterArguments(), loop.getResults(), values)) {
      bind(argument, value);
      bind(result, value);
    }
    if (i + 1 == kTrips)
      return true;
    if (!run(*loop.getAfterBody()))
      return false;
    for (auto [argument, value] :
         llvm::zip(loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
      bind(argument, value);
  }
  return true;
}

bool RankRun::visitBranches(Operation &op) {
  std::optional<RankRun> largest;
  auto known = isa<scf::IfOp>(op) ? get(cast<scf::IfOp>(op).getCondition())
                                  : std::nullopt;
  for (Region &region : op.getRegions()) {
    // The first region is for what holds.
    if (known && (*known != 0) == (region.getRegionNumber() == 1))
      continue;
    RankRun side = *this;
    if (!region.empty()) {
      if (!side.run(region.front()))
        return false;
      Operation *end = region.front().getTerminator();
      if (end->getNumOperands() == op.getNumResults())
        for (auto [result, yielded] :
             llvm::zip(op.getResults(), end->getOperands()))
          side.bind(result, yielded);
    }
    // By what it needs, then by what it leaves: a free that may not happen does
    // not count.
    if (!largest || std::tie(side.peak.bytes, side.alive) >
                        std::tie(largest->peak.bytes, largest->alive))
      largest.emplace(std::move(side));
  }
  if (!largest)
    return true;
  peak = largest->peak;
  trace = largest->trace;
  alive = largest->alive;
  most = largest->most;
  numbers = std::move(largest->numbers);
  shapes = std::move(largest->shapes);
  instances = std::move(largest->instances);
  allocated = std::move(largest->allocated);
  nextInstance = largest->nextInstance;
  return true;
}

static void recordMost(int64_t &record, int64_t bytes) {
  record = std::max(record, bytes);
}

bool RankRun::visit(Operation &op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    SmallVector<int64_t> shape;
    MemRefType type = alloc.getType();
    int64_t bytes = elementBytes(
        RankedTensorType::get(type.getShape(), type.getElementType()));
    unsigned next = 0;
    for (int64_t extent : type.getShape()) {
      if (ShapedType::isDynamic(extent)) {
        auto known = get(alloc.getDynamicSizes()[next++]);
        if (!known)
          return false;
        extent = *known;
      }
      shape.push_back(extent);
      bytes *= extent;
    }
    bytes = llvm::alignTo(uint64_t(bytes), 64);
    shapes[alloc] = shape;
    instances[alloc] = nextInstance;
    allocated[nextInstance++] = {alloc, bytes};
    alive += bytes;
    trace.push_back(alive);
    most = std::max(most, alive);
    if (use)
      recordMost(use->allocated[&op], bytes);
    if (alive <= peak.bytes)
      return true;
    peak = {alive, &op};
    if (alive == listAt) {
      peak.held = arguments;
      llvm::append_range(peak.held, llvm::make_second_range(allocated));
    }
    return true;
  }
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    int64_t instance = instances.lookup(rootOf(dealloc.getMemref()));
    alive -= allocated.lookup(instance).bytes;
    allocated.erase(instance);
    return true;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return visitBranches(op);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isDeclaration())
      return true;
    for (auto [argument, operand] :
         llvm::zip(callee.getArguments(), call.getOperands()))
      bind(argument, operand);
    return !callee.getBody().hasOneBlock() || run(callee.getBody().front());
  }
  // All threads of a device do the same work: the first stands for them.
  if (isa<scf::ParallelOp, scf::ForallOp>(op)) {
    auto loop = cast<LoopLikeOpInterface>(op);
    for (auto [index, from] :
         llvm::zip(*loop.getLoopInductionVars(), *loop.getLoopLowerBounds()))
      if (auto number = get(from))
        numbers[index] = *number;
    return !allocates(op) || run(op.getRegion(0).front());
  }
  if (op.getNumResults() == 1 && op.getResult(0).getType().isIntOrIndex()) {
    if (auto number = evaluate(op))
      numbers[op.getResult(0)] = *number;
    else
      numbers.erase(op.getResult(0));
  }
  if (auto parts = dyn_cast<memref::ExtractStridedMetadataOp>(op))
    for (auto [dim, size] : llvm::enumerate(parts.getSizes())) {
      if (auto extent = extentOf(parts.getSource(), dim))
        numbers[size] = *extent;
      else
        numbers.erase(size);
    }
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<BaseMemRefType>(select.getType()))
    bind(select, select.getTrueValue());
  return true;
}

bool RankRun::run(Block &block) {
  for (Operation &op : block) {
    int64_t outer = std::exchange(most, alive);
    if (!visit(op))
      return false;
    if (use)
      recordMost(use->alive[&op], most);
    most = std::max(most, outer);
  }
  return true;
}

namespace {

/// Runs of the devices of one mesh. Extents of shards are constant over ranges
/// of coordinates (full, short and empty blocks), so that most devices allocate
/// what their neighbours do.
class DeviceRuns {
public:
  DeviceRuns(func::FuncOp entry, const MeshTable &meshes, const Mesh &mesh,
             BufferUse *use)
      : entry(entry), meshes(meshes), mesh(mesh), use(use) {
    for (const MeshAxis &axis : mesh.axes)
      values.push_back({0, std::min<int64_t>(1, axis.size - 1), axis.size / 2,
                        std::max<int64_t>(0, axis.size - 2), axis.size - 1});
  }

  /// Adds coordinates between two that allocate differently, until these are
  /// neighbours. False where most devices differ or an extent is not known.
  bool refine() {
    for (bool isNew = true; isNew;) {
      isNew = false;
      if (size() > mesh.numDevices() / 2)
        return false;
      std::vector<int64_t> grid = positions();
      for (int64_t position : grid)
        if (!add(position))
          return false;
      int64_t stride = 1;
      for (size_t i = mesh.axes.size(); i-- > 0; stride *= mesh.axes[i].size) {
        std::set<int64_t> between;
        for (int64_t position : grid) {
          int64_t at = position / stride % mesh.axes[i].size;
          auto next = values[i].upper_bound(at);
          if (next == values[i].end() || *next == at + 1)
            continue;
          int64_t other = position + (*next - at) * stride;
          if (runs.at(position).first != runs.at(other).first)
            between.insert((at + *next) / 2);
        }
        isNew |= !between.empty();
        values[i].merge(between);
        if (isNew)
          break; // the grid is another one
      }
    }
    return true;
  }

  /// A rank that needs most.
  int64_t mostRank() const {
    auto isLess = [](const auto &a, const auto &b) {
      return a.second.second < b.second.second;
    };
    return mesh.rankAt(
        std::max_element(runs.begin(), runs.end(), isLess)->first);
  }

private:
  int64_t size() const {
    int64_t count = 1;
    for (const std::set<int64_t> &own : values)
      count *= own.size();
    return count;
  }

  std::vector<int64_t> positions() const {
    std::vector<int64_t> result = {0};
    for (auto [axis, own] : llvm::zip(mesh.axes, values)) {
      std::vector<int64_t> longer;
      for (int64_t prefix : result)
        for (int64_t value : own)
          longer.push_back(prefix * axis.size + value);
      result = std::move(longer);
    }
    return result;
  }

  bool add(int64_t position) {
    auto [it, isNew] = runs.try_emplace(position);
    if (!isNew)
      return true;
    RankRun run(meshes, mesh.rankAt(position), use);
    if (!run.enter(entry) || !run.run(entry.getBody().front()))
      return false;
    it->second = {std::move(run.trace), run.peak.bytes};
    return true;
  }

  func::FuncOp entry;
  const MeshTable &meshes;
  const Mesh &mesh;
  BufferUse *use;
  std::vector<std::set<int64_t>> values; ///< coordinates, by axis
  /// By position: the bytes alive after each allocation, and the most of them.
  std::map<int64_t, std::pair<std::vector<int64_t>, int64_t>> runs;
};

} // namespace

std::optional<MemoryPeak> shardir::bufferPeak(func::FuncOp entry,
                                              const MeshTable &meshes,
                                              BufferUse *use) {
  if (!entry.getBody().hasOneBlock())
    return std::nullopt;
  int64_t ranks = 1;
  for (const Mesh &mesh : meshes.all()) {
    if (!mesh.isConcrete())
      return std::nullopt;
    ranks = std::max(ranks, mesh.numRanks());
  }
  auto peakOf = [&](int64_t rank, int64_t listAt) -> std::optional<MemoryPeak> {
    RankRun run(meshes, rank, use, listAt);
    if (!run.enter(entry) || !run.run(entry.getBody().front()))
      return std::nullopt;
    return std::move(run.peak);
  };
  // Ranks to compare: most devices of a large mesh allocate the same.
  constexpr int64_t kFewRanks = 64;
  int64_t first = 0, end = ranks;
  if (meshes.all().size() == 1 && ranks > kFewRanks) {
    DeviceRuns runs(entry, meshes, meshes.all().front(), use);
    if (runs.refine()) {
      first = runs.mostRank();
      end = first + 1;
    }
  }
  MemoryPeak most;
  int64_t mostRank = first;
  for (int64_t rank = first; rank < end; ++rank) {
    std::optional<MemoryPeak> own = peakOf(rank, /*listAt=*/0);
    if (!own)
      return std::nullopt;
    if (own->bytes > most.bytes) {
      most = *own;
      mostRank = rank;
    }
  }
  most = peakOf(mostRank, most.bytes).value_or(most);
  sortHeld(most.held);
  return most;
}
