//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: collective. See RecomputeStacks.h for what is required and guaranteed.
//
// The loop writes row i of the stack in iteration i, whole, so that a reader of
// row j can repeat what iteration j did.
//
//===----------------------------------------------------------------------===//

#include "RecomputeStacks.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Interfaces/ShardableRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace shardir;

/// The most ops that are repeated for one value: more are several layers.
static constexpr size_t kMostOps = 1024;

namespace {

struct Stack {
  scf::ForOp loop;
  unsigned number; ///< among the tensors that the loop carries
  tensor::InsertSliceOp write;
  /// The value that an iteration keeps: the row, or the value of which the row
  /// is a copy with a leading dim.
  Value element;
  SmallVector<tensor::ExtractSliceOp> reads;
  int64_t bytes;
  bool isKept = true;

  OpResult result() const { return scf::ForOp(loop)->getOpResult(number); }
  /// The value that an iteration writes.
  Value row() const { return tensor::InsertSliceOp(write).getSource(); }
};

/// Ops of a loop's body, and their cost in one iteration.
struct Slice {
  llvm::SetVector<Operation *> ops;
  RepeatCost cost;
};

/// The stacks of one loop.
class LoopStacks {
public:
  LoopStacks(scf::ForOp loop, const MeshTable &meshes);

  std::vector<Stack> &all() { return stacks; }
  /// The ops that a reader of `stack` would repeat if it were not kept; nothing
  /// if that is impossible.
  std::optional<Slice> sliceOf(const Stack &stack, const MeshTable &meshes,
                               const DeviceRates &rates);
  /// Repeats the ops of stacks that are not kept in front of their readers, and
  /// takes these stacks out of the loop.
  void apply();

private:
  /// Repeats ops in front of the first reader of a row.
  struct Reader {
    OpBuilder builder;
    IRMapping again; ///< values of the loop's body, in the row's iteration
  };

  bool visit(Value value, Slice &slice);
  const Stack *stackOf(Value value) const;
  Value makeAgain(Value value, Reader &reader);
  Value readRow(const Stack &stack, Value value, Reader &reader);
  void eraseFromLoop();

  scf::ForOp loop;
  std::vector<Stack> stacks;
};

} // namespace

/// Whether `index` is the number of the iteration, in [0, count).
static bool isIteration(Value index, Value number, int64_t count) {
  if (index == number)
    return true;
  Operation *op = index.getDefiningOp();
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
    return isIteration(cast.getIn(), number, count);
  if (auto extract = dyn_cast_or_null<tensor::ExtractOp>(op)) {
    auto made = extract.getTensor().getDefiningOp<tensor::FromElementsOp>();
    return made && made.getElements().size() == 1 &&
           isIteration(made.getElements()[0], number, count);
  }
  if (!isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp>(op))
    return false;
  std::optional<int64_t> bound = getConstantIntValue(op->getOperand(1));
  bool isIdle =
      bound && (isa<arith::MaxSIOp>(op) ? *bound <= 0 : *bound >= count - 1);
  return isIdle && isIteration(op->getOperand(0), number, count);
}

/// The index of the row of a tensor of `shape` that `op` reads or writes, if it
/// is all of one and the index is a value.
static Value rowOf(OffsetSizeAndStrideOpInterface op, ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  if (shape.empty() || offsets.size() != shape.size())
    return {};
  for (auto [d, parts] : llvm::enumerate(llvm::zip_equal(
           offsets, op.getMixedSizes(), op.getMixedStrides()))) {
    auto [offset, size, stride] = parts;
    if (!isConstantIntValue(stride, 1) ||
        !isConstantIntValue(size, d ? shape[d] : 1) ||
        (d && !isConstantIntValue(offset, 0)))
      return {};
  }
  return dyn_cast<Value>(offsets[0]);
}

