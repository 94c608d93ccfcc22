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

#include "ShardIR/Import/Readers.h"
#include "ShardIR/InitAll.h"
#include "ShardIR/Pipelines/Plugins.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  // Diagnostics show the source line. The op in generic form would hide it: an
  // error about a module would print the complete program.
  constexpr llvm::StringLiteral flag = "-mlir-print-op-on-diagnostic";
  std::string noDump = (flag + "=false").str();
  llvm::SmallVector<char *> args(argv, argv + argc);
  if (llvm::none_of(args, [&](llvm::StringRef arg) {
        return arg.starts_with(flag) || arg.starts_with(("-" + flag).str());
      }))
    args.insert(args.begin() + 1, noDump.data());
  // Loaded here, a plugin that cannot be is one error, which says why.
  mlir::DialectRegistry registry;
  shardir::Plugins plugins;
  llvm::erase_if(args, [&](llvm::StringRef arg) { return plugins.take(arg); });
  std::string error;
  if (failed(plugins.load(registry, error))) {
    llvm::errs() << "shard-opt: error: " << error << "\n";
    return 1;
  }
  argc = args.size();
  args.push_back(nullptr);
  argv = args.data();

  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  shardir::registerAllDialects(registry);
  shardir::registerReaderDialects(registry);
  shardir::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "ShardIR's optimizer driver\n", registry));
}
