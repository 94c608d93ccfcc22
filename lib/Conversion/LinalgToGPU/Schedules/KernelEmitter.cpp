//===- KernelEmitter.cpp - Short names for emitting kernels ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits gpu, arith and memref ops at the rewriter's place. Launch bodies take
// values of the host as they are: outlining makes them parameters. Guarantees
// that what is known stays a constant.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "ShardIR/Analysis/Fusion.h"
#include "ShardIR/Runtime/Abi.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace shardir;

Value shardir::baseOf(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      view = metadata.getSource();
    else if (isa<memref::SubViewOp, memref::CastOp, memref::ReinterpretCastOp,
                 memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      view = op->getOperand(0);
    else
      break;
  }
  return view;
}

void KernelEmitter::launch(StringRef name, ArrayRef<Index> grid,
                           int64_t threads, int64_t sharedBytes,
                           function_ref<void()> body, int64_t cluster) {
  LaunchShape shape;
  for (auto [dim, extent] : llvm::enumerate(grid))
    shape.grid[dim] = value(extent);
  shape.block[0] = value(constant(threads));
  shape.sharedBytes = sharedBytes;
  shape.cluster[0] = cluster;
  gpu::LaunchOp launch =
      createLaunch(rewriter, loc, opName + "_" + name.str(), shape);
  threadId = launch.getThreadIds().x;
  blockIds[0] = launch.getBlockIds().x;
  blockIds[1] = launch.getBlockIds().y;
  blockIds[2] = launch.getBlockIds().z;
  body();
  rewriter.setInsertionPointAfter(launch);
}

SmallVector<Index> KernelEmitter::decode(Index linear,
                                         ArrayRef<Index> extents) {
  SmallVector<Index> ivs(extents.size(), constant(0));
  SmallVector<unsigned> counted;
  int64_t total = 1;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    auto number = known(extent);
    if (number != 1)
      counted.push_back(dim);
    total = total < 0 || !number || *number > (int64_t(1) << 31) / total
                ? -1
                : std::max<int64_t>(total * *number, 1);
  }
  if (counted.empty())
    return ivs;
  if (counted.size() == 1) {
    ivs[counted[0]] = linear;
    return ivs;
  }
  // A division of 64 bits costs several of 32 bits.
  bool narrow = total > 0 && total < (int64_t(1) << 31);
  Type type = narrow ? Type(builder.getI32Type()) : builder.getIndexType();
  auto convert = [&](Index index) -> Value {
    if (!narrow)
      return value(index);
    if (auto number = known(index))
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(*number));
    return arith::IndexCastOp::create(builder, loc, type, value(index));
  };
  Value rest = convert(linear);
  for (unsigned dim : llvm::reverse(counted)) {
    Value here = rest;
    if (dim != counted.front()) {
      Value extent = convert(extents[dim]);
      here = arith::RemUIOp::create(builder, loc, rest, extent);
      rest = arith::DivUIOp::create(builder, loc, rest, extent);
    }
    if (narrow)
      here = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                        here);
    ivs[dim] = here;
  }
  return ivs;
}

void KernelEmitter::launchOver(
    StringRef name, ArrayRef<Index> extents, int64_t threads,
    function_ref<void(Index, ArrayRef<Index>)> body) {
  Index total = constant(1);
  for (Index extent : extents)
    total = mul(total, extent);
  if (auto count = known(total))
    threads = std::clamp<int64_t>(ceilDivide(*count, 32) * 32, 32, threads);
  launch(name, {ceilDiv(total, threads)}, threads, 0, [&] {
    Index number = add(mul(block(0), threads), thread());
    auto work = [&] { body(number, decode(number, extents)); };
    if (isKnown(rem(total, threads), 0))
      work();
    else
      branch(lessThan(number, total), work);
  });
}

void KernelEmitter::barrier() { gpu::BarrierOp::create(builder, loc); }

