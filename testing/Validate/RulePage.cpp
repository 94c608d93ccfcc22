//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of docs/Rules.md: one per file of the corpus, one row per op and
// rule. Requires reports of validateModule; guarantees the same text for the
// same rules.
//
//===----------------------------------------------------------------------===//

#include "Validate/Validate.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

namespace {
/// In the order in which they were added.
using Texts =
    llvm::MapVector<std::string, std::string, std::map<std::string, unsigned>>;

/// The texts of one rule. Factors are called a, b, … in the order in which
/// results and then operands show them.
class RuleText {
public:
  explicit RuleText(const ShardingRule &rule) : rule(rule) {
    for (const TensorFactors &tensor : rule.results)
      name(tensor);
    for (const TensorFactors &tensor : rule.operands)
      name(tensor);
  }

  std::string shards() const;
  std::string partials() const;
  std::string passes() const;

private:
  void name(const TensorFactors &tensor);
  std::string text(ArrayRef<TensorFactors> tensors) const;

  const ShardingRule &rule;
  llvm::MapVector<int, std::string> names;
};
} // namespace

void RuleText::name(const TensorFactors &tensor) {
  for (const DimFactors &dim : tensor.dims)
    for (int factor : dim)
      if (rule.factors[factor].kind != FactorKind::Replicate &&
          !names.count(factor)) {
        size_t number = names.size();
        std::string letter(1, 'a' + number % 26);
        names[factor] =
            number < 26 ? letter : letter + std::to_string(number / 26);
      }
}

std::string RuleText::text(ArrayRef<TensorFactors> tensors) const {
  std::string text = "(";
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    text += i ? ", [" : "[";
    for (auto [d, dim] : llvm::enumerate(tensor.dims)) {
      text += d ? ", " : "";
      std::string factors;
      for (int factor : dim)
        if (auto it = names.find(factor); it != names.end())
          factors += (factors.empty() ? "" : "*") + it->second;
      text += factors.empty() ? "_" : factors;
    }
    text += "]";
  }
  return text + ")";
}

std::string RuleText::shards() const {
  return "`" + text(rule.operands) + " -> " + text(rule.results) + "`";
}

/// The partial kinds of the results if a reduced factor is sharded.
std::string RuleText::partials() const {
  std::string text;
  for (auto &[factor, name] : names) {
    const Factor &reduced = rule.factors[factor];
    if (reduced.kind != FactorKind::Reduction)
      continue;
    text += (text.empty() ? "" : "; ") + ("`" + name + "`: ");
    SmallVector<StringRef> kinds;
    for (PartialKind kind : reduced.combiners)
      kinds.push_back(stringifyPartialKind(kind));
    // Equal kinds are named once.
    if (llvm::all_equal(kinds))
      kinds.truncate(1);
    text += llvm::join(kinds, ", ");
  }
  return text;
}

std::string RuleText::passes() const {
  // Sets of operands to the kinds that they pass, in the order of the rule.
  Texts kindsOf;
  for (const PartialRule &partial : rule.partials) {
    std::string set;
    for (int operand : partial.operands)
      set += (set.empty() ? "" : "+") + std::to_string(operand);
    std::string &kinds = kindsOf[set];
    kinds +=
        (kinds.empty() ? "" : ", ") +
        std::string(partial.kind ? stringifyPartialKind(*partial.kind) : "any");
  }
  std::string text;
  for (auto &[set, kinds] : kindsOf)
    text += (text.empty() ? "" : "; ") + kinds + " of " + set;
  return text;
}

static std::string remarks(const OpReport &report) {
  SmallVector<std::string> list;
  if (!report.rule.replicatedBecause.empty())
    list.push_back("replicated: " + report.rule.replicatedBecause);
  if (report.rule.isRematerializable)
    list.push_back("takes its users' placement");
  SmallVector<std::string> inits;
  bool reduces = llvm::any_of(report.rule.factors, [](const Factor &factor) {
    return factor.kind == FactorKind::Reduction;
  });
  for (int init : report.rule.inits)
    if (init >= 0 && reduces)
      inits.push_back(std::to_string(init));
  if (!inits.empty())
    list.push_back("operand " + llvm::join(inits, ", ") +
                   ": partial like the result");
  for (const Missing &gap : report.missing)
    list.push_back("not: " + gap.text +
                   (gap.reason.empty() ? "" : " (" + gap.reason + ")"));
  return llvm::join(list, "; ");
}

/// A bar would end the cell.
static std::string cell(std::string text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

/// `4x5xf32, f32` of `(tensor<4x5xf32>, f32) -> …`.
static std::string typesOf(StringRef signature) {
  std::string text;
  StringRef operands = signature.split(" -> ").first;
  if (operands == "()")
    operands = signature.split(" -> ").second;
  while (!operands.empty()) {
    if (operands.consume_front("tensor<")) {
      // Of nested types, such as complex ones, the outer bracket ends.
      size_t depth = 1, end = 0;
      for (; end < operands.size() && depth; ++end)
        depth += operands[end] == '<' ? 1 : operands[end] == '>' ? -1 : 0;
      text += operands.take_front(end - 1);
      operands = operands.drop_front(end);
    } else {
      if (operands[0] != '(' && operands[0] != ')')
        text += operands[0];
      operands = operands.drop_front();
    }
  }
  return text;
}

std::string validate::rulePage(ArrayRef<OpReport> reports) {
  std::string page;
  llvm::raw_string_ostream out(page);
  llvm::MapVector<StringRef, SmallVector<const OpReport *>> files;
  for (const OpReport &report : reports)
    files[llvm::sys::path::stem(report.file)].push_back(&report);
  for (auto &[file, list] : files) {
    out << "\n## " << file << "\n\n"
        << "| op, and operands it was tried on | shards | partial when sharded "
           "| "
           "terms that pass | remarks |\n|---|---|---|---|---|\n";
    // Functions whose rows would say the same of one op are one row.
    llvm::MapVector<StringRef, SmallVector<const OpReport *>> ops;
    for (const OpReport *report : list)
      ops[report->op].push_back(report);
    for (auto &[op, same] : ops) {
      Texts rows;
      for (const OpReport *report : same) {
        RuleText text(report->rule);
        std::string row = cell(text.shards()) + " | " + cell(text.partials()) +
                          " | " + cell(text.passes()) + " | " +
                          cell(remarks(*report));
        std::string &types = rows[row];
        types += (types.empty() ? "" : "<br>") + typesOf(report->signature);
      }
      for (auto &[row, types] : rows)
        out << "| `" << op << "`<br>" << types << " | " << row << " |\n";
    }
  }
  return page;
}
