//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: kernels outlined. Requires host code as shardir-place-on-gpu leaves
// it, with gpu.launch_func ops; guarantees calls of Runtime/Abi.h wherever it
// had to do with the device: no alloc, dealloc, copy, load or global of device
// memory is left. Arguments of launches go through one scratch area per
// function, since the runtime reads them before a launch returns.
//
//===----------------------------------------------------------------------===//

#include "DeviceCalls.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Report/JsonAttributes.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

namespace shardir {
#define GEN_PASS_DEF_LAUNCHESTORUNTIME
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
namespace json = llvm::json;

namespace {

/// The metadata of one kernel.
struct KernelEntry {
  std::string name, location;
  int64_t cluster[3] = {1, 1, 1};
  int64_t maxSharedBytes = 0;
  /// Threads of a block; 0 where the launch computes them.
  int64_t threads = 1;
  /// Of the schedule; null where a kernel was written by hand.
  DictionaryAttr schedule;
  /// Bytes of each.
  std::vector<int64_t> parameters;
};
/// A CUtensorMap.
constexpr int64_t tensorMapBytes = 128;

struct LaunchesToRuntimePass
    : shardir::impl::LaunchesToRuntimeBase<LaunchesToRuntimePass> {
  using LaunchesToRuntimeBase::LaunchesToRuntimeBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // A printed stage can be re-entered.
    if (module->hasAttr(ShardIRDialect::kGpu) || stageOf(module) == Stage::Gpu)
      return;
    kernels.clear();
    libraryCalls.clear();
    DeviceCalls calls(module);
    nameGlobals(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && !isHostHelper(function.getSymName()) &&
          failed(convert(function, calls)))
        return signalPassFailure();
    module->setAttr(ShardIRDialect::kGpu,
                    StringAttr::get(&getContext(), describe(module)));
    reportKernels(module);
  }

  /// The figures that estimates of kernels need: of the machine that decisions
  /// were made for, else of the architecture.
  static json::Value describeGpu(ModuleOp module, const GpuTarget &target) {
    double memory = target.copyBytesPerSecond, matrix = target.matrixFlops,
           scalar = target.scalarFlops;
    if (module->hasAttr(ShardIRDialect::kMachine)) {
      DeviceRates rates = getMachine(module).rates;
      memory = rates.memoryBandwidth;
      matrix = rates.flops16;
      scalar = rates.flops32;
    }
    return json::Object{{"arch", target.arch},
                        {"multiprocessors", target.multiprocessors},
                        {"memory_bandwidth", int64_t(memory)},
                        {"bf16_flops", int64_t(matrix)},
                        {"f32_flops", int64_t(scalar)}};
  }

  /// Lists the kernels in the report that the module has, if it has one.
  void reportKernels(ModuleOp module) {
    auto report =
        module->getAttrOfType<DictionaryAttr>(ShardIRDialect::kReport);
    if (!report)
      return;
    Builder builder(&getContext());
    SmallVector<Attribute> entries;
    for (const auto &[symbol, kernel] : kernels) {
      NamedAttrList entry(kernel.schedule);
      auto number = [&](StringRef name, int64_t value) {
        entry.set(name, builder.getI64IntegerAttr(value));
      };
      entry.set("name", builder.getStringAttr(kernel.name));
      entry.set("loc", builder.getStringAttr(json::fixUTF8(kernel.location)));
      if (kernel.threads > 0)
        number("threads", kernel.threads);
      number("dynamic_shared_bytes", kernel.maxSharedBytes);
      entries.push_back(entry.getDictionary(&getContext()));
    }
    llvm::append_range(entries, libraryCalls);
    NamedAttrList list(report);
    list.set("kernels", builder.getArrayAttr(entries));
    if (std::optional<GpuTarget> target = GpuTarget::get(arch))
      list.set("gpu", toAttribute(describeGpu(module, *target), &getContext()));
    module->setAttr(ShardIRDialect::kReport, list.getDictionary(&getContext()));
  }

