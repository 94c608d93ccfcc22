//===- RowKernel.cpp - The kernel of a chain over rows --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain is cut into phases: a phase is one pass over the row, and ends where
// a member needs what a reduction of the phase gives. In registers, positions
// past the end of a row read its last vector again and count for nothing, so
// that loads need no branch; the same holds for rows past the last one. In
// parts, each thread comes by the same positions in every phase, so that what
// an earlier phase has written is read by the thread that wrote it.
//
//===----------------------------------------------------------------------===//

#include "RowKernel.h"
#include "../KernelVectorBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

FailureOr<RowKernel> RowKernel::create(KernelEmitter &emit,
                                       const RowChain &chain,
                                       linalg::LinalgOp domain) {
  RowKernel kernel(emit, chain);
  for (const ChainMember &member : chain.members) {
    FailureOr<LoopNest> nest = makeLoopNest(member.op, emit, /*merge=*/false);
    if (failed(nest))
      return failure();
    Member made{member, *nest, {}};
    if (member.kind == Kind::Reduction)
      for (unsigned i = 0; i < nest->results().size(); ++i)
        made.combiners.push_back(*combinerOf(member.op, i));
    if (member.op == domain)
      kernel.extents = nest->extents;
    kernel.members.push_back(made);
  }
  return kernel;
}

Condition RowKernel::alignment(int inner, int64_t lanes) {
  Condition result{true, {}};
  for (const Member &member : members) {
    auto loop = llvm::find(member.member.dims, inner);
    if (loop == member.member.dims.end())
      continue;
    int at = loop - member.member.dims.begin();
    for (const NestOperand &operand : member.nest.operands)
      if (!operand.scalar && operand.isUnit(at))
        result = emitter->both(result, emitter->isAligned(operand, at, lanes));
  }
  // Vectors must not run from one row of the inner column into the next.
  if (chain->columns.size() > 1)
    result = emitter->both(result, emitter->isMultiple(extents[inner], lanes));
  return result;
}

bool RowKernel::isElementwise(Value buffer) const {
  for (const Member &member : members)
    if (llvm::is_contained(member.nest.getOp().getDpsInits(), buffer))
      return member.member.kind == Kind::Elements;
  return false;
}

SmallVector<RowKernel::Phase> RowKernel::phases() {
  SmallVector<Phase> result(1);
  DenseSet<Value> pending;
  for (Member &member : members) {
    linalg::LinalgOp op = member.nest.getOp();
    bool waits = llvm::any_of(op->getOperands(), [&](Value operand) {
      return pending.contains(operand);
    });
    // Rows run before the phase's pass: they must not change what it reads.
    if (member.member.kind == Kind::Rows)
      for (Member *earlier : result.back())
        for (Value init : op.getDpsInits())
          waits |=
              llvm::is_contained(earlier->nest.getOp()->getOperands(), init);
    if (waits) {
      result.emplace_back();
      pending.clear();
    }
    result.back().push_back(&member);
    if (member.member.kind == Kind::Reduction)
      for (Value init : op.getDpsInits())
        pending.insert(init);
  }
  return result;
}

SmallVector<Index> RowKernel::ivsOf(const Member &member) {
  SmallVector<Index> result;
  for (int dim : member.member.dims)
    result.push_back(ivs[dim]);
  return result;
}

Value RowKernel::known(Value buffer) {
  if (Value value = elements.lookup({buffer, chunk}))
    return value;
  if (Value value = rowValues.lookup(buffer))
    return value;
  auto fill = chain->fills.find(buffer);
  if (fill != chain->fills.end() && !written.contains(buffer))
    return linalg::FillOp(fill->second).getInputs()[0];
  return {};
}

/// Sets the ivs of the columns at element `position` of the row.
void RowKernel::setPosition(Index position, int64_t lanes) {
  SmallVector<int> order(chain->columns);
  llvm::erase(order, plan.inner);
  if (order.empty()) {
    ivs[plan.inner] = position;
    return;
  }
  SmallVector<Index> sizes;
  for (int dim : order)
    sizes.push_back(extents[dim]);
  sizes.push_back(emitter->div(extents[plan.inner], lanes));
  SmallVector<Index> at = emitter->decode(emitter->div(position, lanes), sizes);
  for (auto [dim, iv] : llvm::zip(order, at))
    ivs[dim] = iv;
  ivs[plan.inner] = emitter->mul(at.back(), lanes);
}

