//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list of known gaps. Requires JSON text; guarantees an error that names
// the entry where it is not of the form that the header gives.
//
//===----------------------------------------------------------------------===//

#include "Validate/Completeness.h"

#include "llvm/Support/JSON.h"

using namespace shardir;
using namespace shardir::validate;

llvm::Expected<Accepted> Accepted::parse(llvm::StringRef json) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  if (!value)
    return value.takeError();
  auto error = [](const llvm::Twine &message) {
    return llvm::createStringError(message);
  };
  const llvm::json::Array *list = value->getAsArray();
  if (!list)
    return error("expected an array of accepted gaps");
  Accepted accepted;
  for (auto [i, item] : llvm::enumerate(*list)) {
    const llvm::json::Object *object = item.getAsObject();
    auto field = [&](llvm::StringRef name) -> std::string {
      auto text = object ? object->getString(name) : std::nullopt;
      return text ? text->str() : "";
    };
    auto owned = std::make_unique<Entry>();
    Entry &entry = *owned;
    entry.op = field("op");
    entry.missing = field("missing");
    entry.reason = field("reason");
    if (entry.op.empty() || entry.missing.empty() || entry.reason.empty())
      return error("entry " + llvm::Twine(i) +
                   " must have 'op', 'missing' and 'reason'");
    auto op = llvm::GlobPattern::create(entry.op);
    if (!op)
      return op.takeError();
    // Braces and brackets stand for themselves in placements.
    auto missing = llvm::GlobPattern::create(entry.missing);
    if (!missing)
      return missing.takeError();
    entry.opGlob = std::move(*op);
    entry.missingGlob = std::move(*missing);
    accepted.entries.push_back(std::move(owned));
  }
  return accepted;
}

const std::string *Accepted::find(llvm::StringRef op, llvm::StringRef missing) {
  for (auto &entry : entries)
    if (entry->opGlob.match(op) && entry->missingGlob.match(missing)) {
      entry->used = true;
      return &entry->reason;
    }
  return nullptr;
}

std::vector<std::string> Accepted::unused() const {
  std::vector<std::string> list;
  for (const auto &entry : entries)
    if (!entry->used)
      list.push_back(entry->op + ": " + entry->missing);
  return list;
}
