//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between a device and its host. Guarantees that what is on the host is
// read by such copies alone.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

static bool isHostBuffer(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && isa_and_present<HostAttr>(type.getMemorySpace());
}

bool collective::isOnHost(Value value) {
  if (isHostBuffer(value))
    return true;
  auto copy = value.getDefiningOp<HostCopyOp>();
  return copy && copy.getToHost();
}

Value collective::readBuffer(Operation *op) {
  if (auto step = dyn_cast<CollectiveOpInterface>(op))
    return step.getOutput() ? step.getInput() : Value();
  auto copy = dyn_cast<HostCopyOp>(op);
  return copy && copy.getDestination() ? copy.getInput() : Value();
}

Value collective::writtenBuffer(Operation *op) {
  if (auto step = dyn_cast<CollectiveOpInterface>(op))
    return step.getOutput();
  auto copy = dyn_cast<HostCopyOp>(op);
  return copy ? copy.getDestination() : Value();
}

LogicalResult HostCopyOp::verify() {
  if (bool(getResult()) == bool(getDestination()))
    return emitOpError("must have either a tensor result or a destination "
                       "buffer");
  auto input = cast<ShapedType>(getInput().getType());
  auto output = cast<ShapedType>(getResult() ? Type(getResult().getType())
                                             : getDestination().getType());
  if (isa<MemRefType>(input) != isa<MemRefType>(output))
    return emitOpError("leads from a tensor to a tensor, or from a buffer into "
                       "a buffer; found an operand of type ")
           << input;
  if (input.getElementType() != output.getElementType() ||
      input.getShape() != output.getShape())
    return emitOpError("needs operand and result of one shape and type, found ")
           << input << " and " << output;
  StringRef expected = getToHost() ? "from the device to the host"
                                   : "from the host to the device";
  if (Value buffer = getDestination()) {
    if (isHostBuffer(getInput()) == getToHost() ||
        isHostBuffer(buffer) != getToHost())
      return emitOpError("leads ")
             << expected << ", where buffers have memory space #shardir.host; "
             << "found " << input << " and " << output;
    return success();
  }
  if (isa_and_present<HostCopyOp>(getInput().getDefiningOp()) &&
      isOnHost(getInput()) == getToHost())
    return emitOpError("leads ")
           << expected << ", but its operand is on the "
           << (getToHost() ? "host" : "device") << " already";
  if (!getToHost())
    return success();
  for (Operation *user : getResult().getUsers())
    if (auto copy = dyn_cast<HostCopyOp>(user); !copy || copy.getToHost()) {
      InFlightDiagnostic diag = emitOpError(
          "has a result on the host, which only a copy back can read");
      diag.attachNote(user->getLoc())
          << "'" << user->getName() << "' reads it; let it read the result of "
          << "collective.host_copy … to device";
      return diag;
    }
  return success();
}

LogicalResult
HostCopyOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  if (!getResult())
    return failure();
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getInput()));
  return success();
}

void HostCopyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getDestination())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getInputMutable());
  effects.emplace_back(MemoryEffects::Write::get(),
                       &getDestinationMutable()[0]);
}