Value KernelEmitter::shuffleXor(Value value, int64_t mask) {
  Type type = value.getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  // The instruction moves 32 bits: narrow values travel in a wider word.
  Value word = value;
  if (type.isIndex())
    word =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
  else if (bits < 32) {
    if (isa<FloatType>(type))
      word = arith::BitcastOp::create(builder, loc,
                                      builder.getIntegerType(bits), value);
    word = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), word);
  }
  Value moved = gpu::ShuffleOp::create(builder, loc, word, mask, 32,
                                       gpu::ShuffleMode::XOR)
                    .getShuffleResult();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, moved);
  if (bits >= 32)
    return moved;
  moved = arith::TruncIOp::create(builder, loc, builder.getIntegerType(bits),
                                  moved);
  return isa<FloatType>(type)
             ? arith::BitcastOp::create(builder, loc, type, moved).getResult()
             : moved;
}

Value KernelEmitter::butterfly(Value value, int64_t width,
                               function_ref<Value(Value, Value)> combine) {
  for (int64_t mask = width / 2; mask > 0; mask /= 2)
    value = combine(value, shuffleXor(value, mask));
  return value;
}

Value KernelEmitter::i32(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(int32_t(value)));
}

Value KernelEmitter::cast(Index index, unsigned bits) {
  return arith::IndexCastOp::create(builder, loc, builder.getIntegerType(bits),
                                    value(index));
}

Index KernelEmitter::index(Value integer) {
  if (integer.getType().isIndex())
    return integer;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    integer)
      .getResult();
}

Value KernelEmitter::isWarp(int64_t number) {
  constexpr int64_t warpThreads = 32;
  Value warp = cast(div(thread(), warpThreads), 32);
  warp = gpu::ShuffleOp::create(builder, loc, warp, 0, warpThreads,
                                gpu::ShuffleMode::IDX)
             .getShuffleResult();
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, warp,
                               i32(number));
}

void KernelEmitter::byOneThread(function_ref<void()> body) {
  branch(NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(), Value()),
         body);
}

void KernelEmitter::awaitPhase(Value barrier, Value parity) {
  // Nanoseconds that a thread may sleep before it polls the barrier again.
  constexpr int64_t patience = 10000000;
  NVVM::MBarrierTryWaitParityOp::create(builder, loc, barrier, parity,
                                        i32(patience));
}

Value KernelEmitter::firstElement(const NestOperand &operand) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, operand.flat);
  Index offset = add(metadata.getConstifiedMixedOffset(), operand.offset);
  auto type =
      MemRefType::get({1}, operand.element,
                      StridedLayoutAttr::get(
                          builder.getContext(),
                          known(offset).value_or(ShapedType::kDynamic), {1}));
  return memref::ReinterpretCastOp::create(
      builder, loc, type, metadata.getBaseBuffer(), offset,
      ArrayRef<Index>{constant(1)}, ArrayRef<Index>{constant(1)});
}

Value KernelEmitter::workspace(Type element, Index count) {
  auto size = known(count);
  auto type = MemRefType::get({size.value_or(ShapedType::kDynamic)}, element);
  SmallVector<Value> sizes;
  if (!size)
    sizes.push_back(value(count));
  return memref::AllocOp::create(builder, loc, type, sizes,
                                 builder.getI64IntegerAttr(64));
}

Value KernelEmitter::shared(Type element, int64_t count, int64_t offset) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(),
                               MemRefLayoutAttrInterface(), space);
  Value all = gpu::DynamicSharedMemoryOp::create(builder, loc, bytes);
  auto type =
      MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space);
  return memref::ViewOp::create(builder, loc, type, all,
                                value(constant(offset)), ValueRange());
}

Index KernelEmitter::sharedAddress() {
  Value all = shared(builder.getI8Type(), 1, 0);
  return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, all)
      .getResult();
}

SmallVector<Value>
KernelEmitter::either(Value condition, function_ref<SmallVector<Value>()> then,
                      function_ref<SmallVector<Value>()> otherwise) {
  auto emitting = [&](function_ref<SmallVector<Value>()> body) {
    return [&, body](OpBuilder &, Location) {
      scf::YieldOp::create(builder, loc, body());
    };
  };
  auto branch = scf::IfOp::create(builder, loc, condition, emitting(then),
                                  emitting(otherwise));
  return SmallVector<Value>(branch.getResults());
}