void RowKernel::emit(const RowPlan &chosen, Condition isAligned) {
  KernelEmitter &emit = *emitter;
  plan = chosen;
  aligned = isAligned;
  Index rows = emit.constant(1);
  columns = emit.constant(1);
  SmallVector<Index> rowExtents;
  for (int dim : chain->rows) {
    rowExtents.push_back(extents[dim]);
    rows = emit.mul(rows, extents[dim]);
  }
  for (int dim : chain->columns)
    columns = emit.mul(columns, extents[dim]);
  vectorEnd = emit.mul(emit.div(columns, plan.lanes), plan.lanes);
  if (aligned.never())
    vectorEnd = emit.constant(0);
  else if (!aligned.always())
    vectorEnd = emit.select(aligned.value, vectorEnd, emit.constant(0));

  // A slot per reduction and warp: no slot is written twice.
  int64_t warps = plan.threads / 32;
  SharedLayout layout;
  if (warps > 1)
    for (const Member &member : members)
      for (unsigned i = 0; i < member.combiners.size(); ++i)
        layout.take(perBlock() * warps *
                    elementBytes(member.nest.results()[i].element));

  SmallVector<Index> grid = {emit.ceilDiv(rows, perBlock())};
  Index partSize;
  if (plan.splits > 1) {
    grid.push_back(emit.constant(plan.splits));
    partSize = emit.roundUp(emit.ceilDiv(columns, plan.splits), plan.lanes);
    for (const NestOperand &result : members.front().nest.results())
      workspaces.push_back(
          emit.workspace(result.element, emit.mul(rows, plan.splits)));
  }
  emit.launch("rows", grid, perBlock() * plan.threads, layout.bytes, [&] {
    lane = emit.rem(emit.thread(), plan.threads);
    Index row = emit.block(0);
    if (perBlock() > 1) {
      row = emit.add(emit.mul(row, perBlock()),
                     emit.div(emit.thread(), plan.threads));
      if (!LoopEmitter::isKnown(emit.rem(rows, perBlock()), 0)) {
        rowExists = emit.lessThan(row, rows);
        row = emit.min(row, emit.sub(rows, emit.constant(1)));
      }
    }
    partStart = emit.constant(0);
    partEnd = columns;
    if (plan.splits > 1) {
      partStart = emit.mul(emit.block(1), partSize);
      partEnd = emit.min(emit.add(partStart, partSize), columns);
    }
    ivs.assign(extents.size(), emit.constant(0));
    for (auto [dim, iv] : llvm::zip(chain->rows, emit.decode(row, rowExtents)))
      ivs[dim] = iv;
    body();
  });
  if (plan.splits > 1)
    combineParts(rows, rowExtents);
}

void RowKernel::combineParts(Index rows, ArrayRef<Index> rowExtents) {
  KernelEmitter &emit = *emitter;
  Member &member = members.front();
  emit.launch("rows_combine", {rows}, 32, 0, [&] {
    for (auto [dim, iv] :
         llvm::zip(chain->rows, emit.decode(emit.block(0), rowExtents)))
      ivs[dim] = iv;
    Index first = emit.mul(emit.block(0), plan.splits);
    for (size_t i = 0; i < member.combiners.size(); ++i) {
      const Combiner &combiner = member.combiners[i];
      const NestOperand &result = member.nest.results()[i];
      SmallVector<Value> sum =
          emit.loop(emit.thread(), emit.constant(plan.splits),
                    emit.constant(32), combiner.identity(emit, result.element),
                    [&](Index part, ValueRange carried) -> SmallVector<Value> {
                      Value value = memref::LoadOp::create(
                          emit.builder, emit.loc, workspaces[i],
                          emit.value(emit.add(first, part)));
                      return {combiner.combine(emit, carried[0], value)};
                    });
      Value full = emit.butterfly(sum[0], 32, [&](Value a, Value b) {
        return combiner.combine(emit, a, b);
      });
      emit.branch(emit.equal(emit.thread(), emit.constant(0)), [&] {
        Value at = emit.value(member.nest.address(emit, result, ivsOf(member)));
        rowValues.clear();
        Value old = known(member.nest.getOp().getDpsInits()[i]);
        if (!old)
          old = memref::LoadOp::create(emit.builder, emit.loc, result.flat, at);
        memref::StoreOp::create(emit.builder, emit.loc,
                                combiner.combine(emit, old, full), result.flat,
                                at);
      });
    }
  });
  for (Value workspace : workspaces)
    memref::DeallocOp::create(emit.builder, emit.loc, workspace);
}

