//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, before and after. Requires a mesh; guarantees a closed
// placement on every tensor argument and result of each function, those that
// were there unchanged. The program itself is not touched: the search
// (ShardIR/Propagation/Proposal.h) looks at a copy in which calls are inlined
// as propagation would have them.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "ProposalText.h"

#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Memory/MemorySavings.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Transforms/Normalize/Passes.h"
#include "ShardIR/Transforms/Propagate/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

namespace shardir {
#define GEN_PASS_DEF_PROPOSE
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// `shardir.name`, else the name in the argument's location; empty for none.
static std::string nameOf(func::FuncOp function, unsigned argument) {
  if (auto name = function.getArgAttrOfType<StringAttr>(argument,
                                                        ShardIRDialect::kName))
    return name.str();
  if (auto name = dyn_cast<NameLoc>(function.getArgument(argument).getLoc()))
    return name.getName().str();
  return "";
}

namespace {

struct ProposePass : shardir::impl::ProposeBase<ProposePass> {
  using ProposeBase::ProposeBase;
  ProposePass(ProposeOptions options,
              std::shared_ptr<const PropagationCostModel> costModel)
      : ProposeBase(std::move(options)), costModel(std::move(costModel)) {}

  /// The passes that the pipelines run ahead of propagation.
  static void addPasses(OpPassManager &passes) {
    passes.addPass(createLowerDTensorSyntax());
    passes.addPass(createCheckExits());
    passes.addPass(createLiftControlFlowToSCFPass());
    passes.addPass(createForallToFor());
    passes.addPass(createConstrainCallees());
    passes.addPass(createInlineCallees());
    passes.addPass(createInlineManual());
    passes.addPass(createNormalize());
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    ProposeBase::getDependentDialects(registry);
    OpPassManager passes(ModuleOp::getOperationName());
    addPasses(passes);
    passes.getDependentDialects(registry);
  }

  /// The module as propagation will see it.
  FailureOr<OwningOpRef<ModuleOp>> prepare() {
    OwningOpRef<ModuleOp> copy(getOperation().clone());
    PassManager passes(&getContext(), ModuleOp::getOperationName());
    addPasses(passes);
    if (failed(passes.run(*copy)))
      return failure();
    return copy;
  }

  /// Pairs each result without a placement with the argument whose placement it
  /// should have: the k-th result of a type with the k-th argument of that
  /// type, as a layer's output with its input, or a gradient with its weight.
  /// A result that may have any placement would cost nothing here, and its next
  /// user would have to redistribute it.
  static void pairResults(func::FuncOp function, const GraphBuilder &builder,
                          PropagationGraph &graph) {
    llvm::DenseMap<Type, SmallVector<int>> byType;
    for (auto [type, n] :
         llvm::zip(function.getArgumentTypes(), builder.nodesOfArguments()))
      if (n >= 0)
        byType[type].push_back(n);
    for (SmallVector<int> &nodes : llvm::make_second_range(byType))
      std::reverse(nodes.begin(), nodes.end());
    for (auto [i, n] : llvm::enumerate(builder.nodesOfResults())) {
      if (n < 0)
        continue;
      SmallVector<int> &left = byType[function.getResultTypes()[i]];
      if (left.empty())
        continue;
      int argument = left.pop_back_val();
      if (graph.nodes[n].alias < 0 &&
          !function.getResultAttr(i, ShardIRDialect::kPlacement) &&
          graph.nodes[n].mesh == graph.nodes[argument].mesh)
        graph.nodes[n].alias = argument;
    }
  }

  /// A module of several meshes needs the name of one.
  LogicalResult checkMesh(func::FuncOp function, const MeshTable &meshes) {
    if (meshes.all().size() <= 1)
      return success();
    bool isNamed = false;
    auto look = [&](Attribute attr) {
      attr.walk([&](PlacementAttr) { isNamed = true; });
    };
    function->walk([&](Operation *op) { look(op->getAttrDictionary()); });
    if (isNamed)
      return success();
    return function.emitOpError("could be on any of ")
           << meshes.all().size()
           << " meshes; annotate an argument with a placement on one of them, "
              "such as one of open dims, {?}";
  }

  /// Says that the placements which need fewest bytes exceed the limit, by the
  /// prediction, which does not know what is computed a second time later.
  void explainExcess(GraphBuilder &builder, const ProposalCandidate &best,
                     func::FuncOp function) {
    Operation *at = builder.opOf(best.peakNode);
    InFlightDiagnostic diag =
        (at ? purposeOf(at)->emitRemark() : function.emitRemark())
        << "a device is predicted to need " << int64_t(best.peakBytes)
        << " bytes here with the placements of @" << function.getSymName()
        << "'s arguments that need fewest, above the memory limit of "
        << int64_t(memoryLimit);
    diag.attachNote(function.getLoc())
        << "they are proposed, as recomputation may lower that; raise "
           "memory-limit, or use a larger mesh, where it does not";
  }

