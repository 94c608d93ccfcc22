//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: kernels in LLVM dialect and NVVM. Requires LLVM's NVPTX backend;
// guarantees a gpu.binary with PTX and, where ptxas is found, a cubin in the
// gpu.module's place, and the image's size and format in the kernels' table.
// libdevice is linked only where a kernel calls it.
//
//===----------------------------------------------------------------------===//

#include "CudaTools.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Placement/NearestName.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace shardir {
#define GEN_PASS_DEF_ASSEMBLEKERNELS
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

// LLVM's InitializeNVPTX… are in a header that lists all targets of a build.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace {

void initializeNvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

/// Gives kernels what LLVM needs to write the source's lines into PTX, from
/// where ptxas -lineinfo and profilers have them. Upstream's pass fails on ops
/// that were inlined; here these have the line that they were written on, and
/// lines of another file than the kernel's are the kernel's own.
void addLineTables(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  Builder builder(context);
  llvm::DenseMap<StringAttr, LLVM::DICompileUnitAttr> units;
  auto newId = [&] { return DistinctAttr::create(builder.getUnitAttr()); };
  for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
    auto at = kernel.getLoc()->findInstanceOf<FileLineColLoc>();
    if (kernel.isExternal() || !at)
      continue;
    LLVM::DICompileUnitAttr &unit = units[at.getFilename()];
    if (!unit)
      unit = LLVM::DICompileUnitAttr::get(
          newId(), llvm::dwarf::DW_LANG_C,
          LLVM::DIFileAttr::get(context, at.getFilename().getValue(), ""),
          builder.getStringAttr("ShardIR"), /*isOptimized=*/true,
          LLVM::DIEmissionKind::DebugDirectivesOnly);
    auto scope = LLVM::DISubprogramAttr::get(
        context, newId(), unit, unit.getFile(), kernel.getSymNameAttr(),
        kernel.getSymNameAttr(), unit.getFile(), at.getLine(), at.getLine(),
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        LLVM::DISubroutineTypeAttr::get(context, {}), {}, {});
    kernel.walk([&](Operation *op) {
      auto own = op->getLoc()->findInstanceOf<FileLineColLoc>();
      op->setLoc(own && own.getFilename() == at.getFilename() ? own : at);
    });
    kernel->setLoc(FusedLoc::get(context, {Location(at)}, scope));
  }
}

/// One gpu.module to PTX.
class PtxCompiler : public LLVM::ModuleToObject {
public:
  PtxCompiler(gpu::GPUModuleOp module, const GpuTarget &target)
      : ModuleToObject(*module, "nvptx64-nvidia-cuda", target.chip,
                       target.ptxFeature, /*optLevel=*/3) {}

protected:
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override {
    // mul and add may become fma, as in every library this code replaces.
    auto machine = getOrCreateTargetMachine();
    if (failed(machine))
      return std::nullopt;
    (*machine)->Options.AllowFPOpFusion = llvm::FPOpFusion::Fast;

    SmallVector<std::unique_ptr<llvm::Module>> libraries;
    auto needed = llvm::find_if(module, [](llvm::Function &function) {
      return function.isDeclaration() &&
             function.getName().starts_with("__nv_");
    });
    if (needed == module.end())
      return libraries;
    std::string path = findLibdevice();
    if (path.empty()) {
      getOperation().emitError("kernels call '")
          << needed->getName()
          << "' of libdevice, which is not found: install a CUDA toolkit or "
             "run utils/install-deps.sh --gpu, or name the file in "
             "SHARDIR_LIBDEVICE";
      return std::nullopt;
    }
    auto library = loadBitcodeFile(module.getContext(), path);
    if (!library) {
      getOperation().emitError("cannot read libdevice from ") << path;
      return std::nullopt;
    }
    libraries.push_back(std::move(library));
    return libraries;
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override {
    auto machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    FailureOr<SmallString<0>> text = translateModuleToISA(
        llvmModule, **machine, [&] { return getOperation().emitError(); });
    if (failed(text))
      return failure();
    return SmallVector<char, 0>(text->begin(), text->end());
  }
};

struct AssembleKernelsPass
    : shardir::impl::AssembleKernelsBase<AssembleKernelsPass> {
  using AssembleKernelsBase::AssembleKernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    if (modules.empty())
      return;
    std::optional<GpuTarget> target = GpuTarget::get(arch);
    if (!target || target->isHost()) {
      getOperation().emitError("option arch ")
          << mustBeOneOf(GpuTarget::knownCards(), arch);
      return signalPassFailure();
    }
    initializeNvptx();
    llvm::json::Array images;
    for (gpu::GPUModuleOp module : modules)
      if (failed(assemble(module, *target, images)))
        return signalPassFailure();
    setImages(std::move(images));
  }

