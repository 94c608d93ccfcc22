//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Soundness of rules: everything that a rule allows is localized by the pass of
// the pipeline and run on every device of a small mesh.
//
// Requires the dialects of the op and of its local form to be registered.
// Guarantees that a placement that cannot be localized counts as wrong, with
// the pass's own message.
//
//===----------------------------------------------------------------------===//

#include "Validate/Soundness.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Localize/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

namespace {
struct Case {
  const Mesh *mesh;
  OpPlacements placements;
};

class Soundness {
public:
  Soundness(const Subject &subject, Interpreter &interpreter,
            const SoundnessOptions &options)
      : subject(subject), interpreter(interpreter), options(options),
        data(options.seed) {}

  SoundnessResult run();

private:
  /// All cases on one mesh: a program has as many ranks as its largest one.
  void localizeAndRun(ArrayRef<Case> cases);
  OwningOpRef<ModuleOp> build(ArrayRef<Case> cases) const;
  void runCase(const Case &single, func::FuncOp local);
  std::optional<std::string> runWith(const Case &single, func::FuncOp local,
                                     Flavour flavour);
  void reportWrong(const Case &single, std::string reason) {
    result.wrong.push_back({single.mesh, single.placements, std::move(reason)});
  }

  const Subject &subject;
  Interpreter &interpreter;
  const SoundnessOptions &options;
  TestData data;
  SoundnessResult result;
  /// Arguments and results on whole tensors, by flavour.
  SmallVector<RuntimeValue> arguments[2], expected[2];
};
} // namespace

static PlacementAttr attribute(MLIRContext *context, const Mesh &mesh,
                               const Placement &placement) {
  return PlacementAttr::get(context, FlatSymbolRefAttr::get(context, mesh.name),
                            placement);
}

/// How the argument lies that an operand is made from: what overlaps is cut
/// from the whole.
static Placement argumentPlacement(const OpPlacements &placements,
                                   int operand) {
  Placement own = *placements.operands[operand];
  if (!placements.haloOf(operand).empty())
    for (DimPlacement &dim : own.dims)
      dim.splits.clear();
  return own;
}

/// A module with one function per case, at the collective stage.
OwningOpRef<ModuleOp> Soundness::build(ArrayRef<Case> cases) const {
  MLIRContext *context = subject.op->getContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(subject.op->getLoc());
  OpBuilder builder(module->getBodyRegion());
  const Mesh &mesh = *cases.front().mesh;
  SmallVector<Attribute> names;
  SmallVector<int64_t> sizes;
  for (const MeshAxis &axis : mesh.axes) {
    names.push_back(builder.getStringAttr(axis.name));
    sizes.push_back(axis.size);
  }
  OperationState state(subject.op->getLoc(), MeshOp::getOperationName());
  MeshOp::Properties &properties =
      state.getOrAddProperties<MeshOp::Properties>();
  properties.setSymName(builder.getStringAttr(mesh.name));
  properties.setAxisNames(builder.getArrayAttr(names));
  properties.setAxisSizes(builder.getDenseI64ArrayAttr(sizes));
  properties.setAssumedSizes(builder.getDenseI64ArrayAttr(sizes));
  builder.create(state);
  for (auto [i, single] : llvm::enumerate(cases)) {
    func::FuncOp function =
        cast<func::FuncOp>(builder.clone(*subject.op->getParentOp()));
    function.setName("case" + std::to_string(i));
    auto rank = [](Type type) {
      return cast<RankedTensorType>(type).getRank();
    };
    for (unsigned a = 0; a < function.getNumArguments(); ++a) {
      Type type = function.getArgumentTypes()[a];
      if (!isa<RankedTensorType>(type))
        continue;
      int operand = subject.operandOf[a];
      Placement placement = operand < 0
                                ? Placement::replicatedOfRank(rank(type))
                                : argumentPlacement(single.placements, operand);
      function.setArgAttr(a, ShardIRDialect::kPlacement,
                          attribute(context, *single.mesh, placement));
    }
    SmallVector<Attribute> results;
    for (auto [r, type] : llvm::enumerate(function.getResultTypes())) {
      Attribute placement = builder.getUnitAttr();
      if (isa<RankedTensorType>(type)) {
        placement =
            attribute(context, *single.mesh, *single.placements.results[r]);
        function.setResultAttr(
            r, builder.getStringAttr(ShardIRDialect::kPlacement), placement);
      }
      results.push_back(placement);
    }
    Operation *terminator = function.getBody().front().getTerminator();
    Operation *op = terminator->getOperand(0).getDefiningOp();
    OpBuilder before(op);
    for (unsigned a = 0; a < function.getNumArguments(); ++a) {
      int operand = subject.operandOf[a];
      Halo halo = operand < 0 ? Halo() : single.placements.haloOf(operand);
      if (halo.empty())
        continue;
      op->setOperand(
          operand, collective::createStep(
                       before, op->getLoc(), CollectiveKind::Slice,
                       function.getArgument(a),
                       attribute(context, *single.mesh,
                                 argumentPlacement(single.placements, operand)),
                       attribute(context, *single.mesh,
                                 *single.placements.operands[operand]),
                       ReasonAttr(), haloAttr(context, halo)));
    }
    if (llvm::any_of(op->getResultTypes(),
                     [](Type type) { return isa<RankedTensorType>(type); }))
      op->setAttr(ShardIRDialect::kPlacements, builder.getArrayAttr(results));
  }
  return module;
}

