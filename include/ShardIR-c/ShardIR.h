/*===- ShardIR.h - ShardIR's dialects and passes in C -------------*- C -*-===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * The compiler as MLIR's C API sees it: handles of the dialects, registration
 * of models and passes, and the groups of a collective. Link ShardIRCAPI, and
 * MLIR's own C API. (ShardIR/Runtime/ShardIR.h runs compiled programs.)
 */
#ifndef SHARDIR_C_SHARDIR_H
#define SHARDIR_C_SHARDIR_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* mlirGetDialectHandle__shardir__() and mlirGetDialectHandle__collective__().
 */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(ShardIR, shardir);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Collective, collective);

/* All dialects of ShardIR, and its models of upstream's dialects: pipelines
 * need these, so register them before a context is made of the registry. */
MLIR_CAPI_EXPORTED void
shardirRegisterAllDialects(MlirDialectRegistry registry);

/* All passes and the pipelines shardir-to-<stage>; once per process. */
MLIR_CAPI_EXPORTED void shardirRegisterAllPasses(void);

/* The number of groups of ranks in which a collective op communicates, or -1 if
 * the op is no collective or a size of its mesh is not known. */
MLIR_CAPI_EXPORTED intptr_t shardirCollectiveGetNumGroups(MlirOperation op);

/* The ranks of group `group`. Writes at most `capacity` of them, and returns
 * how many there are; -1 where there is no such group. */
MLIR_CAPI_EXPORTED intptr_t shardirCollectiveGetGroup(MlirOperation op,
                                                      intptr_t group,
                                                      int64_t *ranks,
                                                      intptr_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* SHARDIR_C_SHARDIR_H */
