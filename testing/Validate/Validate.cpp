//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One report per function of a module, as diagnostics and as JSON. Requires a
// verified module; guarantees one error for each op whose rule is wrong, with
// its first wrong placement, and one warning for each gap.
//
//===----------------------------------------------------------------------===//

#include "Validate/Validate.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

static std::string signatureOf(const Subject &subject) {
  Operation *op = subject.op;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << '(';
  llvm::interleaveComma(subject.operandTypes, out);
  out << ") -> ";
  if (op->getNumResults() != 1)
    out << '(';
  llvm::interleaveComma(op->getResultTypes(), out);
  if (op->getNumResults() != 1)
    out << ')';
  return text;
}

static void reportWrong(const Subject &subject, const OpReport &report) {
  const WrongCase &first = report.wrong.front();
  InFlightDiagnostic diagnostic =
      subject.op->emitError()
      << "the rule of '" << report.op << "' is wrong on mesh "
      << toString(*first.mesh) << " with " << toString(first.placements) << ": "
      << first.reason;
  diagnostic.attachNote(subject.op->getParentOp()->getLoc())
      << "in @" << report.function << ", " << report.signature;
  if (report.wrong.size() > 1)
    diagnostic.attachNote(subject.op->getLoc())
        << report.wrong.size() << " of " << report.ran
        << " placements that ran are wrong";
}

/// The attributes of an op, but for what is written on it for ShardIR.
static DictionaryAttr ownAttributes(Operation *op) {
  NamedAttrList list(op->getAttrDictionary());
  for (NamedAttribute each : op->getAttrs())
    if (each.getName().strref().starts_with("shardir."))
      list.erase(each.getName());
  return list.getDictionary(op->getContext());
}

/// A function that says what all ops of a name compute says too little where
/// these have different attributes.
static LogicalResult checkMeaning(const Subject &subject, ModuleOp module,
                                  const Interpreter &interpreter) {
  func::FuncOp meaning = interpreter.meaningOf(subject.op);
  if (!meaning || Interpreter::attributesOf(meaning))
    return success();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!Subject::isSubject(function))
      continue;
    WalkResult result = function.walk([&](Operation *other) {
      if (other->getName() != subject.op->getName() ||
          interpreter.meaningOf(other) != meaning ||
          ownAttributes(other) == ownAttributes(subject.op))
        return WalkResult::advance();
      InFlightDiagnostic error =
          subject.op->emitOpError("has other attributes than in @")
          << function.getName() << ", and @" << meaning.getName()
          << " says what both compute; write such a function for each, with "
             "the attributes in question: validate.attributes = "
          << ownAttributes(subject.op);
      error.attachNote(other->getLoc()) << "the other op is here";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

static OpReport validateOp(const Subject &subject, Interpreter &interpreter,
                           const ValidateOptions &options, Accepted &accepted) {
  OpReport report;
  report.function = subject.name;
  report.op = subject.opName;
  report.rule = subject.rule;
  report.signature = signatureOf(subject);
  SoundnessResult sound = checkSoundness(
      subject, interpreter, {options.seed, options.samples, options.meshes});
  report.allowed = sound.allowed;
  report.ran = sound.ran;
  report.wrong = std::move(sound.wrong);
  report.error = sound.error;
  if (!report.error.empty()) {
    subject.op->emitError() << "cannot be run unsharded: " << report.error;
    return report;
  }
  if (!report.wrong.empty())
    reportWrong(subject, report);
  if (!options.completeness)
    return report;
  report.missing = findMissing(subject, interpreter, options.seed);
  for (Missing &missing : report.missing) {
    if (const std::string *reason = accepted.find(report.op, missing.text)) {
      missing.reason = *reason;
      continue;
    }
    subject.op->emitWarning()
        << "the rule of '" << report.op
        << "' lacks what needs no communication: " << missing.text << " (in @"
        << report.function << ", " << report.signature << ")";
  }
  return report;
}

std::vector<OpReport> validate::validateModule(ModuleOp module,
                                               const ValidateOptions &options,
                                               Accepted &accepted) {
  module.getContext()->loadDialect<ShardIRDialect>();
  module.getContext()->loadDialect<collective::CollectiveDialect>();
  Interpreter interpreter(module);
  std::vector<OpReport> reports;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!Subject::isSubject(function) ||
        (!options.function.empty() && options.function != function.getName()))
      continue;
    FailureOr<Subject> subject = Subject::create(function);
    if (succeeded(subject)) {
      if (failed(checkMeaning(*subject, module, interpreter))) {
        OpReport &report = reports.emplace_back();
        report.function = subject->name;
        report.op = subject->opName;
        report.rule = subject->rule;
        report.error = "has other attributes than its function is for";
        continue;
      }
      reports.push_back(validateOp(*subject, interpreter, options, accepted));
      continue;
    }
    OpReport report;
    report.function = function.getName();
    report.error = "is not a function around one op";
    reports.push_back(std::move(report));
  }
  return reports;
}

llvm::json::Value validate::toJson(ArrayRef<OpReport> reports) {
  llvm::json::Array ops;
  for (const OpReport &report : reports) {
    llvm::json::Array wrong, missing;
    for (const WrongCase &single : report.wrong)
      wrong.push_back(
          llvm::json::Object{{"mesh", toString(*single.mesh)},
                             {"placements", toString(single.placements)},
                             {"reason", single.reason}});
    for (const Missing &gap : report.missing) {
      llvm::json::Object object{{"placements", toString(gap.placements)},
                                {"missing", gap.text}};
      if (!gap.reason.empty())
        object["accepted"] = gap.reason;
      missing.push_back(std::move(object));
    }
    llvm::json::Object object{
        {"file", report.file},       {"function", report.function},
        {"op", report.op},           {"types", report.signature},
        {"allowed", report.allowed}, {"ran", report.ran},
        {"wrong", std::move(wrong)}, {"missing", std::move(missing)}};
    if (!report.error.empty())
      object["error"] = report.error;
    if (!report.rule.replicatedBecause.empty())
      object["replicated_because"] = report.rule.replicatedBecause;
    ops.push_back(std::move(object));
  }
  return llvm::json::Object{{"version", 1}, {"ops", std::move(ops)}};
}
