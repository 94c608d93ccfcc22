//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of what is registered: dialects, external models, passes, pipelines.
// Requires upstream's dialects to be registered by whoever needs them parsed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/InitAll.h"

#include "ShardIR/Conversion/Attention/Passes.h"
#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/ExternalModels/ExternalModels.h"
#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Transforms/Passes.h"

void shardir::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<ShardIRDialect, collective::CollectiveDialect,
                  kernel::KernelDialect>();
  registerLinalgModels(registry);
  registerTensorModels(registry);
  registerElementwiseModels(registry);
  registerBufferTensorModels(registry);
  registerScalarModels(registry);
  registerBufferizationModels(registry);
  registerAttentionModels(registry);
  registerBarrierModels(registry);
  registerManualModels(registry);
  registerIndexedOpsModels(registry);
  registerSCFModels(registry);
  registerUBModels(registry);
}

void shardir::registerAllPasses() {
  registerTransformsPasses();
  registerAttentionPasses();
  registerCollectivesToRuntimePasses();
  registerLinalgToCPUPasses();
  registerLinalgToCPUPipelines();
  registerGpuPasses();
  registerPipelines();
}