/// The value of which `value` is a copy with a leading dim of size 1; else
/// `value`.
static Value withoutLeadingDim(Value value) {
  Operation *op = value.getDefiningOp();
  Value source;
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op)) {
    source = expand.getSrc();
  } else if (auto copy = dyn_cast_or_null<linalg::GenericOp>(op);
             copy && copy.getNumDpsInputs() == 1 &&
             copy.getNumDpsInits() == 1) {
    auto yield = cast<linalg::YieldOp>(copy.getBody()->getTerminator());
    unsigned rank = copy.getNumLoops();
    AffineMap identity =
        AffineMap::getMultiDimIdentityMap(rank, op->getContext());
    SmallVector<AffineMap> maps = copy.getIndexingMapsArray();
    if (rank > 0 && copy.getNumParallelLoops() == rank &&
        yield.getOperand(0) == copy.getBody()->getArgument(0) &&
        maps[1] == identity && maps[0] == identity.dropResult(0))
      source = copy.getDpsInputs()[0];
  }
  if (!source)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  auto inner = cast<RankedTensorType>(source.getType());
  bool isUnit = type.getShape().front() == 1 &&
                type.getShape().drop_front() == inner.getShape();
  return isUnit ? source : value;
}

/// Gives the results of `op` the placement of `value`, where there is a mesh.
static void placeAs(Operation *op, Value value) {
  if (PlacementAttr placement = getPlacement(value))
    op->setAttr(ShardIRDialect::kPlacements,
                ArrayAttr::get(op->getContext(), {placement}));
}

/// `value`, a row of a stack, without its leading dim, as `element` is.
static Value dropLeadingDim(OpBuilder &builder, Value value, Value element) {
  auto type = cast<RankedTensorType>(element.getType());
  if (value.getType() == type)
    return value;
  SmallVector<ReassociationIndices> groups(type.getRank());
  for (int64_t d = 0; d <= type.getRank(); ++d)
    if (type.getRank() > 0)
      groups[d ? d - 1 : 0].push_back(d);
  auto collapse = tensor::CollapseShapeOp::create(builder, value.getLoc(), type,
                                                  value, groups);
  placeAs(collapse, element);
  return collapse.getResult();
}

LoopStacks::LoopStacks(scf::ForOp loop, const MeshTable &meshes) : loop(loop) {
  std::optional<int64_t> count = getConstantIntValue(loop.getUpperBound());
  if (!count || !isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1))
    return;
  for (auto [k, argument, yielded, result] :
       llvm::enumerate(loop.getRegionIterArgs(), loop.getYieldedValues(),
                       loop.getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    auto write = yielded.getDefiningOp<tensor::InsertSliceOp>();
    if (!type || !write || write.getDest() != argument ||
        !argument.hasOneUse() || !yielded.hasOneUse() ||
        type.getRank() != write.getSourceType().getRank() ||
        type.getDimSize(0) != *count)
      continue;
    Value row = rowOf(write, type.getShape());
    if (!row || !isIteration(row, loop.getInductionVar(), *count))
      continue;
    SmallVector<tensor::ExtractSliceOp> reads;
    for (Operation *user : result.getUsers()) {
      auto read = dyn_cast<tensor::ExtractSliceOp>(user);
      if (!read || read.getType() != write.getSourceType() ||
          !rowOf(read, type.getShape()))
        break;
      reads.push_back(read);
    }
    if (reads.empty() || !result.hasNUses(reads.size()))
      continue;
    stacks.push_back({loop, unsigned(k), write,
                      withoutLeadingDim(write.getSource()), std::move(reads),
                      localBytes(type, getPlacement(result), meshes)});
  }
}

/// The stack that is kept and holds `value`, or null.
const Stack *LoopStacks::stackOf(Value value) const {
  for (const Stack &stack : stacks)
    if (stack.isKept && (stack.element == value || stack.row() == value))
      return &stack;
  return nullptr;
}

/// Adds the ops that make `value` in the loop's body; false if they cannot be
/// repeated outside of it.
bool LoopStacks::visit(Value value, Slice &slice) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value read = worklist.pop_back_val();
    Region *region = read.getParentRegion();
    if (!loop.getRegion().isAncestor(region) ||
        read == loop.getInductionVar() || stackOf(read))
      continue;
    Operation *op = read.getDefiningOp();
    if (!op || region != &loop.getRegion() || !presentHalo(read).empty() ||
        !(isRepeatable(op) || op->hasTrait<OpTrait::ConstantLike>()))
      return false;
    if (!slice.ops.insert(op))
      continue;
    if (slice.ops.size() > kMostOps)
      return false;
    llvm::append_range(worklist, readsOf(op));
  }
  return true;
}