void RowKernel::body() {
  // Inits are read before any thread writes a row's result.
  for (Member &member : members) {
    if (member.member.kind != Kind::Reduction || plan.splits > 1)
      continue;
    linalg::LinalgOp op = member.nest.getOp();
    for (auto [init, operand] :
         llvm::zip(op.getDpsInits(), member.nest.results()))
      if (!known(init) && !isElementwise(init))
        rowValues[init] = memref::LoadOp::create(
            emitter->builder, emitter->loc, operand.flat,
            member.nest.address(*emitter, operand, ivsOf(member)));
  }
  for (auto [number, phase] : llvm::enumerate(phases()))
    runPhase(phase, number);
  if (plan.splits > 1) {
    storeParts();
    return;
  }
  storeRows();
  if (plan.chunks > 0)
    storeElements();
}

bool RowKernel::isAsCached(const Member &member, OpOperand &operand) {
  auto found = cachedMaps.find(operand.get());
  return found == cachedMaps.end() ||
         found->second == domainMap(member, operand);
}

/// The operand's map, from the chain's dims instead of the op's loops.
AffineMap RowKernel::domainMap(const Member &member, OpOperand &operand) {
  MLIRContext *context = operand.getOwner()->getContext();
  SmallVector<AffineExpr> dims;
  for (int dim : member.member.dims)
    dims.push_back(getAffineDimExpr(dim, context));
  linalg::LinalgOp op = member.nest.getOp();
  return op.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(
      dims, {}, extents.size(), 0);
}

SmallVector<Value> RowKernel::boundInputs(const Member &member) {
  linalg::LinalgOp op = member.nest.getOp();
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(isa<MemRefType>(input->get().getType()) &&
                             isAsCached(member, *input)
                         ? known(input->get())
                         : Value());
  return inputs;
}

void RowKernel::runRows(Member &member) {
  linalg::LinalgOp op = member.nest.getOp();
  SmallVector<Value> olds;
  for (Value init : op.getDpsInits())
    olds.push_back(known(init));
  SmallVector<Value> results = runScalarBody(
      *emitter, member.nest, ivsOf(member), boundInputs(member), olds);
  for (auto [init, value] : llvm::zip(op.getDpsInits(), results))
    rowValues[init] = value;
}

void RowKernel::runPhase(const Phase &phase, size_t number) {
  // Rows before elements: no element of this phase feeds them.
  Phase overElements;
  for (Member *member : phase) {
    if (member->member.kind == Kind::Rows)
      runRows(*member);
    else
      overElements.push_back(member);
  }
  if (overElements.empty())
    return;
  if (plan.chunks > 0)
    runPhaseInRegisters(overElements);
  else
    runPhaseInParts(overElements, number);
}

SmallVector<Value> RowKernel::firstSums(const Phase &phase, int64_t lanes) {
  SmallVector<Value> sums;
  for (Member *member : phase)
    for (auto [combiner, operand] :
         llvm::zip(member->combiners, member->nest.results())) {
      Type type = operand.element;
      if (lanes > 1)
        type = VectorType::get(lanes, type);
      sums.push_back(combiner.identity(*emitter, type));
    }
  return sums;
}

void RowKernel::runChunk(const Phase &phase, int64_t lanes,
                         SmallVectorImpl<Value> &sums, Value valid,
                         function_ref<bool(Value)> mustStore) {
  KernelEmitter &emit = *emitter;
  size_t slot = 0;
  for (Member *member : phase) {
    linalg::LinalgOp op = member->nest.getOp();
    Block *block = op.getBlock();
    SmallVector<Index> at = ivsOf(*member);
    int loop = llvm::find(member->member.dims, plan.inner) -
               member->member.dims.begin();
    KernelVectorBody body(emit, member->nest, loop, lanes);
    SmallVector<Value> inputs = boundInputs(*member);
    for (auto [i, value] : llvm::enumerate(inputs)) {
      const NestOperand &operand = member->nest.operands[i];
      if (!value && !operand.scalar && !block->getArgument(i).use_empty()) {
        value = lanes > 1 ? body.loadInput(i, at)
                          : memref::LoadOp::create(
                                emit.builder, emit.loc, operand.flat,
                                member->nest.address(emit, operand, at))
                                .getResult();
        // The same buffer at the same place, as laid by the chain.
        OpOperand &input = *op.getDpsInputOperand(i);
        if (operand.isUnit(loop) && isAsCached(*member, input)) {
          cachedMaps[input.get()] = domainMap(*member, input);
          elements[{input.get(), chunk}] = value;
        }
      }
      if (value && lanes > 1)
        body.bindInput(i, value);
    }
    bool reduces = member->member.kind == Kind::Reduction;
    SmallVector<Value> olds;
    for (auto [i, init] : llvm::enumerate(op.getDpsInits())) {
      Value old;
      if (reduces)
        old = sums[slot + i];
      else if (!block->getArgument(member->nest.numInputs() + i).use_empty()) {
        old = known(init);
        if (!old && lanes > 1)
          old = body.loadResult(i, at, std::nullopt);
      }
      olds.push_back(old);
    }
    SmallVector<Value> results;
    if (lanes > 1) {
      body.loadInputs(at, std::nullopt);
      results = body.run(at, olds, std::nullopt);
      for (Value &result : results)
        result = body.broadcast(result);
    } else {
      results = runScalarBody(emit, member->nest, at, inputs, olds);
    }
    for (auto [i, init] : llvm::enumerate(op.getDpsInits())) {
      if (reduces) {
        Value next = results[i];
        if (valid)
          next = arith::SelectOp::create(emit.builder, emit.loc, valid, next,
                                         sums[slot + i]);
        sums[slot + i] = next;
        continue;
      }
      elements[{init, chunk}] = results[i];
      written.insert(init);
      if (!mustStore(init))
        continue;
      if (lanes > 1)
        body.store(i, results[i], at, std::nullopt);
      else
        memref::StoreOp::create(
            emit.builder, emit.loc, results[i], member->nest.results()[i].flat,
            member->nest.address(emit, member->nest.results()[i], at));
    }
    if (reduces)
      slot += olds.size();
  }
}

