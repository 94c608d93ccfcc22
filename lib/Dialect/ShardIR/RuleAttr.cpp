//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing and printing of sharding rules written on ops. Requires nothing;
// whether a rule fits its op is checked where it stands (ShardIRDialect.cpp).
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace shardir;

/// `([i, k], [k, _])`.
static FailureOr<ArrayAttr> parseSide(AsmParser &parser) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> tensors;
  ParseResult result = parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        SmallVector<Attribute> dims;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseOptionalLSquare())
          return parser.emitError(loc, "expected one list in brackets per "
                                       "tensor, as in ([i, j]) -> ([i, j])");
        auto parseDim = [&]() -> ParseResult {
          StringRef name;
          SMLoc loc = parser.getCurrentLocation();
          if (parser.parseOptionalKeyword(&name))
            return parser.emitError(loc, "expected a factor's name, as in i, "
                                         "or _");
          dims.push_back(builder.getStringAttr(name));
          return success();
        };
        if (parser.parseOptionalRSquare() &&
            (parser.parseCommaSeparatedList(parseDim) || parser.parseRSquare()))
          return failure();
        tensors.push_back(builder.getArrayAttr(dims));
        return success();
      });
  if (result)
    return failure();
  return builder.getArrayAttr(tensors);
}

Attribute RuleAttr::parse(AsmParser &parser, Type) {
  Builder &builder = parser.getBuilder();
  if (parser.parseLess())
    return {};
  FailureOr<ArrayAttr> operands = parseSide(parser);
  if (failed(operands) || parser.parseArrow())
    return {};
  FailureOr<ArrayAttr> results = parseSide(parser);
  if (failed(results))
    return {};
  SmallVector<NamedAttribute> reduction;
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("reduction") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Braces, [&]() -> ParseResult {
              StringRef factor, kind;
              SMLoc loc = parser.getCurrentLocation();
              if (parser.parseKeyword(&factor) || parser.parseEqual() ||
                  parser.parseKeyword(&kind))
                return failure();
              if (!parsePartialKind(kind.str()))
                return parser.emitError(loc, "unknown reduction kind '")
                       << kind << "'; expected one of " << listPartialKinds();
              if (llvm::any_of(reduction, [&](NamedAttribute entry) {
                    return entry.getName() == factor;
                  }))
                return parser.emitError(loc, "factor '")
                       << factor << "' is listed twice";
              reduction.push_back(
                  builder.getNamedAttr(factor, builder.getStringAttr(kind)));
              return success();
            }))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *operands, *results,
             builder.getDictionaryAttr(reduction));
}

void RuleAttr::print(AsmPrinter &printer) const {
  auto printSide = [&](ArrayAttr side) {
    printer << '(';
    llvm::interleaveComma(side, printer, [&](Attribute tensor) {
      printer << '[';
      llvm::interleaveComma(
          cast<ArrayAttr>(tensor), printer,
          [&](Attribute dim) { printer << cast<StringAttr>(dim).getValue(); });
      printer << ']';
    });
    printer << ')';
  };
  printer << '<';
  printSide(getOperands());
  printer << " -> ";
  printSide(getResults());
  if (!getReduction().empty()) {
    printer << ", reduction = {";
    llvm::interleaveComma(getReduction(), printer, [&](NamedAttribute entry) {
      printer << entry.getName().getValue() << " = "
              << cast<StringAttr>(entry.getValue()).getValue();
    });
    printer << '}';
  }
  printer << '>';
}
