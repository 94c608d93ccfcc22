//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages' names and the attribute that says which one a module is in. Any
// stage.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

using namespace mlir;
using namespace shardir;

static constexpr StringLiteral kNames[] = {
    "annotated", "propagated", "redistributed", "collective", "local",
    "scheduled", "bufferized", "cpu",           "gpu"};

StringRef shardir::stageName(Stage stage) { return kNames[int(stage)]; }

std::optional<Stage> shardir::parseStage(StringRef name) {
  const auto *found = llvm::find(kNames, name);
  if (found == std::end(kNames))
    return std::nullopt;
  return Stage(found - std::begin(kNames));
}

Stage shardir::stageOf(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(ShardIRDialect::kStage);
  return name ? parseStage(name).value_or(Stage::Local) : Stage::Annotated;
}

void shardir::setStage(ModuleOp module, Stage stage) {
  module->setAttr(ShardIRDialect::kStage,
                  StringAttr::get(module.getContext(), stageName(stage)));
}

LogicalResult shardir::expectLocal(ModuleOp module, StringRef pass,
                                   StringRef pipeline) {
  if (stageOf(module) >= Stage::Local || module.getOps<MeshOp>().empty())
    return success();
  return module.emitError("is not local yet; run shardir-localize before ")
         << pass << ", or " << pipeline;
}
