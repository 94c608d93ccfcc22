//===- UseMachine.cpp - The machine that decisions are made for -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Guarantees that each mesh axis has a link, and the module
// rates, where a machine is named.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardir {
#define GEN_PASS_DEF_USEMACHINE
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// Gives the axes of `op` that have no link those of the machine.
static void addLinks(MeshOp op, const Machine &machine) {
  Builder builder(op.getContext());
  Mesh mesh = op.getMesh();
  NamedAttrList links(op.getLinksAttr());
  for (auto [i, axis] : llvm::enumerate(mesh.axes)) {
    Link link = machine.linkOf(mesh, i);
    if (links.get(axis.name) || link == Link())
      continue;
    NamedAttrList fields;
    fields.set("bandwidth", builder.getF64FloatAttr(link.bandwidth));
    fields.set("latency", builder.getF64FloatAttr(link.latency));
    if (link.gatherBandwidth > link.bandwidth)
      fields.set("gather_bandwidth",
                 builder.getF64FloatAttr(link.gatherBandwidth));
    links.set(axis.name, fields.getDictionary(op.getContext()));
  }
  if (!links.empty())
    op.setLinksAttr(links.getDictionary(op.getContext()));
}

namespace {

struct UseMachinePass : shardir::impl::UseMachineBase<UseMachinePass> {
  using UseMachineBase::UseMachineBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (machine.empty())
      return markAllAnalysesPreserved();
    std::string error;
    std::optional<Machine> known = readMachine(machine, error);
    if (!known) {
      module.emitError() << error;
      return signalPassFailure();
    }
    if (!module->hasAttr(ShardIRDialect::kMachine))
      module->setAttr(ShardIRDialect::kMachine,
                      toAttribute(*known, &getContext()));
    module.walk([&](MeshOp op) { addLinks(op, *known); });
  }
};

} // namespace