  void explain(func::FuncOp function, const Proposal &proposal,
               ArrayRef<ProposedArgument> arguments) {
    constexpr size_t kShown = 8;
    const ProposalCandidate &chosen = proposal.candidates.front();
    InFlightDiagnostic diag = emitRemark(function.getLoc())
                              << "proposed for @" << function.getSymName()
                              << ": " << describeSplits(chosen, arguments)
                              << ": " << describeCost(chosen);
    std::string limit =
        memoryLimit > 0
            ? llvm::formatv(", within {0} bytes", int64_t(memoryLimit)).str()
            : "";
    diag.attachNote() << "compared by " << cost << limit << ": "
                      << proposal.candidates.size() << " placements in "
                      << proposal.attempts << " attempts";
    for (auto [i, other] : llvm::enumerate(proposal.candidates)) {
      std::string splits = describeSplits(other, arguments);
      bool isWhole = splits == "nothing split";
      // Unsharded arguments are the baseline of the comparison.
      if (i == 0 || (i > kShown && !isWhole))
        continue;
      diag.attachNote() << splits << ": " << describeCost(other);
    }
  }

  LogicalResult proposeFor(func::FuncOp copy, const MeshTable &meshes,
                           const ProposalOptions &options,
                           llvm::json::Array &log) {
    if (failed(checkSupported(copy)))
      return failure();
    if (failed(checkMesh(copy, meshes)))
      return failure();
    GraphBuilder builder(copy, meshes);
    PropagationGraph graph;
    {
      // Propagation will say it.
      ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &diag) {
        return success(diag.getSeverity() == DiagnosticSeverity::Remark);
      });
      graph = builder.build();
    }
    pairResults(copy, builder, graph);
    std::vector<int> nodes;
    std::vector<ProposedArgument> arguments;
    bool isFree = false;
    for (auto [i, n] : llvm::enumerate(builder.nodesOfArguments())) {
      if (n < 0)
        continue;
      nodes.push_back(n);
      arguments.push_back(
          {int(i), &meshes.all()[graph.nodes[n].mesh], nameOf(copy, i)});
      isFree |= !copy.getArgAttr(i, ShardIRDialect::kPlacement);
    }
    if (!isFree)
      return success();
    Proposal proposal = propose(graph, nodes, options);
    const ProposalCandidate &best = proposal.candidates.front();
    auto function = getOperation().lookupSymbol<func::FuncOp>(copy.getName());
    if (!best.fits)
      explainExcess(builder, best, copy);
    explain(function, proposal, arguments);
    log.push_back(toJson(copy.getName(), proposal, arguments, options));
    auto attr = [&](int n, const Placement &placement, Type type) {
      const Mesh &mesh = graph.meshes[graph.nodes[n].mesh];
      return PlacementAttr::get(
          &getContext(), mesh.name,
          normalForm(placement, mesh, shapeOf(cast<RankedTensorType>(type))));
    };
    for (auto [i, argument] : llvm::enumerate(arguments))
      if (!function.getArgAttr(argument.number, ShardIRDialect::kPlacement))
        function.setArgAttr(argument.number, ShardIRDialect::kPlacement,
                            attr(nodes[i], best.arguments[i],
                                 function.getArgumentTypes()[argument.number]));
    for (auto [i, n] : llvm::enumerate(builder.nodesOfResults()))
      if (n >= 0 && !function.getResultAttr(i, ShardIRDialect::kPlacement) &&
          !function.getResultAttr(i, ShardIRDialect::kAlias))
        function.setResultAttr(
            i, StringAttr::get(&getContext(), ShardIRDialect::kPlacement),
            attr(n, proposal.result.nodes[n].sharding->operands[0],
                 function.getResultTypes()[i]));
    return success();
  }

  LogicalResult write(llvm::json::Array log) {
    if (file.empty())
      return success();
    std::string error;
    std::unique_ptr<llvm::ToolOutputFile> out = openOutputFile(file, &error);
    if (!out)
      return getOperation().emitError()
             << "cannot write what was compared: " << error;
    llvm::json::Value all =
        llvm::json::Object{{"version", 1}, {"functions", std::move(log)}};
    out->os() << llvm::formatv("{0:2}\n", all);
    out->keep();
    return success();
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    if (stageOf(module) >= Stage::Local)
      return success();
    ProposalOptions options;
    if (cost != "time" && cost != "bytes")
      return module.emitError()
             << "option cost " << mustBeOneOf({"time", "bytes"}, cost);
    if (memoryLimit < 0)
      return module.emitError()
             << "option memory-limit must not be negative, found "
             << int64_t(memoryLimit);
    options.cost.mode = cost == "bytes" ? CostMode::Bytes : CostMode::Time;
    options.cost.memoryLimit = double(memoryLimit);
    options.cost.rates = getMachine(module).rates;
    options.cost.costModel = costModel;
    if (MeshTable(module).all().empty())
      return module.emitError(
          "the program has no mesh to propose placements on; declare one, as "
          "in shardir.mesh @m <[\"dp\"=2]>");
    if (failed(checkMeshes(module)))
      return failure();
    auto copy = prepare();
    if (failed(copy))
      return failure();
    MeshTable meshes(**copy);
    llvm::json::Array log;
    for (auto function : (*copy)->getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          failed(proposeFor(function, meshes, options, log)))
        return failure();
    return write(std::move(log));
  }

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  std::shared_ptr<const PropagationCostModel> costModel; ///< null: the default
};

} // namespace

std::unique_ptr<Pass>
shardir::createPropose(ProposeOptions options,
                       std::shared_ptr<const PropagationCostModel> costModel) {
  return std::make_unique<ProposePass>(std::move(options),
                                       std::move(costModel));
}
