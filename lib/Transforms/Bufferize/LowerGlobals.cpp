//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires that immutable globals are constants by
// now (shardir-normalize). Guarantees that no ml_program global is left: a
// mutable one is a buffer with one row for each rank, since ranks may be
// threads of one process, and keeps its value from call to call. A load is a
// copy made where it stands, and a store a copy to the row, so that neither
// sees the other's writes; upstream's bufferization stores a buffer that
// nothing was written to.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/DevicePosition.h"
#include "ShardIR/Transforms/Bufferize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shardir {
#define GEN_PASS_DEF_LOWERGLOBALS
#include "ShardIR/Transforms/Bufferize/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct LowerGlobalsPass : shardir::impl::LowerGlobalsBase<LowerGlobalsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<ml_program::GlobalOp> globals(
        module.getOps<ml_program::GlobalOp>());
    if (globals.empty())
      return markAllAnalysesPreserved();
    mesh = largestMesh(module);
    for (ml_program::GlobalOp global : globals)
      if (failed(lower(global)))
        return signalPassFailure();
  }

  /// The position of this rank among all, at the start of its function.
  OpFoldResult rankIn(FunctionOpInterface function) {
    OpBuilder builder =
        OpBuilder::atBlockBegin(&function.getFunctionBody().front());
    if (!mesh)
      return builder.getIndexAttr(0);
    Value &rank = ranks[function];
    if (!rank)
      rank = createDevicePosition(builder, function.getLoc(), mesh);
    return rank;
  }

  /// This rank's row of the buffer `storage`.
  Value rowOf(Operation *op, memref::GlobalOp storage) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto type = cast<MemRefType>(storage.getType());
    Value all =
        memref::GetGlobalOp::create(builder, loc, type, storage.getSymName());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        strides(type.getRank(), builder.getIndexAttr(1)), sizes;
    offsets[0] = rankIn(op->getParentOfType<FunctionOpInterface>());
    for (int64_t extent : type.getShape())
      sizes.push_back(builder.getIndexAttr(extent));
    sizes[0] = builder.getIndexAttr(1);
    auto row = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
        type.getShape().drop_front(), type, offsets, sizes, strides));
    return memref::SubViewOp::create(builder, loc, row, all, offsets, sizes,
                                     strides);
  }

  LogicalResult lower(ml_program::GlobalOp global) {
    SmallVector<Operation *> users;
    getOperation().walk([&](Operation *op) {
      bool uses = false;
      if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
        uses = load.getGlobal().getLeafReference() == global.getSymName();
      else if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
        uses = load.getGlobal().getLeafReference() == global.getSymName();
      else if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op))
        uses = store.getGlobal().getLeafReference() == global.getSymName();
      if (uses)
        users.push_back(op);
    });
    if (users.empty()) {
      global.erase();
      return success();
    }
    auto value = dyn_cast_or_null<DenseElementsAttr>(global.getValueAttr());
    if (!value || value.getType() != global.getType())
      return global.emitOpError("has no value of a known shape in this module, "
                                "but is loaded or stored; give it one");
    auto tensor = cast<RankedTensorType>(global.getType());
    Type element = tensor.getElementType();
    int64_t rows = mesh ? numDevices(mesh) : 1;
    SmallVector<int64_t> shape = {rows};
    llvm::append_range(shape, tensor.getShape());
    auto allType = RankedTensorType::get(shape, element);
    DenseElementsAttr initial;
    if (value.isSplat()) {
      initial = value.resizeSplat(allType);
    } else {
      SmallVector<Attribute> elements;
      for (int64_t row = 0; row < rows; ++row)
        llvm::append_range(elements, value.getValues<Attribute>());
      initial = DenseElementsAttr::get(allType, elements);
    }
    OpBuilder builder(global);
    auto storage = memref::GlobalOp::create(
        builder, global.getLoc(), global.getSymName(),
        builder.getStringAttr("private"), MemRefType::get(shape, element),
        initial, /*constant=*/false,
        /*alignment=*/builder.getI64IntegerAttr(64));
    // Devices need not give each rank one of its own besides.
    storage->setAttr(collective::kRowsOfRanks, builder.getUnitAttr());
    for (Operation *op : users) {
      OpBuilder at(op);
      Location loc = op->getLoc();
      Value row = rowOf(op, storage);
      if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
        bufferization::MaterializeInDestinationOp::create(
            at, loc, TypeRange(), store.getValue(), row, /*restrict=*/true,
            /*writable=*/true);
      } else {
        Value held = bufferization::ToTensorOp::create(at, loc, tensor, row,
                                                       /*restrict=*/true);
        Value copy = bufferization::AllocTensorOp::create(at, loc, tensor,
                                                          ValueRange(), held);
        op->getResult(0).replaceAllUsesWith(copy);
      }
      op->erase();
    }
    global.erase();
    return success();
  }

  MeshOp mesh; ///< null: one device
  llvm::DenseMap<Operation *, Value> ranks;
};

} // namespace
