/*===- consumer.c - ShardIR through MLIR's C API
---------------------------===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * Parses a collective and prints the groups of ranks in which it communicates.
 */
#include <ShardIR-c/ShardIR.h>
#include <mlir-c/Support.h>
#include <stdio.h>

static const char program[] =
    "shardir.mesh @m <[\"x\"=2, \"y\"=2]>\n"
    "%a = \"my.tensor\"() : () -> tensor<8xf32>\n"
    "%0 = collective.all_gather %a from #shardir.placement<@m, [{\"y\"}]>\n"
    "    to #shardir.placement<@m, [{}]> : tensor<8xf32>\n";

static MlirWalkResult print_groups(MlirOperation op, void *unused) {
  (void)unused;
  for (intptr_t group = 0; group < shardirCollectiveGetNumGroups(op); ++group) {
    int64_t ranks[4];
    intptr_t count = shardirCollectiveGetGroup(op, group, ranks, 4);
    for (intptr_t i = 0; i < count; ++i)
      printf("%d%c", (int)ranks[i], i + 1 < count ? ' ' : '\n');
  }
  return MlirWalkResultAdvance;
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  shardirRegisterAllDialects(registry);
  shardirRegisterAllPasses();
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextSetAllowUnregisteredDialects(context, true);
  MlirModule module =
      mlirModuleCreateParse(context, mlirStringRefCreateFromCString(program));
  int failed = mlirModuleIsNull(module);
  if (!failed) {
    mlirOperationWalk(mlirModuleGetOperation(module), print_groups, NULL,
                      MlirWalkPreOrder);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  return failed;
}