void RowKernel::runPhaseInRegisters(const Phase &phase) {
  KernelEmitter &emit = *emitter;
  int64_t total = *LoopEmitter::known(columns);
  SmallVector<Value> sums = firstSums(phase, plan.lanes);
  for (chunk = 0; chunk < plan.chunks; ++chunk) {
    int64_t first = chunk * plan.threads * plan.lanes;
    Index position = emit.add(emit.constant(first), emit.mul(lane, plan.lanes));
    Value valid;
    if (first + plan.threads * plan.lanes > total) {
      valid = emit.lessThan(position, columns);
      position = emit.min(position, emit.constant(total - plan.lanes));
    }
    setPosition(position, plan.lanes);
    runChunk(phase, plan.lanes, sums, valid, [](Value) { return false; });
  }
  finish(phase, sums);
}

void RowKernel::runPhaseInParts(const Phase &phase, size_t number) {
  KernelEmitter &emit = *emitter;
  SmallVector<Phase> all = phases();
  auto mustStore = [&](Value buffer) {
    if (llvm::is_contained(chain->escaping, buffer))
      return true;
    for (const Phase &later : ArrayRef(all).drop_front(number + 1))
      for (Member *member : later)
        if (llvm::is_contained(member->nest.getOp()->getOperands(), buffer))
          return true;
    return false;
  };
  // Whole vectors first, then what is left, element by element.
  SmallVector<Value> sums = firstSums(phase, plan.lanes);
  DenseSet<Value> before = written;
  chunk = 0;
  auto pass = [&](int64_t lanes, Index from, Index to,
                  SmallVector<Value> values) {
    Index start = emit.add(from, emit.mul(lane, lanes));
    return emit.loop(start, to, emit.constant(plan.threads * lanes), values,
                     [&](Index position, ValueRange carried) {
                       SmallVector<Value> next(carried);
                       elements.clear();
                       written = before;
                       setPosition(position, lanes);
                       runChunk(phase, lanes, next, {}, mustStore);
                       return next;
                     });
  };
  if (plan.lanes > 1) {
    sums = pass(plan.lanes, partStart, emit.min(vectorEnd, partEnd), sums);
    size_t slot = 0;
    for (Member *member : phase)
      for (Combiner &combiner : member->combiners) {
        sums[slot] = combiner.reduce(emit, sums[slot]);
        ++slot;
      }
    bool full = aligned.always() &&
                LoopEmitter::isKnown(emit.rem(columns, plan.lanes), 0);
    if (!full)
      sums = pass(1, emit.max(vectorEnd, partStart), partEnd, sums);
  } else {
    sums = pass(1, partStart, partEnd, sums);
  }
  elements.clear();
  finish(phase, sums);
}