  LogicalResult convert(func::FuncOp function, DeviceCalls &calls) {
    FunctionScratch scratch(function);
    WalkResult result = function.walk([&](Operation *op) {
      return succeeded(convert(op, calls, scratch)) ? WalkResult::advance()
                                                    : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
    scratch.finish();
    return success();
  }

  LogicalResult convert(Operation *op, DeviceCalls &calls,
                        FunctionScratch &scratch) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      return convertLaunch(launch, calls, scratch);
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return collective::isOnHost(alloc.getResult()) ? success()
                                                     : calls.alloc(alloc);
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
      return collective::isOnHost(dealloc.getMemref()) ? success()
                                                       : calls.free(dealloc);
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      return calls.copy(copy, scratch);
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return calls.load(load, scratch);
    if (auto product = dyn_cast<kernel::LibraryMatmulOp>(op)) {
      addLibraryCall(product);
      return calls.libraryMatmul(product, scratch);
    }
    if (auto attention = dyn_cast<kernel::LibraryAttentionOp>(op)) {
      addLibraryCall(attention);
      return calls.libraryAttention(attention, scratch);
    }
    if (auto count = dyn_cast<kernel::MultiprocessorsOp>(op))
      return calls.multiprocessors(count);
    if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      return calls.constant(global, globals.lookup(global.getName()));
    return success();
  }

  /// Notes what the report says of it, which has no kernel of ours.
  void addLibraryCall(Operation *op) {
    NamedAttrList entry(
        op->getAttrOfType<DictionaryAttr>(ShardIRDialect::kSchedule));
    Builder builder(&getContext());
    if (Attribute name = op->getAttr(ShardIRDialect::kKernel))
      entry.set("name", name);
    entry.set("loc", builder.getStringAttr(
                         json::fixUTF8(describeLocation(op->getLoc()))));
    if (Attribute schedule = entry.get("schedule"))
      entry.set("library", schedule);
    libraryCalls.push_back(entry.getDictionary(&getContext()));
  }

  LogicalResult convertLaunch(gpu::LaunchFuncOp launch, DeviceCalls &calls,
                              FunctionScratch &scratch) {
    auto [entry, added] = kernels.insert({launch.getKernel(), KernelEntry()});
    KernelEntry &kernel = entry->second;
    if (added) {
      auto *function =
          SymbolTable::lookupSymbolIn(getOperation(), launch.getKernel());
      if (!function)
        return launch.emitOpError("names a kernel that is not there");
      kernel.name = launch.getKernelName().str();
      kernel.location = describeLocation(function->getLoc());
      kernel.schedule =
          function->getAttrOfType<DictionaryAttr>(ShardIRDialect::kSchedule);
      gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
      for (Value size : {block.x, block.y, block.z})
        kernel.threads *= getConstantIntValue(size).value_or(0);
      DataLayout layout = DataLayout::closest(launch);
      for (Value operand : launch.getKernelOperands())
        kernel.parameters.push_back(
            tensorMapOf(operand)
                ? tensorMapBytes
                : int64_t(layout.getTypeSize(operand.getType())));
      if (launch.hasClusterSize()) {
        Value sizes[] = {launch.getClusterSizeX(), launch.getClusterSizeY(),
                         launch.getClusterSizeZ()};
        for (auto [i, size] : llvm::enumerate(sizes))
          kernel.cluster[i] = getConstantIntValue(size).value_or(1);
      }
    }
    if (Value bytes = launch.getDynamicSharedMemorySize()) {
      auto known = getConstantIntValue(bytes);
      if (!known)
        return launch.emitOpError(
            "needs a size of shared memory that is known when it is compiled");
      kernel.maxSharedBytes = std::max(kernel.maxSharedBytes, *known);
    }
    return calls.launch(launch, int32_t(entry - kernels.begin()), scratch);
  }

  /// Globals get the names and numbers by which the runtime finds them.
  void nameGlobals(ModuleOp module) {
    globals.clear();
    llvm::StringMap<std::string> names;
    for (memref::GlobalOp global : module.getOps<memref::GlobalOp>()) {
      int32_t id = int32_t(globals.size());
      std::string name = "shardir_program_constant_" + std::to_string(id);
      globals[name] = id;
      names[global.getSymName()] = name;
      global.setSymName(name);
      global.removeSymVisibilityAttr();
    }
    module.walk([&](memref::GetGlobalOp op) {
      op.setName(names.lookup(op.getName()));
    });
  }

  std::string describe(ModuleOp module) {
    json::Array kernelTable, constantTable, modules;
    for (const auto &[symbol, kernel] : kernels)
      kernelTable.push_back(json::Object{
          {"module", 0},
          {"name", kernel.name},
          {"loc", json::fixUTF8(kernel.location)},
          {"cluster", json::Array{kernel.cluster[0], kernel.cluster[1],
                                  kernel.cluster[2]}},
          {"parameters", json::Array(kernel.parameters)},
          {"max_shared_bytes", kernel.maxSharedBytes}});
    for (memref::GlobalOp global : module.getOps<memref::GlobalOp>()) {
      auto type = cast<MemRefType>(global.getType());
      json::Object entry{{"symbol", global.getSymName()},
                         {"bytes", type.getNumElements() *
                                       elementBytes(type.getElementType())}};
      // Ranks that share a GPU must not share what they write.
      if (!global.getConstant() && !global->hasAttr(collective::kRowsOfRanks))
        entry["per_rank"] = true;
      constantTable.push_back(std::move(entry));
    }
    // Code for a card is assembled later, and says then what it is.
    if (arch == "host" && !kernels.empty())
      modules.push_back(json::Object{{"symbol", "shardir_program_gpu_0"},
                                     {"bytes", 0},
                                     {"format", "host"}});
    return llvm::formatv("{0}", json::Value(json::Object{
                                    {"arch", arch.getValue()},
                                    {"modules", std::move(modules)},
                                    {"kernels", std::move(kernelTable)},
                                    {"constants", std::move(constantTable)}}));
  }

  llvm::MapVector<SymbolRefAttr, KernelEntry> kernels;
  SmallVector<Attribute> libraryCalls; ///< as in the report
  llvm::StringMap<int32_t> globals;
};

} // namespace