void KernelEmitter::branch(const Condition &condition,
                           function_ref<void()> then,
                           function_ref<void()> otherwise) {
  if (condition.always())
    then();
  else if (condition.never())
    otherwise();
  else
    branch(condition.value, then, otherwise);
}

Index KernelEmitter::exclusiveOr(Index a, Index b) {
  return arith::XOrIOp::create(builder, loc, value(a), value(b)).getResult();
}

Value KernelEmitter::lessEqual(Index a, Index b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return arith::ConstantOp::create(builder, loc,
                                     builder.getBoolAttr(*x <= *y));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                               value(a), value(b));
}

Value KernelEmitter::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc, a, b);
}

Condition KernelEmitter::both(Condition a, Condition b) {
  if (a.never() || b.always())
    return a;
  if (b.never() || a.always())
    return b;
  return {std::nullopt, both(a.value, b.value)};
}

/// A number that divides `value`: of a stride of a contiguous buffer, the
/// product of the static sizes behind it.
static int64_t knownDivisor(Value value) {
  auto metadata = value.getDefiningOp<memref::ExtractStridedMetadataOp>();
  auto type = metadata ? dyn_cast<MemRefType>(metadata.getSource().getType())
                       : MemRefType();
  if (!type || !type.getLayout().isIdentity())
    return 1;
  auto found = llvm::find(metadata.getStrides(), value);
  if (found == metadata.getStrides().end())
    return 1;
  int64_t divisor = 1;
  for (int64_t size : type.getShape().drop_front(
           std::distance(metadata.getStrides().begin(), found) + 1))
    if (!ShapedType::isDynamic(size) && size > 0)
      divisor *= size;
  return divisor;
}

Condition KernelEmitter::isMultiple(Index index, int64_t count) {
  if (count == 1)
    return {true, {}};
  if (auto number = known(index))
    return {*number % count == 0, {}};
  if (knownDivisor(mlir::cast<Value>(index)) % count == 0)
    return {true, {}};
  Value rest = arith::RemUIOp::create(builder, loc, value(index),
                                      value(constant(count)));
  return {std::nullopt, equal(Index(rest), constant(0))};
}

bool shardir::hasAlignedStart(Value view) {
  Value base = baseOf(view);
  if (auto argument = dyn_cast<BlockArgument>(base)) {
    auto type = cast<MemRefType>(base.getType());
    return type.getLayout().isIdentity() &&
           isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  }
  return isa<memref::AllocOp, memref::GetGlobalOp>(base.getDefiningOp());
}

Value KernelEmitter::assembly(Type result, ValueRange operands, StringRef text,
                              StringRef constraints) {
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  return result ? op.getRes() : Value();
}

Value KernelEmitter::pinned(ValueRange values) {
  std::string results, ties;
  for (auto [i, value] : llvm::enumerate(values)) {
    Type type = value.getType();
    results += std::string(i ? "," : "") + (type.isF32()         ? "=f"
                                            : type.isInteger(64) ? "=l"
                                                                 : "=r");
    ties += "," + std::to_string(i);
  }
  auto all = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), llvm::to_vector(values.getTypes()));
  return assembly(all, values, "", results + ties);
}

Condition KernelEmitter::isPointerAligned(const NestOperand &operand,
                                          int64_t bytes) {
  int64_t size = elementBytes(operand.element);
  auto cast = operand.flat.getDefiningOp<memref::ReinterpretCastOp>();
  Index start = cast ? cast.getConstifiedMixedOffset() : constant(0);
  Condition offset = isMultiple(add(start, operand.offset),
                                std::max<int64_t>(bytes / size, 1));
  if (offset.never())
    return offset;
  if (bytes <= SHARDIR_GPU_ALIGNMENT &&
      hasAlignedStart(cast ? cast.getSource() : operand.flat))
    return offset;
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                                 operand.flat);
  return both(offset, isMultiple(Index(address), bytes));
}

Condition KernelEmitter::isAligned(const NestOperand &operand, int loop,
                                   int64_t lanes) {
  if (operand.isUniform(loop))
    return {true, {}};
  Condition result{true, {}};
  for (auto [other, stride] : llvm::enumerate(operand.strides))
    if (static_cast<int>(other) != loop)
      result = both(result, isMultiple(stride, lanes));
  if (result.never())
    return result;
  return both(result,
              isPointerAligned(operand, lanes * elementBytes(operand.element)));
}