  LogicalResult assemble(gpu::GPUModuleOp module, const GpuTarget &target,
                         llvm::json::Array &images) {
    addLineTables(module);
    std::optional<SmallVector<char, 0>> compiled =
        PtxCompiler(module, target).run();
    if (!compiled)
      return failure();
    std::string ptx(compiled->data(), compiled->size());
    if (failed(writeFile(module, ptx)))
      return failure();
    std::string assembler = target.isVirtual ? "" : findPtxas(ptxas);
    FailureOr<Assembly> assembly = Assembly();
    if (!assembler.empty()) {
      assembly = runPtxas(module, assembler, ptx, target);
      if (failed(assembly) || failed(writeFile(module, ptx)))
        return failure();
    }

    Builder builder(&getContext());
    auto attribute = NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", target.chip,
        target.ptxFeature, nullptr, nullptr, /*verifyTarget=*/true);
    SmallVector<Attribute> objects = {gpu::ObjectAttr::get(
        &getContext(), attribute, gpu::CompilationTarget::Assembly,
        builder.getStringAttr(ptx), nullptr, nullptr)};
    size_t bytes = ptx.size() + 1; // PTX ends in a NUL
    StringRef format = "ptx";
    if (!assembler.empty()) {
      objects.push_back(gpu::ObjectAttr::get(
          &getContext(), attribute, gpu::CompilationTarget::Binary,
          builder.getStringAttr(assembly->cubin), nullptr, nullptr));
      bytes = assembly->cubin.size();
      format = "cubin";
      reportResources(assembly->kernels, target);
    }
    images.push_back(llvm::json::Object{
        {"symbol", "shardir_program_gpu_" + std::to_string(images.size())},
        {"bytes", int64_t(bytes)},
        {"format", format}});
    OpBuilder at(module);
    gpu::BinaryOp::create(at, module.getLoc(), module.getName(), nullptr,
                          builder.getArrayAttr(objects));
    module.erase();
    return success();
  }

  /// Blocks of so many threads, registers per thread and bytes of shared memory
  /// that a multiprocessor runs at one time. Registers are given by 256 to a
  /// warp; 1 KiB of shared memory of a block is the driver's (CUDA programming
  /// guide, compute capabilities).
  static int64_t blocksPerMultiprocessor(const GpuTarget &target,
                                         int64_t threads, int64_t registers,
                                         int64_t sharedBytes) {
    constexpr int64_t reserved = 1024;
    int64_t warps = llvm::divideCeil(threads, 32);
    int64_t blocks = target.smArch == 86 ? 16 : target.smArch == 89 ? 24 : 32;
    blocks = std::min(blocks, target.threads / (32 * warps));
    if (registers > 0)
      blocks = std::min(
          blocks, target.registers /
                      int64_t(llvm::alignTo(registers * 32, 256)) / warps);
    return std::min(blocks,
                    (target.sharedBytes + reserved) / (sharedBytes + reserved));
  }

  /// The entries of kernels in the module's report, or nothing.
  static ArrayAttr entriesOf(DictionaryAttr report) {
    return report ? report.getAs<ArrayAttr>("kernels") : ArrayAttr();
  }
  DictionaryAttr getReport() {
    return getOperation()->getAttrOfType<DictionaryAttr>(
        ShardIRDialect::kReport);
  }

  /// The resources of the kernel that an entry is about; null for none.
  static const KernelResources *
  resourcesOf(DictionaryAttr entry, ArrayRef<KernelResources> resources) {
    auto name = entry.getAs<StringAttr>("name");
    auto found = llvm::find_if(resources, [&](const KernelResources &kernel) {
      return name && name == kernel.name;
    });
    return found == resources.end() ? nullptr : &*found;
  }

  /// How many blocks of the kernel of an entry a multiprocessor runs at one
  /// time if a thread has so many registers; nothing where the entry does not
  /// say how many threads a block has.
  static std::optional<int64_t> blocksOf(DictionaryAttr entry,
                                         const KernelResources &kernel,
                                         int64_t registers,
                                         const GpuTarget &target) {
    auto number = [&](StringRef name) {
      auto attribute = entry.getAs<IntegerAttr>(name);
      return attribute ? attribute.getInt() : 0;
    };
    if (number("threads") <= 0)
      return std::nullopt;
    return blocksPerMultiprocessor(target, number("threads"), registers,
                                   number("dynamic_shared_bytes") +
                                       kernel.staticSharedBytes);
  }

  /// Adds what ptxas gave kernels to their entries in the module's report.
  void reportResources(ArrayRef<KernelResources> resources,
                       const GpuTarget &target) {
    DictionaryAttr report = getReport();
    ArrayAttr entries = entriesOf(report);
    if (!entries)
      return;
    Builder builder(&getContext());
    SmallVector<Attribute> list;
    for (auto entry : entries.getAsRange<DictionaryAttr>()) {
      NamedAttrList fields(entry);
      if (const KernelResources *kernel = resourcesOf(entry, resources)) {
        if (std::optional<int64_t> blocks =
                blocksOf(entry, *kernel, kernel->registers, target))
          fields.set("blocks_per_multiprocessor",
                     builder.getI64IntegerAttr(*blocks));
        for (auto [name, number] :
             {std::pair("registers", kernel->registers),
              {"stack_bytes", kernel->stackBytes},
              {"spill_bytes", kernel->spillStoreBytes + kernel->spillLoadBytes},
              {"static_shared_bytes", kernel->staticSharedBytes}})
          fields.set(name, builder.getI64IntegerAttr(number));
      }
      list.push_back(fields.getDictionary(&getContext()));
    }
    NamedAttrList fields(report);
    fields.set("kernels", builder.getArrayAttr(list));
    getOperation()->setAttr(ShardIRDialect::kReport,
                            fields.getDictionary(&getContext()));
  }

  LogicalResult writeFile(gpu::GPUModuleOp module, StringRef ptx) {
    if (dumpPtx.empty())
      return success();
    std::error_code code;
    llvm::raw_fd_ostream stream(dumpPtx, code);
    if (code)
      return module.emitError("cannot write ")
             << dumpPtx << ": " << code.message();
    stream << ptx;
    return success();
  }

  static int64_t spills(const Assembly &assembly) {
    int64_t bytes = 0;
    for (const KernelResources &kernel : assembly.kernels)
      bytes += kernel.spillStoreBytes + kernel.spillLoadBytes;
    return bytes;
  }

  /// Writes at `kernel` how many blocks a multiprocessor should have; nothing
  /// where it says so already, or does not say how many threads a block has.
  static void wishForBlocks(std::string &ptx, StringRef kernel, int blocks) {
    size_t entry = ptx.find((".entry " + kernel + "(").str());
    if (entry == std::string::npos)
      return;
    StringRef head = StringRef(ptx).substr(entry);
    head = head.take_front(head.find('{'));
    size_t threads = std::min(head.find(".maxntid"), head.find(".reqntid"));
    if (threads != StringRef::npos && !head.contains(".minnctapersm"))
      ptx.insert(entry + threads,
                 ".minnctapersm " + std::to_string(blocks) + "\n");
  }

  /// `ptx` with the word that one block per multiprocessor is enough, at each
  /// kernel that spills.
  static std::string relieve(StringRef ptx, ArrayRef<KernelResources> kernels) {
    std::string result = ptx.str();
    for (const KernelResources &kernel : kernels)
      if (kernel.spillStoreBytes != 0 || kernel.spillLoadBytes != 0)
        wishForBlocks(result, kernel.name, 1);
    return result;
  }

  /// `ptx` with the wish for two blocks per multiprocessor, at each kernel of
  /// which a multiprocessor runs one, and would run two if a thread had at most
  /// 40 registers fewer: one block waits while the other computes. Loads are
  /// started less early for it, which ptxas takes registers for if it may.
  std::string crowd(StringRef ptx, ArrayRef<KernelResources> kernels,
                    const GpuTarget &target) {
    constexpr int64_t few = 40;
    std::string result = ptx.str();
    ArrayAttr entries = entriesOf(getReport());
    if (!entries)
      return result;
    for (auto entry : entries.getAsRange<DictionaryAttr>()) {
      const KernelResources *kernel = resourcesOf(entry, kernels);
      if (kernel && blocksOf(entry, *kernel, kernel->registers, target) == 1 &&
          blocksOf(entry, *kernel, kernel->registers - few, target) > 1)
        wishForBlocks(result, kernel->name, 2);
    }
    return result;
  }

  /// Left alone, ptxas may spill to make room for one more block per
  /// multiprocessor, or miss the room for a second one by a few registers. Such
  /// kernels are assembled again, with a word on it; `ptx` becomes what was
  /// assembled.
  FailureOr<Assembly> runPtxas(gpu::GPUModuleOp module, StringRef assembler,
                               std::string &ptx, const GpuTarget &target) {
    std::string error;
    Assembly assembly = assemblePtx(assembler, ptx, target.chip, error);
    if (assembly.cubin.empty()) {
      auto [kernel, said] = blame(module, ptx, assembly.log);
      InFlightDiagnostic diag =
          emitError(kernel ? kernel.getLoc() : module.getLoc())
          << assembler << " refuses ";
      if (kernel)
        diag << "kernel '" << kernel.getSymName() << "'";
      else
        diag << "the kernels";
      diag << " for " << target.arch << ": " << (error.empty() ? said : error);
      return failure();
    }
    if (spills(assembly) > 0) {
      std::string relieved = relieve(ptx, assembly.kernels);
      Assembly again = assemblePtx(assembler, relieved, target.chip, error);
      if (!again.cubin.empty() && spills(again) < spills(assembly)) {
        assembly = std::move(again);
        ptx = std::move(relieved);
      }
    }
    if (std::string crowded = crowd(ptx, assembly.kernels, target);
        crowded != ptx) {
      Assembly again = assemblePtx(assembler, crowded, target.chip, error);
      if (!again.cubin.empty() && spills(again) <= spills(assembly)) {
        assembly = std::move(again);
        ptx = std::move(crowded);
      }
    }
    if (explain) {
      // It serializes products or ignores hints, and goes on.
      SmallVector<StringRef> lines;
      StringRef(assembly.log).split(lines, '\n');
      for (StringRef line : lines)
        if (line.contains("Potential Performance Loss"))
          emitRemark(module.getLoc()) << line.trim();
      for (const KernelResources &resources : assembly.kernels)
        remark(module, resources);
    }
    return assembly;
  }

  /// The kernel that the first error of a log is about, and the error.
  static std::pair<LLVM::LLVMFuncOp, std::string>
  blame(gpu::GPUModuleOp module, StringRef ptx, StringRef log) {
    SmallVector<StringRef> lines;
    log.split(lines, '\n');
    for (StringRef line : lines) {
      if (!line.contains("error"))
        continue;
      std::string said = line.str();
      size_t at = line.find("line ");
      unsigned number = 0;
      if (at == StringRef::npos ||
          line.substr(at + 5).consumeInteger(10, number))
        return {nullptr, said};
      SmallVector<StringRef> source;
      ptx.split(source, '\n');
      for (size_t i = std::min<size_t>(number, source.size()); i-- > 0;) {
        size_t entry = source[i].find(".entry ");
        if (entry == StringRef::npos)
          continue;
        StringRef name = source[i].substr(entry + 7);
        name = name.take_until([](char c) { return c == '(' || c == ' '; });
        return {module.lookupSymbol<LLVM::LLVMFuncOp>(name), said};
      }
      return {nullptr, said};
    }
    return {nullptr, log.str()};
  }

  static void remark(gpu::GPUModuleOp module, const KernelResources &kernel) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    emitRemark(function ? function.getLoc() : module.getLoc())
        << "kernel '" << kernel.name << "' needs " << kernel.registers
        << " registers, " << kernel.stackBytes << " bytes of stack, spills "
        << kernel.spillStoreBytes << " bytes, and has "
        << kernel.staticSharedBytes << " bytes of static shared memory";
  }

  void setImages(llvm::json::Array images) {
    ModuleOp module = getOperation();
    auto text = module->getAttrOfType<StringAttr>(ShardIRDialect::kGpu);
    if (!text)
      return;
    llvm::Expected<llvm::json::Value> table =
        llvm::json::parse(text.getValue());
    if (!table) {
      module.emitError("'" + ShardIRDialect::kGpu.str() + "' is not JSON: ")
          << llvm::toString(table.takeError());
      return signalPassFailure();
    }
    if (llvm::json::Object *root = table->getAsObject())
      (*root)["modules"] = std::move(images);
    module->setAttr(
        ShardIRDialect::kGpu,
        StringAttr::get(&getContext(), llvm::formatv("{0}", *table).str()));
  }
};

} // namespace
