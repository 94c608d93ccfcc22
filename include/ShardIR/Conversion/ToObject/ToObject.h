//===- ToObject.h - LLVM dialect to a shared object -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last steps of compilation: translate a module in LLVM dialect, optimise
// it, write a position-independent object file, and link object files to a
// shared object whose runtime symbols stay undefined. No compiler driver and no
// start files are needed, only LLVM's lld.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_TOOBJECT_TOOBJECT_H
#define SHARDIR_CONVERSION_TOOBJECT_TOOBJECT_H

#include "ShardIR/Conversion/LinalgToCPU/CpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace shardir {

struct ObjectOptions {
  CpuTarget target = CpuTarget::host();
  /// 0 to 3, as for a C compiler.
  unsigned optLevel = 2;
};

/// Writes `module`, which holds nothing but LLVM dialect and gpu.binary ops, to
/// the object file `path`; the image of the i-th binary, the cubin if there is
/// one, is its constant `shardir_program_gpu_<i>`. Errors are diagnostics at
/// the module's location.
mlir::LogicalResult emitObject(mlir::ModuleOp module,
                               const ObjectOptions &options,
                               llvm::StringRef path);

/// Joins object files to the relocatable object file `path`. Errors, the
/// linker's own output included, are diagnostics at `loc`.
mlir::LogicalResult joinObjects(mlir::Location loc,
                                llvm::ArrayRef<std::string> objects,
                                llvm::StringRef path);

/// Links object files to the shared object `path`. It needs libm and libc;
/// every other undefined symbol stays for the loader to find. Errors, the
/// linker's own output included, are diagnostics at `loc`.
mlir::LogicalResult linkSharedObject(mlir::Location loc,
                                     llvm::ArrayRef<std::string> objects,
                                     llvm::StringRef path);

} // namespace shardir

#endif // SHARDIR_CONVERSION_TOOBJECT_TOOBJECT_H
