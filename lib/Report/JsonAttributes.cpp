//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Report/JsonAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace json = llvm::json;
using namespace mlir;

Attribute shardir::toAttribute(const json::Value &value, MLIRContext *context) {
  Builder builder(context);
  if (const json::Object *object = value.getAsObject()) {
    NamedAttrList entries;
    for (const auto &[key, entry] : *object)
      entries.set(StringRef(key), toAttribute(entry, context));
    return entries.getDictionary(context);
  }
  if (const json::Array *array = value.getAsArray()) {
    SmallVector<Attribute> entries;
    for (const json::Value &entry : *array)
      entries.push_back(toAttribute(entry, context));
    return builder.getArrayAttr(entries);
  }
  if (std::optional<StringRef> text = value.getAsString())
    return builder.getStringAttr(*text);
  if (std::optional<bool> flag = value.getAsBoolean())
    return builder.getBoolAttr(*flag);
  if (std::optional<int64_t> number = value.getAsInteger())
    return builder.getI64IntegerAttr(*number);
  if (std::optional<double> number = value.getAsNumber())
    return builder.getF64FloatAttr(*number);
  return builder.getUnitAttr();
}

json::Value shardir::toJson(Attribute attr) {
  if (auto entries = dyn_cast<DictionaryAttr>(attr)) {
    json::Object object;
    for (NamedAttribute entry : entries)
      object[entry.getName().getValue()] = toJson(entry.getValue());
    return object;
  }
  if (auto entries = dyn_cast<ArrayAttr>(attr)) {
    json::Array array;
    for (Attribute entry : entries)
      array.push_back(toJson(entry));
    return array;
  }
  if (auto text = dyn_cast<StringAttr>(attr))
    return json::fixUTF8(text.getValue());
  if (auto flag = dyn_cast<BoolAttr>(attr))
    return flag.getValue();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return number.getInt();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  return nullptr;
}
