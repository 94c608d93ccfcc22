//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's usual driver with upstream's dialects and passes and our own. Requires
// nothing; `--shardir-to-<stage>` are the pipelines of docs/Pipeline.md.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Readers.h"
#include "ShardIR/InitAll.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  shardir::registerAllDialects(registry);
  shardir::registerReaderDialects(registry);
  shardir::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "ShardIR's optimizer driver\n", registry));
}
