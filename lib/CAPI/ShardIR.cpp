//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ShardIR-c/ShardIR.h on top of the C++ libraries.
//
//===----------------------------------------------------------------------===//

#include "ShardIR-c/ShardIR.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/Collective/ReplicaGroups.h"
#include "ShardIR/InitAll.h"

#include "mlir/CAPI/Registration.h"

using namespace mlir;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(ShardIR, shardir, shardir::ShardIRDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Collective, collective,
                                      shardir::collective::CollectiveDialect)

void shardirRegisterAllDialects(MlirDialectRegistry registry) {
  shardir::registerAllDialects(*unwrap(registry));
}

void shardirRegisterAllPasses(void) { shardir::registerAllPasses(); }

intptr_t shardirCollectiveGetNumGroups(MlirOperation op) {
  auto groups = shardir::collective::getReplicaGroups(unwrap(op));
  return failed(groups) ? -1 : intptr_t(groups->size());
}

intptr_t shardirCollectiveGetGroup(MlirOperation op, intptr_t group,
                                   int64_t *ranks, intptr_t capacity) {
  auto groups = shardir::collective::getReplicaGroups(unwrap(op));
  if (failed(groups) || group < 0 || size_t(group) >= groups->size())
    return -1;
  const std::vector<int64_t> &found = (*groups)[group];
  for (intptr_t i = 0; i < capacity && size_t(i) < found.size(); ++i)
    ranks[i] = found[i];
  return found.size();
}
