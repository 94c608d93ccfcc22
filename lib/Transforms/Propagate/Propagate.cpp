//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to propagated. Requires sugar resolved and calls inlined.
// A thin user of the algorithm of ShardIR/Propagation/Graph.h: builds the graph
// of each function (GraphBuilder.h) and writes its answer back.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "PropagateModule.h"

#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Transforms/Propagate/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/DebugLog.h"

namespace shardir {
#define GEN_PASS_DEF_PROPAGATE
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// Sugar is for the step before; its dims would be taken for none.
static LogicalResult checkNoDTensorSyntax(func::FuncOp function) {
  auto usesDTensorSyntax = [](Attribute attr) {
    auto placement = dyn_cast_or_null<PlacementAttr>(attr);
    return placement && placement.getValue().sugar;
  };
  bool found = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    found |=
        usesDTensorSyntax(function.getArgAttr(i, ShardIRDialect::kPlacement));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    found |= usesDTensorSyntax(
        function.getResultAttr(i, ShardIRDialect::kPlacement));
  function.walk([&](Operation *op) {
    if (auto constrain = dyn_cast<ConstrainOp>(op))
      found |= usesDTensorSyntax(constrain.getPlacement());
    if (auto own = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements))
      found |= llvm::any_of(own, usesDTensorSyntax);
  });
  if (found)
    return function.emitOpError(
        "has placements by mesh axis, `placements = "
        "[...]`; run shardir-lower-dtensor-syntax first");
  return success();
}