std::optional<Slice> LoopStacks::sliceOf(const Stack &stack,
                                         const MeshTable &meshes,
                                         const DeviceRates &rates) {
  Stack &mine = stacks[&stack - stacks.data()];
  mine.isKept = false;
  Slice slice;
  bool isPossible = visit(stack.element, slice);
  mine.isKept = true;
  if (!isPossible || slice.ops.empty())
    return std::nullopt;
  for (Operation *op : slice.ops)
    slice.cost += repeatCost(op, meshes, rates);
  return slice;
}

/// `value`, which `stack` holds, read from the row of `reader`.
Value LoopStacks::readRow(const Stack &stack, Value value, Reader &reader) {
  OpResult whole = stack.result();
  tensor::InsertSliceOp write = stack.write;
  SmallVector<OpFoldResult> offsets = write.getMixedOffsets();
  offsets[0] = reader.again.lookup(loop.getInductionVar());
  auto read = tensor::ExtractSliceOp::create(
      reader.builder, value.getLoc(), write.getSourceType(), whole, offsets,
      write.getMixedSizes(), write.getMixedStrides());
  placeAs(read, whole);
  return dropLeadingDim(reader.builder, read, value);
}

/// `value` of the loop's body, as it is in the row's iteration.
Value LoopStacks::makeAgain(Value value, Reader &reader) {
  if (Value known = reader.again.lookupOrNull(value))
    return known;
  if (!loop.getRegion().isAncestor(value.getParentRegion()))
    return value;
  if (const Stack *stack = stackOf(value)) {
    reader.again.map(value, readRow(*stack, value, reader));
    return reader.again.lookup(value);
  }
  Operation *op = value.getDefiningOp();
  for (Value read : readsOf(op))
    makeAgain(read, reader);
  reader.builder.clone(*op, reader.again);
  return reader.again.lookup(value);
}

void LoopStacks::apply() {
  // Readers in one block of rows with one number are one.
  llvm::MapVector<std::pair<Block *, Value>,
                  SmallVector<std::pair<const Stack *, tensor::ExtractSliceOp>>>
      readers;
  for (const Stack &stack : stacks)
    if (!stack.isKept)
      for (tensor::ExtractSliceOp read : stack.reads)
        readers[{read->getBlock(),
                 rowOf(read, read.getSourceType().getShape())}]
            .push_back({&stack, read});
  for (auto &[where, reads] : readers) {
    Operation *first = reads.front().second;
    for (auto [stack, read] : reads)
      if (read->isBeforeInBlock(first))
        first = read;
    Reader reader{OpBuilder(first), {}};
    reader.again.map(loop.getInductionVar(), where.second);
    for (auto [stack, read] : reads) {
      for (Operation *user : llvm::make_early_inc_range(read->getUsers())) {
        if (!isa<tensor::CollapseShapeOp>(user) ||
            user->getResult(0).getType() != stack->element.getType())
          continue;
        user->getResult(0).replaceAllUsesWith(
            makeAgain(stack->element, reader));
        user->erase();
      }
      if (!read->use_empty())
        read.replaceAllUsesWith(makeAgain(stack->row(), reader));
    }
    for (auto [stack, read] : reads)
      read->erase();
  }
  eraseFromLoop();
}

/// Of a list of one attribute for each group of `loop`, those of groups that
/// stay; null where the list is none of that kind.
static ArrayAttr ofKeptGroups(ArrayAttr list, ArrayRef<bool> isKept) {
  if (!list || list.size() != isKept.size())
    return {};
  SmallVector<Attribute> kept;
  for (auto [each, stays] : llvm::zip_equal(list, isKept))
    if (stays)
      kept.push_back(each);
  return ArrayAttr::get(list.getContext(), kept);
}

