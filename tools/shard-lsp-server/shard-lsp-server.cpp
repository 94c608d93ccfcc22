//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server for editors, with the project's dialects and those of
// the programs that it imports.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Import/Readers.h"
#include "ShardIR/InitAll.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  shardir::registerAllDialects(registry);
  shardir::registerReaderDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
