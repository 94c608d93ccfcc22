//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: LLVM dialect. Requires functions that shardir-gpu-to-host marked;
// guarantees one table for each module of theirs, and that they are internal.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/GpuToHost/Passes.h"

#include "EmulatedThread.h"

#include <map>

namespace shardir {
#define GEN_PASS_DEF_EMULATEDKERNELTABLES
#include "ShardIR/Conversion/GpuToHost/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
struct Kernel {
  LLVM::LLVMFuncOp function;
  StringRef name; ///< as launches say it
  int64_t sharedBytes;
};

struct EmulatedKernelTablesPass
    : shardir::impl::EmulatedKernelTablesBase<EmulatedKernelTablesPass> {
  using Base::Base;

  void runOnOperation() override {
    std::map<int64_t, SmallVector<Kernel>> tables;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      auto mark = function->getAttrOfType<ArrayAttr>(kEmulatedKernel);
      if (!mark)
        continue;
      tables[cast<IntegerAttr>(mark[0]).getInt()].push_back(
          {function, cast<StringAttr>(mark[1]).getValue(),
           cast<IntegerAttr>(mark[2]).getInt()});
    }
    for (auto &[number, kernels] : tables)
      define(number, kernels);
  }

private:
  void define(int64_t number, ArrayRef<Kernel> kernels) {
    Location loc = getOperation().getLoc();
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = builder.getI64Type();
    auto entry = LLVM::LLVMStructType::getLiteral(&getContext(),
                                                  {pointer, pointer, i64});
    auto type = LLVM::LLVMArrayType::get(entry, kernels.size() + 1);
    std::string symbol = ("shardir_program_gpu_" + Twine(number)).str();
    auto table =
        LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                               LLVM::Linkage::External, symbol, Attribute());
    builder.createBlock(&table.getInitializerRegion());
    // Entries without a kernel stay zero: the last one.
    Value all = LLVM::ZeroOp::create(builder, loc, type);
    for (auto [i, kernel] : llvm::enumerate(kernels)) {
      Value fields[] = {
          name(symbol + "_name_" + std::to_string(i), kernel.name, builder),
          LLVM::AddressOfOp::create(builder, loc, kernel.function),
          LLVM::ConstantOp::create(
              builder, loc, i64,
              builder.getI64IntegerAttr(kernel.sharedBytes))};
      for (auto [j, field] : llvm::enumerate(fields))
        all = LLVM::InsertValueOp::create(
            builder, loc, all, field,
            ArrayRef<int64_t>{int64_t(i), int64_t(j)});
      LLVM::LLVMFuncOp function = kernel.function;
      function.setLinkage(LLVM::Linkage::Internal);
      function->removeAttr(kEmulatedKernel);
    }
    LLVM::ReturnOp::create(builder, loc, all);
  }

  /// The address of `text`, ended by a null, in a global called `symbol`.
  Value name(const std::string &symbol, StringRef text, OpBuilder &builder) {
    OpBuilder outside = OpBuilder::atBlockEnd(getOperation().getBody());
    std::string bytes = text.str() + '\0';
    auto global = LLVM::GlobalOp::create(
        outside, getOperation().getLoc(),
        LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
        builder.getStringAttr(bytes));
    return LLVM::AddressOfOp::create(builder, getOperation().getLoc(), global);
  }
};
} // namespace
