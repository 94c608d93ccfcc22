//===- ToObjectTest.cpp - LLVM dialect to a loaded function ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module becomes a shared object that this process loads and calls; what
// cannot be written or linked is a diagnostic.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/ToObject/ToObject.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace {
class ToObject : public testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<LLVM::LLVMDialect>();
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("shardir-object", folder));
    context.getDiagEngine().registerHandler(
        [&](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string file(llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  OwningOpRef<ModuleOp> parse(llvm::StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
  llvm::SmallString<128> folder;
  std::string messages;
};

TEST_F(ToObject, CompilesLinksAndRuns) {
  // cos comes from libm, which nothing but the shared object names.
  OwningOpRef<ModuleOp> module = parse(R"(
    llvm.func @cos(f64) -> f64
    llvm.func @twice_cos(%x: f64) -> f64 {
      %0 = llvm.call @cos(%x) : (f64) -> f64
      %1 = llvm.fadd %0, %0 : f64
      llvm.return %1 : f64
    })");
  ASSERT_TRUE(module);
  for (unsigned level : {0u, 1u, 2u, 3u}) {
    shardir::ObjectOptions options;
    options.optLevel = level;
    std::string object = file("a.o"),
                library = file("liba" + std::to_string(level) + ".so");
    ASSERT_TRUE(succeeded(shardir::emitObject(*module, options, object)))
        << messages;
    ASSERT_TRUE(succeeded(shardir::linkSharedObject(UnknownLoc::get(&context),
                                                    {object}, library)))
        << messages;
    void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(handle) << dlerror();
    auto function =
        reinterpret_cast<double (*)(double)>(dlsym(handle, "twice_cos"));
    ASSERT_TRUE(function);
    EXPECT_EQ(function(0.0), 2.0);
    dlclose(handle);
  }
}

TEST_F(ToObject, CompilesTwoProgramsInParts) {
  // Both programs have private functions of the same names.
  auto program = [](const std::string &entry, int step) {
    std::string text, calls = "%x0 = llvm.mlir.constant(0.0 : f64) : f64\n";
    int count = 40;
    for (int i = 0; i < count; ++i) {
      std::string n = std::to_string(i), next = std::to_string(i + 1);
      text += "llvm.func private @kernel" + n + "(%x: f64) -> f64 {\n" +
              "%c = llvm.mlir.constant(" + std::to_string(i * step) +
              ".0 : f64) : f64\n%0 = llvm.fadd %x, %c : f64\n"
              "llvm.return %0 : f64 }\n";
      calls += "%x" + next + " = llvm.call @kernel" + n + "(%x" + n +
               ") : (f64) -> f64\n";
    }
    return text + "llvm.func @" + entry + "() -> f64 {\n" + calls +
           "llvm.return %x" + std::to_string(count) + " : f64 }\n";
  };
  std::vector<std::string> objects;
  for (int step : {1, 2}) {
    std::string entry = "entry" + std::to_string(step);
    OwningOpRef<ModuleOp> module = parse(program(entry, step));
    ASSERT_TRUE(module) << messages;
    for (auto function : module->getOps<LLVM::LLVMFuncOp>())
      if (function.isPrivate())
        function.setLinkage(LLVM::Linkage::Internal);
    objects.push_back(file(entry + ".o"));
    ASSERT_TRUE(succeeded(shardir::emitObject(*module, {}, objects.back())))
        << messages;
  }
  std::string library = file("libparts.so");
  ASSERT_TRUE(succeeded(
      shardir::linkSharedObject(UnknownLoc::get(&context), objects, library)))
      << messages;
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(handle) << dlerror();
  for (int step : {1, 2}) {
    auto entry = reinterpret_cast<double (*)()>(
        dlsym(handle, ("entry" + std::to_string(step)).c_str()));
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry(), step * 780.0);
  }
  EXPECT_FALSE(dlsym(handle, "kernel0.entry1"));
  dlclose(handle);
}

TEST_F(ToObject, LeavesTheRuntimeUndefined) {
  OwningOpRef<ModuleOp> module = parse(R"(
    llvm.func @shardir_fail(!llvm.ptr)
    llvm.func @f(%x: !llvm.ptr) {
      llvm.call @shardir_fail(%x) : (!llvm.ptr) -> ()
      llvm.return
    })");
  ASSERT_TRUE(module);
  std::string object = file("b.o");
  ASSERT_TRUE(succeeded(shardir::emitObject(*module, {}, object))) << messages;
  EXPECT_TRUE(succeeded(shardir::linkSharedObject(UnknownLoc::get(&context),
                                                  {object}, file("libb.so"))))
      << messages;
}

TEST_F(ToObject, SaysWhatItCannotWrite) {
  OwningOpRef<ModuleOp> module = parse("llvm.func @f()");
  ASSERT_TRUE(module);
  EXPECT_TRUE(
      failed(shardir::emitObject(*module, {}, "/nonexistent-folder/a.o")));
  EXPECT_NE(messages.find("cannot write /nonexistent-folder/a.o"),
            std::string::npos)
      << messages;
}

TEST_F(ToObject, SaysWhatItCannotTranslate) {
  context.allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module = parse(R"("other.op"() : () -> ())");
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(shardir::emitObject(*module, {}, file("c.o"))));
  EXPECT_NE(messages.find("cannot"), std::string::npos) << messages;
}

TEST_F(ToObject, ShowsTheLinkersOwnMessage) {
  EXPECT_TRUE(failed(shardir::linkSharedObject(
      UnknownLoc::get(&context), {file("missing.o")}, file("libd.so"))));
  EXPECT_NE(messages.find("cannot link"), std::string::npos) << messages;
  EXPECT_NE(messages.find("missing.o"), std::string::npos) << messages;
}
} // namespace
