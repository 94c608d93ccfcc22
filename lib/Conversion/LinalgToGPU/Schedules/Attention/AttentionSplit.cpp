//===- AttentionSplit.cpp - Keys shared by several blocks -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where rows do not fill the chip, several blocks have the same rows and a part
// of the keys each (flash decoding). A part is an attention of its own, whose
// acc, max and sum lie in workspaces; a second kernel merges them, in the order
// of the parts, so that results are the same bits run after run.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;
using namespace shardir;

AttentionProblem shardir::makeParts(KernelEmitter &emit,
                                    const AttentionProblem &problem,
                                    int64_t count) {
  AttentionProblem parts = problem;
  parts.map.reset();
  parts.neighbours = AttentionNeighbours();
  parts.neighbours.zeroAcc = parts.neighbours.lowestMax =
      parts.neighbours.zeroSum = true;
  // One more loop, along which no operand moves.
  parts.partLoop = parts.extents.size();
  Index extent = emit.constant(count);
  parts.extents.push_back(extent);
  parts.outer.loops.push_back(parts.partLoop);
  parts.outer.extents.push_back(extent);
  parts.outer.extent = emit.mul(parts.outer.extent, extent);
  for (NestOperand *operand : {&parts.query, &parts.key, &parts.value})
    operand->strides.push_back(emit.constant(0));
  for (NestOperand &extra : parts.extras)
    extra.strides.push_back(emit.constant(0));

  auto workspace = [&](bool withColumns) {
    NestOperand made;
    made.element = problem.wide;
    made.offset = emit.constant(0);
    made.strides.assign(parts.extents.size(), emit.constant(0));
    Index stride = emit.constant(1);
    SmallVector<const Axis *> axes = {&parts.outer, &parts.rows};
    if (withColumns)
      axes.push_back(&parts.v);
    for (const Axis *axis : llvm::reverse(axes))
      for (int loop : llvm::reverse(axis->loops)) {
        made.strides[loop] = stride;
        stride = emit.mul(stride, parts.extents[loop]);
      }
    made.flat = emit.workspace(made.element, stride);
    return made;
  };
  parts.acc = workspace(true);
  parts.max = workspace(false);
  parts.sum = workspace(false);
  return parts;
}

void shardir::mergeParts(KernelEmitter &emit, const AttentionProblem &problem,
                         const AttentionProblem &parts) {
  constexpr int64_t threads = 128;
  SmallVector<int> loops;
  SmallVector<Index> extents;
  Index total = emit.constant(1);
  for (const Axis *axis : {&problem.outer, &problem.rows, &problem.v})
    for (auto [loop, extent] : llvm::zip(axis->loops, axis->extents)) {
      loops.push_back(loop);
      extents.push_back(extent);
      total = emit.mul(total, extent);
    }
  Index count = parts.extents[parts.partLoop];
  Index zero = emit.constant(0), one = emit.constant(1);
  emit.launch("merge", {emit.ceilDiv(total, threads)}, threads, 0, [&] {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Index here = emit.add(emit.mul(emit.block(0), threads), emit.thread());
    emit.branch(emit.lessThan(here, total), [&] {
      SmallVector<Index> ivs(parts.extents.size(), zero);
      for (auto [loop, iv] : llvm::zip(loops, emit.decode(here, extents)))
        ivs[loop] = iv;
      auto number = [&](double value) -> Value {
        return arith::ConstantOp::create(
            builder, loc, builder.getFloatAttr(problem.wide, value));
      };
      auto read = [&](const NestOperand &operand, Index part) -> Value {
        ivs[parts.partLoop] = part;
        return memref::LoadOp::create(builder, loc, operand.flat,
                                      emit.value(operand.address(emit, ivs)));
      };
      Value lowest = number(-std::numeric_limits<double>::infinity());
      Value max =
          emit.loop(zero, count, one, lowest,
                    [&](Index part, ValueRange carried) -> SmallVector<Value> {
                      return {arith::MaximumFOp::create(
                          builder, loc, carried[0], read(parts.max, part))};
                    })[0];
      Value empty = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::OEQ, max, lowest);
      Value shift =
          arith::SelectOp::create(builder, loc, empty, number(0), max);
      SmallVector<Value> sums = emit.loop(
          zero, count, one, {number(0), number(0)},
          [&](Index part, ValueRange carried) -> SmallVector<Value> {
            Value factor = math::ExpOp::create(
                builder, loc,
                arith::SubFOp::create(builder, loc, read(parts.max, part),
                                      shift));
            return {math::FmaOp::create(builder, loc, read(parts.acc, part),
                                        factor, carried[0]),
                    math::FmaOp::create(builder, loc, read(parts.sum, part),
                                        factor, carried[1])};
          });
      ivs.truncate(problem.extents.size());
      Value first;
      for (int loop : problem.v.loops)
        first = emit.both(first, emit.equal(ivs[loop], zero));
      auto rows = [&] { problem.finishRow(emit, ivs, max, sums[1]); };
      if (first)
        emit.branch(first, rows);
      else
        rows();
      problem.finish(emit, ivs, sums[0], max, sums[1]);
    });
  });
  for (Value buffer : {parts.acc.flat, parts.max.flat, parts.sum.flat})
    memref::DeallocOp::create(emit.builder, emit.loc, buffer);
}
