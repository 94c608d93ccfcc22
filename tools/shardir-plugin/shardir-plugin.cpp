//===- shardir-plugin.cpp - ShardIR for a stock mlir-opt ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialects and passes as a plugin. Requires a tool that links the shared
// libMLIR: this library links the same one and brings none of MLIR with it, so
// that every dialect of MLIR is registered once.
//
// The tool loads it with --load-dialect-plugin and --load-pass-plugin. The
// flags of the tool are made before a plugin is read, so passes and pipelines
// are known inside --pass-pipeline alone.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include "llvm/Support/Compiler.h"

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ShardIR", SHARDIR_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            shardir::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ShardIR", SHARDIR_VERSION_STRING,
          []() { shardir::registerAllPasses(); }};
}