Value RowKernel::acrossThreads(const Combiner &combiner, Value value) {
  KernelEmitter &emit = *emitter;
  auto butterfly = [&](Value mine, int64_t width) {
    return emit.butterfly(mine, width, [&](Value a, Value b) {
      return combiner.combine(emit, a, b);
    });
  };
  value = butterfly(value, std::min<int64_t>(plan.threads, 32));
  int64_t warps = plan.threads / 32;
  if (warps <= 1)
    return value;
  Type element = value.getType();
  Value slots =
      emit.shared(element, warps, shared.take(warps * elementBytes(element)));
  Index inWarp = emit.rem(emit.thread(), 32);
  emit.branch(emit.equal(inWarp, emit.constant(0)), [&] {
    memref::StoreOp::create(emit.builder, emit.loc, value, slots,
                            emit.value(emit.div(emit.thread(), 32)));
  });
  emit.barrier();
  Index first = perBlock() == 1
                    ? emit.constant(0)
                    : emit.mul(emit.div(emit.thread(), plan.threads), warps);
  value = memref::LoadOp::create(
      emit.builder, emit.loc, slots,
      emit.value(emit.add(first, emit.rem(inWarp, warps))));
  return butterfly(value, warps);
}

void RowKernel::finish(const Phase &phase, ArrayRef<Value> sums) {
  KernelEmitter &emit = *emitter;
  size_t slot = 0;
  for (Member *member : phase) {
    linalg::LinalgOp op = member->nest.getOp();
    for (auto [combiner, init] :
         llvm::zip(member->combiners, op.getDpsInits())) {
      Value sum = sums[slot++];
      if (isa<VectorType>(sum.getType()))
        sum = combiner.reduce(emit, sum);
      sum = acrossThreads(combiner, sum);
      chunk = -1;
      rowValues[init] =
          plan.splits > 1 ? sum : combiner.combine(emit, known(init), sum);
    }
  }
}

void RowKernel::storeParts() {
  KernelEmitter &emit = *emitter;
  linalg::LinalgOp op = members.front().nest.getOp();
  Index at = emit.add(emit.mul(emit.block(0), plan.splits), emit.block(1));
  emit.branch(emit.equal(lane, emit.constant(0)), [&] {
    for (auto [workspace, init] : llvm::zip(workspaces, op.getDpsInits()))
      memref::StoreOp::create(emit.builder, emit.loc, rowValues.lookup(init),
                              workspace, emit.value(at));
  });
}

std::pair<RowKernel::Member *, unsigned> RowKernel::makerOf(Value buffer) {
  for (Member &member : members) {
    auto inits = member.nest.getOp().getDpsInits();
    auto found = llvm::find(inits, buffer);
    if (found != inits.end())
      return {&member, unsigned(found - inits.begin())};
  }
  return {nullptr, 0};
}

void RowKernel::storeRows() {
  KernelEmitter &emit = *emitter;
  if (llvm::all_of(chain->escaping,
                   [&](Value buffer) { return isElementwise(buffer); }))
    return;
  Value leads = emit.equal(lane, emit.constant(0));
  if (rowExists)
    leads = emit.both(leads, rowExists);
  emit.branch(leads, [&] {
    for (Value buffer : chain->escaping) {
      if (isElementwise(buffer))
        continue;
      auto [member, i] = makerOf(buffer);
      if (!member)
        continue;
      const NestOperand &operand = member->nest.results()[i];
      memref::StoreOp::create(
          emit.builder, emit.loc, rowValues.lookup(buffer), operand.flat,
          member->nest.address(emit, operand, ivsOf(*member)));
    }
  });
}

void RowKernel::storeElements() {
  KernelEmitter &emit = *emitter;
  int64_t total = *LoopEmitter::known(columns);
  for (chunk = 0; chunk < plan.chunks; ++chunk) {
    int64_t first = chunk * plan.threads * plan.lanes;
    Index position = emit.add(emit.constant(first), emit.mul(lane, plan.lanes));
    Value valid = rowExists;
    if (first + plan.threads * plan.lanes > total)
      valid = emit.both(valid, emit.lessThan(position, columns));
    auto store = [&] {
      setPosition(position, plan.lanes);
      for (Value buffer : chain->escaping) {
        Value value = elements.lookup({buffer, chunk});
        if (!value || !isElementwise(buffer))
          continue;
        auto [member, i] = makerOf(buffer);
        if (!member)
          continue;
        int loop = llvm::find(member->member.dims, plan.inner) -
                   member->member.dims.begin();
        SmallVector<Index> at = ivsOf(*member);
        const NestOperand &operand = member->nest.results()[i];
        if (plan.lanes > 1)
          KernelVectorBody(emit, member->nest, loop, plan.lanes)
              .store(i, value, at, std::nullopt);
        else
          memref::StoreOp::create(emit.builder, emit.loc, value, operand.flat,
                                  member->nest.address(emit, operand, at));
      }
    };
    if (valid)
      emit.branch(valid, store);
    else
      store();
  }
}