static LogicalResult checkGroups(func::FuncOp function) {
  llvm::DenseMap<int64_t, ConstrainOp> firsts;
  WalkResult result = function.walk([&](ConstrainOp op) {
    if (!op.getGroup())
      return WalkResult::advance();
    ConstrainOp first = firsts.try_emplace(*op.getGroup(), op).first->second;
    if (first.getType().getShape() == op.getType().getShape())
      return WalkResult::advance();
    InFlightDiagnostic error =
        op.emitOpError("puts ")
        << op.getType() << " into group " << *op.getGroup() << " with "
        << first.getType()
        << "; tensors of a group have one shape, so give "
           "this one another group";
    error.attachNote(first.getLoc()) << "the group's first tensor is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// A result in an argument's place has one annotation with it: the argument's,
/// or its own where that has none (R11). Two must agree (R1).
static LogicalResult mergeAliases(func::FuncOp function,
                                  const MeshTable &meshes) {
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto alias = dyn_cast_or_null<IntegerAttr>(
        function.getResultAttr(i, ShardIRDialect::kAlias));
    auto own = function.getResultAttrOfType<PlacementAttr>(
        i, ShardIRDialect::kPlacement);
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[i]);
    if (!alias || !own || !type)
      continue;
    unsigned argument = alias.getInt();
    auto given = function.getArgAttrOfType<PlacementAttr>(
        argument, ShardIRDialect::kPlacement);
    if (!given) {
      function.setArgAttr(argument, ShardIRDialect::kPlacement, own);
      continue;
    }
    if (given == own ||
        (given.getMesh() == own.getMesh() &&
         equivalent(given.getValue().closed(), own.getValue().closed(),
                    meshes.get(own), shapeOf(type))))
      continue;
    InFlightDiagnostic error = function.emitOpError("result ")
                               << i << " takes the place of argument "
                               << argument
                               << ", but their annotations differ; drop one or "
                                  "drop '"
                               << ShardIRDialect::kAlias << "'";
    error.attachNote(function.getArgument(argument).getLoc())
        << "argument " << argument << " is annotated " << given;
    error.attachNote(function.getLoc())
        << "result " << i << " is annotated " << own;
    return error;
  }
  return success();
}

void PropagationAnswers::add(ModuleOp program,
                             const PropagationRequest &request,
                             std::vector<PropagationResult> answers) {
  entries.push_back({program.clone(), request, std::move(answers)});
}

const std::vector<PropagationResult> *
PropagationAnswers::find(ModuleOp program,
                         const PropagationRequest &request) const {
  for (const Entry &entry : entries)
    if (entry.request == request &&
        entry.program.get()->getAttr(ShardIRDialect::kMachine) ==
            program->getAttr(ShardIRDialect::kMachine) &&
        OperationEquivalence::isRegionEquivalentTo(
            &entry.program.get().getBodyRegion(), &program.getBodyRegion(),
            OperationEquivalence::IgnoreLocations))
      return &entry.answers;
  return nullptr;
}

LogicalResult
shardir::propagateModule(ModuleOp module, const PropagationRequest &request,
                         PlanCache &plans, PropagationAnswers &answers,
                         bool isTrial, Pass::Statistic *numContested) {
  MeshTable meshes(module);
  if (meshes.all().empty() || stageOf(module) >= Stage::Local)
    return success();
  if (failed(checkMeshes(module)))
    return failure();
  const std::string &cost = request.options.cost;
  PropagationOptions model;
  model.mode = cost == "bytes" ? CostMode::Bytes : CostMode::Time;
  if (cost != "bytes" && cost != "time")
    return module.emitError()
           << "option cost " << mustBeOneOf({"time", "bytes"}, cost);
  auto mode = parseConflictMode(request.options.conflicts);
  if (!mode)
    return module.emitError() << "option conflicts "
                              << mustBeOneOf({"search", "greedy", "shardy"},
                                             request.options.conflicts);
  model.costModel = request.costModel;
  model.conflicts = *mode;
  model.memoryLimit = double(request.options.memoryLimit);
  model.rates = getMachine(module).rates;
  model.plans = &plans;
  // Reports count a loop of unknown trip count once, and so do bytes.
  int64_t unknownTrips = GraphBuilder::kUnknownTrips;
  if (model.mode == CostMode::Bytes &&
      model.conflicts == ConflictMode::Search) {
    unknownTrips = 1;
    model.weighUncontested = true;
    model.balanceRounds = 6;
  }
  std::vector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    if (failed(checkSupported(function)) ||
        failed(checkNoDTensorSyntax(function)) ||
        failed(checkGroups(function)) || failed(mergeAliases(function, meshes)))
      return failure();
    functions.push_back(function);
  }
  std::vector<std::unique_ptr<GraphBuilder>> builders;
  for (func::FuncOp function : functions)
    builders.push_back(
        std::make_unique<GraphBuilder>(function, meshes, unknownTrips));
  const std::vector<PropagationResult> *known = answers.find(module, request);
  std::vector<PropagationResult> found;
  for (auto [function, builder] : llvm::zip_equal(functions, builders)) {
    const PropagationGraph &graph = builder->build();
    // The check of a rule by itself does not know the axes of the mesh.
    if (std::optional<std::string> fault = verifyGraph(graph))
      return function.emitOpError("cannot be propagated: ") << *fault;
    if (known)
      continue;
    found.push_back(propagate(graph, model));
    for (auto [node, decided] : llvm::zip(graph.nodes, found.back().nodes)) {
      if (numContested && !decided.alternatives.empty())
        ++*numContested;
      for (const PropagationResult::Alternative &each : decided.alternatives)
        LDBG("shardir-propagate")
            << node.name << (each.isChosen ? " takes " : " may take ")
            << toString(each.placements.front()) << ": " << each.bytes
            << " bytes";
    }
  }
  if (isTrial && !known)
    answers.add(module, request, found);
  for (auto [builder, answer] :
       llvm::zip_equal(builders, known ? *known : found))
    builder->write(answer);
  return success();
}

namespace {

struct PropagatePass : shardir::impl::PropagateBase<PropagatePass> {
  using PropagateBase::PropagateBase;
  PropagatePass(PropagateOptions options,
                std::shared_ptr<const PropagationCostModel> costModel)
      : PropagateBase(std::move(options)), costModel(std::move(costModel)) {}

  void runOnOperation() override {
    auto &answers = getAnalysis<PropagationAnswers>();
    if (failed(propagateModule(
            getOperation(), {{cost, conflicts, memoryLimit}, costModel},
            getAnalysis<RedistributionPlans>().plans, answers,
            /*isTrial=*/false, &numContested)))
      return signalPassFailure();
    answers.clear();
  }

  std::shared_ptr<const PropagationCostModel> costModel; ///< null: the default
};

} // namespace

std::unique_ptr<Pass>
shardir::createPropagate(PropagateOptions options,
                         std::shared_ptr<const PropagationCostModel> model) {
  return std::make_unique<PropagatePass>(std::move(options), std::move(model));
}