/// Takes the stacks that are not kept out of what the loop carries.
void LoopStacks::eraseFromLoop() {
  SmallVector<bool> isKept(loop.getNumResults(), true);
  for (const Stack &stack : stacks)
    isKept[stack.number] = stack.isKept;
  auto region = asShardableRegion(loop);
  SmallVector<bool> isGroupKept;
  for (const RegionValueGroup &group : region.getValueGroups())
    isGroupKept.push_back(
        isKept[cast<OpResult>(group.values.back()).getResultNumber()]);

  SmallVector<Value> inits, yielded;
  for (auto [stays, init, value] :
       llvm::zip_equal(isKept, loop.getInitArgs(), loop.getYieldedValues()))
    if (stays) {
      inits.push_back(init);
      yielded.push_back(value);
    }
  OpBuilder builder(loop);
  auto smaller = scf::ForOp::create(
      builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), inits, [](OpBuilder &, Location, Value, ValueRange) {});
  smaller->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (auto placements =
          loop->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements))
    smaller->setAttr(ShardIRDialect::kPlacements,
                     ofKeptGroups(placements, isKept));
  auto decided = loop->getAttrOfType<ArrayAttr>(ShardIRDialect::kDecidedBy);
  if (decided && !decided.empty() && isa<ArrayAttr>(decided[0]))
    smaller->setAttr(ShardIRDialect::kDecidedBy,
                     ofKeptGroups(decided, isGroupKept));
  // Alternatives name groups by number.
  smaller->removeAttr(kAlternatives);

  Block *before = loop.getBody(), *after = smaller.getBody();
  loop.getBody()->getTerminator()->setOperands(yielded);
  for (const Stack &stack : stacks)
    if (!stack.isKept)
      stack.write->erase();
  after->getOperations().splice(after->end(), before->getOperations());
  before->getArgument(0).replaceAllUsesWith(after->getArgument(0));
  unsigned next = 0;
  for (auto [k, stays] : llvm::enumerate(isKept)) {
    if (!stays)
      continue;
    before->getArgument(1 + k).replaceAllUsesWith(after->getArgument(1 + next));
    loop.getResult(k).replaceAllUsesWith(smaller.getResult(next++));
  }
  loop->erase();
}

std::vector<DroppedValue> shardir::recomputeStacks(func::FuncOp function,
                                                   int64_t bytes,
                                                   const MeshTable &meshes,
                                                   const DeviceRates &rates) {
  std::vector<LoopStacks> loops;
  for (auto loop : function.getBody().front().getOps<scf::ForOp>())
    if (LoopStacks stacks(loop, meshes); !stacks.all().empty())
      loops.push_back(std::move(stacks));
  std::vector<DroppedValue> dropped;
  while (bytes > 0) {
    Stack *best = nullptr;
    RepeatCost cost;
    double most = 0;
    for (LoopStacks &stacks : loops)
      for (Stack &stack : stacks.all()) {
        if (!stack.isKept)
          continue;
        std::optional<Slice> slice = stacks.sliceOf(stack, meshes, rates);
        if (!slice)
          continue;
        double rate =
            double(stack.bytes) / std::max(slice->cost.seconds, 1e-12);
        if (rate <= most)
          continue;
        most = rate;
        best = &stack;
        cost = slice->cost;
      }
    if (!best)
      break;
    best->isKept = false;
    bytes -= best->bytes;
    Operation *made = best->element.getDefiningOp();
    double count =
        double(cast<ShapedType>(best->result().getType()).getDimSize(0));
    dropped.push_back({made->getName().getStringRef().str(),
                       made->getLoc(),
                       best->result().getType(),
                       best->bytes,
                       {cost.operations * count, cost.received * count,
                        cost.seconds * count}});
  }
  if (dropped.empty())
    return dropped;
  for (LoopStacks &stacks : loops)
    if (llvm::any_of(stacks.all(), [](Stack &stack) { return !stack.isKept; }))
      stacks.apply();
  // Ops whose values only went into a stack, or were its initial value.
  function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  return dropped;
}