SmallVector<Value> shardir::runScalarBody(KernelEmitter &emit,
                                          const LoopNest &nest,
                                          ArrayRef<Index> ivs,
                                          ValueRange inputs, ValueRange olds) {
  linalg::LinalgOp op = nest.getOp();
  Block *body = op.getBlock();
  SmallVector<Value> arguments;
  for (auto [i, operand] : llvm::enumerate(nest.operands)) {
    bool isInput = i < nest.numInputs();
    ValueRange given = isInput ? inputs : olds;
    unsigned at = isInput ? i : i - nest.numInputs();
    if (at < given.size() && given[at])
      arguments.push_back(given[at]);
    else if (operand.scalar)
      arguments.push_back(operand.scalar);
    else if (body->getArgument(i).use_empty())
      arguments.push_back({});
    else
      arguments.push_back(
          memref::LoadOp::create(emit.builder, emit.loc, operand.flat,
                                 nest.address(emit, operand, ivs)));
  }
  SmallVector<Value> iteration;
  for (Index iv : ivs)
    iteration.push_back(op.hasIndexSemantics() ? emit.value(iv) : Value());
  return inlineBody(emit.rewriter, op, iteration, arguments);
}

void shardir::storeRow(KernelEmitter &emit, const NestOperand &operand,
                       Value address, ArrayRef<Value> values) {
  if (values.size() == 1) {
    memref::StoreOp::create(emit.builder, emit.loc, values[0], operand.flat,
                            address);
    return;
  }
  auto type = VectorType::get(values.size(), operand.element);
  Value vector = vector::FromElementsOp::create(emit.builder, emit.loc, type,
                                                SmallVector<Value>(values));
  vector::StoreOp::create(emit.builder, emit.loc, vector, operand.flat,
                          address);
}

int64_t shardir::lanesFor(const LoopNest &nest) {
  int64_t narrowest = 16;
  bool allBytes = true;
  for (const NestOperand &operand : nest.operands) {
    if (operand.scalar)
      continue;
    int64_t size = elementBytes(operand.element);
    narrowest = std::min(narrowest, size);
    allBytes &= size == 1;
  }
  // Many operands of many lanes do not fit into registers.
  int64_t most = allBytes ? 16 : nest.operands.size() > 8 ? 4 : 8;
  return std::clamp<int64_t>(16 / narrowest, 1, most);
}

int64_t shardir::surelyAlignedLanes(KernelEmitter &emit, const LoopNest &nest,
                                    int loop, int64_t vectors) {
  auto extent = LoopEmitter::known(nest.extents[loop]);
  if (!extent)
    return 1;
  for (int64_t lanes = std::min<int64_t>(lanesFor(nest), 8); lanes > 1;
       lanes /= 2) {
    if (*extent % lanes != 0 || *extent < lanes * vectors)
      continue;
    bool fits = llvm::all_of(nest.operands, [&](const NestOperand &operand) {
      return operand.scalar || !operand.isUnit(loop) ||
             emit.isAligned(operand, loop, lanes).always();
    });
    if (fits)
      return lanes;
  }
  return 1;
}

double shardir::bytesOf(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return 0;
  double elements = 1;
  for (int64_t size : type.getShape())
    elements *= double(ShapedType::isDynamic(size) ? assumedExtent : size);
  return elements * double(elementBytes(type.getElementType()));
}

double shardir::bytesMoved(linalg::LinalgOp op) {
  double bytes = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    bool read = op.payloadUsesValueFromOperand(&operand);
    bool written = op.isDpsInit(&operand);
    bytes += bytesOf(operand.get()) * (read + written);
  }
  return bytes;
}

double shardir::secondsOfBody(linalg::LinalgOp op, const GpuTarget &target) {
  // A multiply-add counts as two of the operations that a target is rated by.
  double flops = 2 * double(operationsOf(op));
  for (int64_t extent : assumedLoopExtents(op))
    flops *= double(extent);
  return flops / target.scalarFlops;
}
