//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where ptxas and libdevice are on this machine, and what ptxas says. Nothing
// of CUDA is needed to build this project, or to compile for a GPU where
// neither is found: PTX then goes to the driver, and only functions of
// libdevice are out of reach.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_CUDATOOLS_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_CUDATOOLS_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace shardir {

/// The path of ptxas, empty where there is none: `given`, $SHARDIR_PTXAS, bin
/// of $CUDA_HOME, $CUDA_PATH, $CUDA_ROOT and /usr/local/cuda, the path, and the
/// folder that utils/install-deps.sh --gpu fills.
std::string findPtxas(llvm::StringRef given);

/// The path of libdevice.10.bc, empty where there is none: $SHARDIR_LIBDEVICE,
/// nvvm/libdevice of the same folders.
std::string findLibdevice();

/// The resource usage that ptxas reports for one kernel.
struct KernelResources {
  std::string name;
  int64_t registers = 0, stackBytes = 0;
  int64_t spillStoreBytes = 0, spillLoadBytes = 0;
  int64_t staticSharedBytes = 0;
};

struct Assembly {
  /// Empty where ptxas failed.
  std::string cubin;
  std::vector<KernelResources> kernels;
  /// The output of ptxas.
  std::string log;
};

/// Runs ptxas on `ptx` for `arch`. `error` says why it could not be run; what
/// it refuses is in the log.
Assembly assemblePtx(llvm::StringRef ptxas, llvm::StringRef ptx,
                     llvm::StringRef arch, std::string &error);

/// The kernels in a log of `ptxas -v`.
std::vector<KernelResources> readPtxasLog(llvm::StringRef log);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_CUDATOOLS_H
