//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized to lowered. Requires entries, collectives and buffers as
// shardir-bufferize leaves them; guarantees calls of Runtime/Abi.h and nothing
// of our dialects. Each shardir.axis_index is called once per function, at its
// start: loops that worker threads run must not call the runtime.
//
//===----------------------------------------------------------------------===//

#include "Metadata.h"
#include "RuntimeCalls.h"
#include "StaticSequence.h"

#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Report/JsonAttributes.h"
#include "ShardIR/Report/Report.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringSet.h"

namespace shardir {
#define GEN_PASS_DEF_COLLECTIVESTORUNTIME
#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

struct CollectivesToRuntimePass
    : shardir::impl::CollectivesToRuntimeBase<CollectivesToRuntimePass> {
  using CollectivesToRuntimeBase::CollectivesToRuntimeBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) != Stage::Bufferized) {
      markAllAnalysesPreserved();
      return;
    }
    MetadataBuilder builder(module);
    if (failed(checkDialects(module)) || failed(builder.verify()))
      return signalPassFailure();
    auto embedded =
        module->getAttrOfType<DictionaryAttr>(ShardIRDialect::kReport);
    llvm::json::Value report =
        embedded ? toJson(embedded) : llvm::json::Value(llvm::json::Object{});
    llvm::json::Value gpu(nullptr);
    if (failed(readJson(ShardIRDialect::kGpu, gpu)))
      return signalPassFailure();

    llvm::DenseSet<func::FuncOp> isStatic;
    for (auto function : module.getOps<func::FuncOp>())
      if (hasStaticCollectives(function))
        isStatic.insert(function);
    renameSymbols();
    RuntimeCalls calls(module);
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (failed(convertBody(function, builder, calls)))
        return signalPassFailure();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (function.isPublic() && !function.isExternal())
        createEntry(function, builder, isStatic.contains(function));
    if (metadata)
      defineMetadata(builder.finish(hash, std::move(report), std::move(gpu)));
    cleanUp();
  }

  /// Nothing after this pass lowers an op of another compiler.
  static LogicalResult checkDialects(ModuleOp module) {
    static const llvm::StringSet<> lowered = {
        "affine",     "arith",   "bufferization", "builtin", "cf",
        "collective", "complex", "func",          "gpu",     "index",
        "linalg",     "llvm",    "math",          "memref",  "nvgpu",
        "nvvm",       "scf",     "shardir",       "ub",      "vector"};
    WalkResult result = module.walk([](Operation *op) {
      if (lowered.contains(op->getName().getDialectNamespace()))
        return WalkResult::advance();
      op->emitOpError("cannot be compiled: nothing lowers it; lower it by "
                      "passes of yours in the bufferized stage (option "
                      "after-bufferized)");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Reads the JSON text of a module attribute; an empty object if there is
  /// none.
  LogicalResult readJson(StringRef name, llvm::json::Value &value) {
    value = llvm::json::Object{};
    auto text = getOperation()->getAttrOfType<StringAttr>(name);
    if (!text)
      return success();
    llvm::Expected<llvm::json::Value> parsed =
        llvm::json::parse(text.getValue());
    if (!parsed)
      return getOperation().emitError()
             << "'" << name
             << "' is not JSON: " << llvm::toString(parsed.takeError());
    value = std::move(*parsed);
    return success();
  }

  /// True for functions that a GPU's host code calls or that its runtime finds
  /// by name.
  static bool isForRuntime(Operation &op) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (function && function.isExternal())
      return true;
    return op.getParentOp()->hasAttr(ShardIRDialect::kGpu) &&
           isa<memref::GlobalOp>(op);
  }

  /// Functions and globals of the program could have the name of anything in
  /// the runtime, libm or libc that lowering is going to call.
  void renameSymbols() {
    ModuleOp module = getOperation();
    llvm::DenseMap<StringAttr, StringAttr> names;
    for (Operation &op : *module.getBody()) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (!symbol || isa<MeshOp>(op) || isForRuntime(op))
        continue;
      StringAttr name = symbol.getNameAttr();
      names[name] = StringAttr::get(&getContext(), std::string(kProgramPrefix) +
                                                       name.getValue().str());
      symbol.setName(names[name]);
    }
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FlatSymbolRefAttr ref) -> Attribute {
      auto it = names.find(ref.getAttr());
      return it == names.end() ? ref : FlatSymbolRefAttr::get(it->second);
    });
    for (Operation &op : *module.getBody())
      if (!isa<MeshOp>(op))
        replacer.recursivelyReplaceElementsIn(&op);
  }

  LogicalResult convertBody(func::FuncOp function, MetadataBuilder &builder,
                            RuntimeCalls &calls) {
    std::map<std::pair<int, int>, Value> coordinates;
    WalkResult result = function.walk([&](Operation *op) {
      if (auto axis = dyn_cast<AxisIndexOp>(op)) {
        convertAxisIndex(axis, function, builder, calls, coordinates);
        return WalkResult::advance();
      }
      if (auto extent = dyn_cast<ExtentOp>(op)) {
        if (!function.isPublic()) {
          extent.emitOpError(
              "reads an extent of an entry's argument, but function @")
              << function.getSymName()
              << " is private; pass the extent to it as an argument";
          return WalkResult::interrupt();
        }
        extent.getResult().replaceAllUsesWith(calls.extent(
            function, op->getLoc(), extent.getArgument(), extent.getDim()));
        op->erase();
        return WalkResult::advance();
      }
      if (auto check = dyn_cast<cf::AssertOp>(op)) {
        calls.fail(check);
        return WalkResult::advance();
      }
      if (auto alloc = dyn_cast<memref::AllocOp>(op);
          alloc && isOnHost(alloc.getResult())) {
        calls.allocateOnHost(alloc);
        return WalkResult::advance();
      }
      if (auto free = dyn_cast<memref::DeallocOp>(op);
          free && isOnHost(free.getMemref()))
        return WalkResult(calls.freeOnHost(free));
      if (!isa_and_present<CollectiveDialect>(op->getDialect()))
        return WalkResult::advance();
      if (failed(calls.convert(op, builder)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    // Nothing uses the casts of buffers on the host any more.
    function.walk([](UnrealizedConversionCastOp cast) {
      if (cast.use_empty())
        cast.erase();
    });
    return failure(result.wasInterrupted());
  }

  void convertAxisIndex(AxisIndexOp op, func::FuncOp function,
                        MetadataBuilder &builder, RuntimeCalls &calls,
                        std::map<std::pair<int, int>, Value> &coordinates) {
    int mesh = builder.getMeshes().indexOf(op.getMesh());
    int axis = builder.getMeshes().all()[mesh].axisIndex(op.getAxis().str());
    Value &coordinate = coordinates[{mesh, axis}];
    if (!coordinate)
      coordinate = calls.axisIndex(function, op.getLoc(), mesh, axis);
    op.getResult().replaceAllUsesWith(coordinate);
    op.erase();
  }

  /// Defines shardir_entry_<name>(descriptors), which loads each descriptor and
  /// calls the function.
  void createEntry(func::FuncOp function, MetadataBuilder &builder,
                   bool isStatic) {
    StringRef name = function.getSymName();
    name.consume_front(kProgramPrefix);
    std::string symbol = entryPrefix + name.str();
    std::optional<std::string> unshardedSymbol;
    if (unsharded)
      unshardedSymbol = (kUnshardedPrefix + name).str();
    builder.addFunction(function, name, symbol, unshardedSymbol, isStatic);

    // Descriptors of hundreds of arguments would be most of its code.
    if (llvm::all_of(function.getArgumentTypes(), [](Type type) {
          return LLVMTypeConverter::canConvertToBarePtr(cast<MemRefType>(type));
        }))
      function->setAttr("llvm.bareptr", UnitAttr::get(&getContext()));

    Location loc = function.getLoc();
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    auto entry =
        func::FuncOp::create(b, loc, symbol, b.getFunctionType(pointer, {}));
    Block *body = entry.addEntryBlock();
    b.setInsertionPointToStart(body);
    LLVMTypeConverter converter(&getContext());
    SmallVector<Value> arguments;
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      arguments.push_back(loadDescriptor(b, loc, body->getArgument(0), i,
                                         cast<MemRefType>(type), converter));
    func::CallOp::create(b, loc, function, arguments);
    func::ReturnOp::create(b, loc);
    function.setPrivate();
  }

  /// Loads descriptors[i] and adds its offset to its data pointer: buffers of
  /// the program start at offset 0.
  Value loadDescriptor(OpBuilder &b, Location loc, Value descriptors,
                       unsigned i, MemRefType type,
                       const LLVMTypeConverter &converter) {
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    Value at = LLVM::GEPOp::create(b, loc, pointer, pointer, descriptors,
                                   ArrayRef<LLVM::GEPArg>{int32_t(i)});
    Value place = LLVM::LoadOp::create(b, loc, pointer, at);
    auto structType = converter.convertType(type);
    Value descriptor = LLVM::LoadOp::create(b, loc, structType, place);
    Value data =
        LLVM::ExtractValueOp::create(b, loc, descriptor, ArrayRef<int64_t>{1});
    Value offset =
        LLVM::ExtractValueOp::create(b, loc, descriptor, ArrayRef<int64_t>{2});
    data = LLVM::GEPOp::create(b, loc, pointer,
                               converter.convertType(type.getElementType()),
                               data, ArrayRef<LLVM::GEPArg>{offset});
    Value zero = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, data,
                                             ArrayRef<int64_t>{1});
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, zero,
                                             ArrayRef<int64_t>{2});
    return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
        .getResult(0);
  }

  void defineMetadata(std::string text) {
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    text.push_back('\0');
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    LLVM::GlobalOp::create(b, getOperation().getLoc(), type,
                           /*isConstant=*/true, LLVM::Linkage::External,
                           "shardir_program_metadata", b.getStringAttr(text));
  }

  /// Removes the attributes that the metadata now holds: lowering drops the
  /// meshes' users one by one.
  void cleanUp() {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>()) {
      SmallVector<DictionaryAttr> kept;
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        NamedAttrList attributes(function.getArgAttrDict(i));
        for (StringRef name :
             {ShardIRDialect::kPlacement, ShardIRDialect::kGlobalType,
              ShardIRDialect::kResult, ShardIRDialect::kInPlace,
              ShardIRDialect::kExtents, ShardIRDialect::kName})
          attributes.erase(name);
        kept.push_back(attributes.getDictionary(&getContext()));
      }
      function.setAllArgAttrs(kept);
    }
    for (MeshOp mesh : llvm::to_vector(module.getOps<MeshOp>()))
      mesh.erase();
    module->removeAttr(ShardIRDialect::kReport);
    bool gpu = bool(module->removeAttr(ShardIRDialect::kGpu));
    setStage(module, gpu ? Stage::Gpu : Stage::Cpu);
  }
};

} // namespace