void Soundness::localizeAndRun(ArrayRef<Case> cases) {
  OwningOpRef<ModuleOp> module = build(cases);
  std::string message;
  LogicalResult localized = failure();
  {
    ScopedDiagnosticHandler handler(
        module->getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              message.empty())
            message = diagnostic.str();
          return success();
        });
    PassManager passes(module->getContext());
    passes.addPass(createLocalize());
    localized = passes.run(*module);
  }
  if (succeeded(localized)) {
    for (auto [i, single] : llvm::enumerate(cases))
      runCase(single,
              module->lookupSymbol<func::FuncOp>("case" + std::to_string(i)));
    return;
  }
  // One of them has no local form; find out which.
  if (cases.size() == 1) {
    ++result.ran;
    reportWrong(cases.front(), "has no local form: " + message);
    return;
  }
  localizeAndRun(cases.take_front(cases.size() / 2));
  localizeAndRun(cases.drop_front(cases.size() / 2));
}

/// Whether values are added or multiplied in another order than on one device.
static bool roundsOtherwise(const Case &single) {
  auto reorders = [](const std::optional<Placement> &placement) {
    return placement && (placement->partial == PartialKind::Sum ||
                         placement->partial == PartialKind::Prod);
  };
  return llvm::any_of(single.placements.operands, reorders) ||
         llvm::any_of(single.placements.results, reorders);
}

std::optional<std::string>
Soundness::runWith(const Case &single, func::FuncOp local, Flavour flavour) {
  const Mesh &mesh = *single.mesh;
  ArrayRef<RuntimeValue> whole = arguments[int(flavour)];
  SmallVector<std::vector<Tensor>> shards(whole.size());
  for (auto [a, value] : llvm::enumerate(whole)) {
    if (!value.tensor)
      continue;
    int operand = subject.operandOf[a];
    shards[a] = distribute(
        *value.tensor,
        operand < 0 ? Placement::replicatedOfRank(value.tensor->rank())
                    : argumentPlacement(single.placements, operand),
        mesh, data);
  }
  std::vector<SmallVector<RuntimeValue>> found;
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    SmallVector<RuntimeValue> own(whole);
    for (auto [value, shard] : llvm::zip(own, shards))
      if (value.tensor)
        value.tensor = shard[position];
    interpreter.device = {&mesh, position, {}};
    FailureOr<SmallVector<RuntimeValue>> values = interpreter.call(local, own);
    if (failed(values))
      return "fails on rank " + std::to_string(position) + ": " +
             interpreter.takeError();
    found.push_back(std::move(*values));
  }
  bool inexact = roundsOtherwise(single) || subject.opName == "linalg.softmax";
  Assembly assembly{mesh, inexact ? Exactness::Rounded : Exactness::Bits};
  for (auto [r, value] : llvm::enumerate(expected[int(flavour)])) {
    std::string name = "result " + std::to_string(r) + " ";
    if (!value.tensor) {
      Type type = subject.op->getResult(r).getType();
      for (auto [position, own] : llvm::enumerate(found))
        if (!agrees(type, value.scalar, own[r].scalar, Exactness::Bits))
          return name + "is " + toString(type, own[r].scalar) + " on rank " +
                 std::to_string(position) + ", expected " +
                 toString(type, value.scalar);
      continue;
    }
    std::vector<Tensor> parts;
    for (const SmallVector<RuntimeValue> &own : found)
      parts.push_back(own[r].tensor);
    if (auto wrong = assembly.compare(*value.tensor,
                                      *single.placements.results[r], parts))
      return name + *wrong;
  }
  return std::nullopt;
}

void Soundness::runCase(const Case &single, func::FuncOp local) {
  ++result.ran;
  // Special values where only their order or place matters: sums and products
  // of infinities depend on which come first.
  for (Flavour flavour : {Flavour::Small, Flavour::Special}) {
    if (flavour == Flavour::Special &&
        (roundsOtherwise(single) || expected[int(flavour)].empty()))
      continue;
    if (auto wrong = runWith(single, local, flavour)) {
      reportWrong(single, *wrong);
      return;
    }
  }
}

SoundnessResult Soundness::run() {
  for (Flavour flavour : {Flavour::Small, Flavour::Special}) {
    auto values = subject.arguments(interpreter, data, flavour);
    auto results = succeeded(values)
                       ? interpreter.call(subject.function, *values)
                       : FailureOr<SmallVector<RuntimeValue>>();
    if (failed(results)) {
      // Special values may be outside of what the op is defined for.
      std::string error = interpreter.takeError();
      if (flavour == Flavour::Small) {
        result.error = error;
        return result;
      }
      continue;
    }
    arguments[int(flavour)] = *values;
    expected[int(flavour)] = *results;
  }
  for (const Mesh &mesh : testMeshes(options.meshes)) {
    std::vector<Case> cases;
    std::vector<OpPlacements> allowed = allowedPlacements(subject, mesh);
    result.allowed += allowed.size();
    int64_t count = allowed.size();
    if (options.samples > 0)
      count = std::min(count, options.samples);
    // Those drawn go to the front (Fisher and Yates).
    for (int64_t i = 0; i < count && count < int64_t(allowed.size()); ++i)
      std::swap(allowed[i], allowed[i + data.below(allowed.size() - i)]);
    for (int64_t i = 0; i < count; ++i)
      cases.push_back({&mesh, std::move(allowed[i])});
    if (!cases.empty())
      localizeAndRun(cases);
  }
  return result;
}

SoundnessResult validate::checkSoundness(const Subject &subject,
                                         Interpreter &interpreter,
                                         const SoundnessOptions &options) {
  return Soundness(subject, interpreter, options).run();
}
