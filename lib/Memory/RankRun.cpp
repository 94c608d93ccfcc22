//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RankRun.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "RankRun.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace mlir;
using namespace shardir;

/// How often a loop goes around: what the first iteration has made the second
/// one hands on, and the third frees.
static constexpr int64_t kTrips = 3;

/// The place of `rank` in a mesh; ranks that it lacks run as its first.
static int64_t positionIn(const Mesh &mesh, int64_t rank) {
  return std::max<int64_t>(0, mesh.positionOf(rank));
}

std::optional<std::vector<int64_t>>
shardir::argumentShape(func::FuncOp entry, unsigned number,
                       const MeshTable &meshes, int64_t rank) {
  auto type = cast<MemRefType>(entry.getArgument(number).getType());
  if (type.hasStaticShape())
    return shapeOf(type);
  auto global =
      entry.getArgAttrOfType<TypeAttr>(number, ShardIRDialect::kGlobalType);
  auto placement =
      entry.getArgAttrOfType<PlacementAttr>(number, ShardIRDialect::kPlacement);
  auto tensor = global ? dyn_cast<RankedTensorType>(global.getValue())
                       : RankedTensorType();
  if (!tensor || !tensor.hasStaticShape() || !placement ||
      tensor.getRank() != type.getRank())
    return std::nullopt;
  const Mesh &mesh = meshes.get(placement);
  return localShape(placement.getValue(), mesh, shapeOf(tensor),
                    positionIn(mesh, rank));
}

bool RankRun::enter(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    // A result in place has the memory of an argument.
    if (!type ||
        entry.getArgAttr(argument.getArgNumber(), ShardIRDialect::kInPlace))
      continue;
    mayDiffer |= !type.hasStaticShape();
    std::optional<std::vector<int64_t>> shape =
        argumentShape(entry, argument.getArgNumber(), meshes, rank);
    if (!shape)
      return false;
    int64_t bytes = elementBytes(type.getElementType());
    for (int64_t extent : *shape)
      bytes *= extent;
    alive += bytes;
    trace.insert(trace.end(), {bytes, alive});
    arguments.push_back({argument, bytes});
    shapes[argument] = llvm::to_vector(*shape);
  }
  peak.bytes = alive;
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
    ReassociationIndices parts = collapse.getReassociationIndices()[dim];
    for (int64_t part : parts) {
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
  return numberOnRank(op, v, meshes, rank);
}

std::optional<int64_t> shardir::numberOnRank(Operation &op,
                                             llvm::ArrayRef<int64_t> v,
                                             const MeshTable &meshes,
                                             int64_t rank) {
  using Result = std::optional<int64_t>;
  if (auto axis = dyn_cast<AxisIndexOp>(op)) {
    for (const Mesh &mesh : meshes.all())
      if (mesh.name == axis.getMesh())
        return mesh.coordinates(positionIn(
            mesh, rank))[size_t(mesh.axisIndex(axis.getAxis().str()))];
    return std::nullopt;
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
  mayDiffer |= llvm::any_of(
      ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
      [](Value bound) { return !getConstantIntValue(bound); });
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
  mayDiffer = true;
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
  if (op.getNumResults() == 0 && !allocates(op))
    return true;
  mayDiffer = true;
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
  aliveOnHost = largest->aliveOnHost;
  allocatedOnHost = std::move(largest->allocatedOnHost);
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
        mayDiffer = true;
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
    if (collective::isOnHost(alloc.getResult())) {
      allocatedOnHost[nextInstance++] = bytes;
      aliveOnHost += bytes;
      recordMost(peak.hostBytes, aliveOnHost);
      return true;
    }
    allocated[nextInstance++] = {alloc, bytes};
    alive += bytes;
    trace.insert(trace.end(), {bytes, alive});
    most = std::max(most, alive);
    if (use)
      recordMost(use->allocated[&op], bytes);
    if (alive <= peak.bytes)
      return true;
    peak.bytes = alive;
    peak.op = &op;
    if (alive == listAt) {
      peak.held = arguments;
      llvm::append_range(peak.held, llvm::make_second_range(allocated));
    }
    return true;
  }
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    int64_t instance = instances.lookup(rootOf(dealloc.getMemref()));
    if (auto freed = allocated.find(instance); freed != allocated.end()) {
      alive -= freed->second.bytes;
      allocated.erase(freed);
    }
    if (auto freed = allocatedOnHost.find(instance);
        freed != allocatedOnHost.end()) {
      aliveOnHost -= freed->second;
      allocatedOnHost.erase(freed);
    }
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
