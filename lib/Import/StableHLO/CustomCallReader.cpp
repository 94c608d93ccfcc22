//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stand-ins for the dialects `stablehlo` and `mhlo`, of which few ops are left
// in a program that has become linalg: custom calls that are GSPMD's
// annotations, collectives, whose bodies may have kept the op that combines,
// barriers and the device's number (stablehlo/dialect/StablehloOps.td).
// Everything else of theirs is parsed in generic form alone. Requires that
// neither dialect is in the context.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Import/Readers.h"

#include "../ParseUtils.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using shardir::parseReturn;

/// `@Sharding(%0) {attributes} : (types) -> types`.
static ParseResult parseCustomCall(OpAsmParser &parser, OperationState &state) {
  StringAttr target;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseSymbolName(target) ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addAttribute("call_target_name", target);
  state.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc,
                                state.operands);
}

/// `%0, %1 : type`: operands and result of one type.
static ParseResult parseBinary(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Type type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  SmallVector<Type> types(operands.size(), type);
  return parser.resolveOperands(operands, types, loc, state.operands);
}

/// `%0, %1 : type, type`: each result has its operand's type; `()` for none.
static ParseResult parseOptimizationBarrier(OpAsmParser &parser,
                                            OperationState &state) {
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parser.parseRParen() ||
                   parser.parseOptionalAttrDict(state.attributes));
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonTypeList(types))
    return failure();
  state.addTypes(types);
  return parser.resolveOperands(operands, types, loc, state.operands);
}

/// ` : type`, of the result.
static ParseResult parseNullary(OpAsmParser &parser, OperationState &state) {
  Type type;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  return success();
}

namespace {

template <typename Self> class CustomCallReader : public Dialect {
public:
  explicit CustomCallReader(MLIRContext *context)
      : Dialect(Self::getDialectNamespace(), context, TypeID::get<Self>()) {
    allowUnknownOperations();
  }

  /// A collective's channel, kept as text.
  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    return OpaqueAttr::get(
        StringAttr::get(getContext(), Self::getDialectNamespace()),
        parser.getFullSymbolSpec(), NoneType::get(getContext()));
  }

  std::optional<ParseOpHook>
  getParseOperationHook(StringRef opName) const override {
    using Parse = ParseResult(OpAsmParser &, OperationState &);
    Parse *parse =
        llvm::StringSwitch<Parse *>(opName.substr(opName.find('.') + 1))
            .Case("custom_call", parseCustomCall)
            .Cases({"add", "multiply", "maximum", "minimum"}, parseBinary)
            .Cases({"and", "or", "xor"}, parseBinary)
            .Case("return", parseReturn)
            .Case("optimization_barrier", parseOptimizationBarrier)
            .Cases({"partition_id", "replica_id"}, parseNullary)
            .Default(nullptr);
    if (!parse)
      return std::nullopt;
    // A hook refers to a function and does not own one.
    return ParseOpHook(*parse);
  }
};

struct StablehloReader : CustomCallReader<StablehloReader> {
  using CustomCallReader::CustomCallReader;
  static constexpr StringLiteral getDialectNamespace() { return {"stablehlo"}; }
};

struct MhloReader : CustomCallReader<MhloReader> {
  using CustomCallReader::CustomCallReader;
  static constexpr StringLiteral getDialectNamespace() { return {"mhlo"}; }
};

} // namespace

void shardir::registerCustomCallReaders(DialectRegistry &registry) {
  registry.insert<StablehloReader, MhloReader>();
}
