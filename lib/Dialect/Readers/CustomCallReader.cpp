//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stand-ins for the dialects `stablehlo` and `mhlo`, of which one op is left in
// a program that has become linalg: the custom call that is GSPMD's constraint
// (stablehlo/dialect/StablehloOps.td). Everything else of theirs is parsed in
// generic form alone. Requires that neither dialect is in the context.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Readers.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

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

namespace {

template <typename Self> class CustomCallReader : public Dialect {
public:
  explicit CustomCallReader(MLIRContext *context)
      : Dialect(Self::getDialectNamespace(), context, TypeID::get<Self>()) {
    allowUnknownOperations();
  }

  std::optional<ParseOpHook>
  getParseOperationHook(StringRef opName) const override {
    if (opName.substr(opName.find('.') + 1) != "custom_call")
      return std::nullopt;
    return ParseOpHook(parseCustomCall);
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
