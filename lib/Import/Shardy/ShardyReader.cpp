//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stand-in for Shardy's dialect that parses and checks nothing: shardings are
// kept as the text that stands in the file, and ops become unregistered ones
// with the operands, attributes and regions that Shardy's own parser gives them
// (shardy/dialect/sdy/ir/ops.td). Requires that Shardy is not in the context.
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

static OpaqueAttr textAttr(MLIRContext *context, const Twine &text) {
  return OpaqueAttr::get(StringAttr::get(context, "sdy"), text.str(),
                         NoneType::get(context));
}

/// Skips what stands in brackets and returns its text, brackets included.
static ParseResult parseRaw(OpAsmParser &parser, StringRef &text) {
  const char *start = parser.getCurrentLocation().getPointer();
  const char *end = start;
  int depth = 0;
  do {
    // A comment may follow the last bracket.
    end = parser.getCurrentLocation().getPointer() + 1;
    StringRef keyword;
    std::string string;
    StringAttr symbol;
    int64_t integer;
    if (succeeded(parser.parseOptionalLess()) ||
        succeeded(parser.parseOptionalLSquare()) ||
        succeeded(parser.parseOptionalLBrace()) ||
        succeeded(parser.parseOptionalLParen())) {
      ++depth;
      continue;
    }
    if (depth == 0)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a sharding or a list of axes");
    if (succeeded(parser.parseOptionalGreater()) ||
        succeeded(parser.parseOptionalRSquare()) ||
        succeeded(parser.parseOptionalRBrace()) ||
        succeeded(parser.parseOptionalRParen())) {
      --depth;
      continue;
    }
    if (succeeded(parser.parseOptionalComma()) ||
        succeeded(parser.parseOptionalEqual()) ||
        succeeded(parser.parseOptionalColon()) ||
        succeeded(parser.parseOptionalQuestion()) ||
        succeeded(parser.parseOptionalArrow()) ||
        succeeded(parser.parseOptionalString(&string)) ||
        succeeded(parser.parseOptionalSymbolName(symbol)) ||
        succeeded(parser.parseOptionalKeyword(&keyword)))
      continue;
    OptionalParseResult found = parser.parseOptionalInteger(integer);
    if (!found.has_value() || failed(*found))
      return parser.emitError(parser.getCurrentLocation(),
                              "expected an entry of a sharding");
  } while (depth > 0);
  text = StringRef(start, end - start);
  return success();
}

/// `name = #sdy.<mnemonic><raw>`, where `raw` brings its own brackets.
static ParseResult parseText(OpAsmParser &parser, OperationState &state,
                             StringRef name, StringRef mnemonic) {
  StringRef text;
  if (parseRaw(parser, text))
    return failure();
  state.addAttribute(name, textAttr(parser.getContext(), mnemonic + text));
  return success();
}

/// `in_shardings=[<…>, <…>]`.
static ParseResult parseList(OpAsmParser &parser, OperationState &state,
                             StringRef name) {
  StringRef text;
  if (parser.parseEqual() || parseRaw(parser, text))
    return failure();
  state.addAttribute(
      name, textAttr(parser.getContext(), "sharding_per_value<" + text + ">"));
  return success();
}

/// `@m = <["a"=2]> attributes`.
static ParseResult parseMesh(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  return failure(parser.parseSymbolName(name, "sym_name", state.attributes) ||
                 parser.parseEqual() ||
                 parseText(parser, state, "mesh", "mesh") ||
                 parser.parseOptionalAttrDict(state.attributes));
}

/// ` : type`, of the operand and of `results` results.
static ParseResult parseType(OpAsmParser &parser, OperationState &state,
                             OpAsmParser::UnresolvedOperand input,
                             bool hasResult) {
  Type type;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  if (hasResult)
    state.addTypes(type);
  return parser.resolveOperand(input, type, state.operands);
}

/// `%x <@m, [{"a"}]> : type`.
static ParseResult parseConstraint(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand input;
  return failure(parser.parseOperand(input) ||
                 parseText(parser, state, "sharding", "sharding") ||
                 parseType(parser, state, input, /*hasResult=*/true));
}

/// `[{"a"}, {}] %x out_sharding=<…> : type`; what stands first, if anything, is
/// how the sharding changes.
static ParseResult parseCollective(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand input;
  StringRef word, text;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    state.addAttribute("reduction_op", parser.getBuilder().getStringAttr(word));
  OptionalParseResult operand = parser.parseOptionalOperand(input);
  if (!operand.has_value()) {
    if (parseRaw(parser, text) || parser.parseOperand(input))
      return failure();
    state.addAttribute("axes",
                       textAttr(parser.getContext(), "axes<" + text + ">"));
  } else if (failed(*operand)) {
    return failure();
  }
  return failure(parser.parseKeyword("out_sharding") || parser.parseEqual() ||
                 parseText(parser, state, "out_sharding", "sharding") ||
                 parseType(parser, state, input, /*hasResult=*/true));
}

/// `%x group_id=1 : type`.
static ParseResult parseGroup(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand input;
  int64_t id;
  if (parser.parseOperand(input) || parser.parseKeyword("group_id") ||
      parser.parseEqual() || parser.parseInteger(id))
    return failure();
  state.addAttribute("group_id", parser.getBuilder().getI64IntegerAttr(id));
  return parseType(parser, state, input, /*hasResult=*/false);
}

/// `%x allowed_direction=FORWARD : type`.
static ParseResult parsePropagationBarrier(OpAsmParser &parser,
                                           OperationState &state) {
  OpAsmParser::UnresolvedOperand input;
  StringRef direction;
  if (parser.parseOperand(input) || parser.parseKeyword("allowed_direction") ||
      parser.parseEqual() || parser.parseKeyword(&direction))
    return failure();
  state.addAttribute("allowed_direction",
                     parser.getBuilder().getStringAttr(direction));
  return parseType(parser, state, input, /*hasResult=*/true);
}

/// `%x sharding=<…> : type`.
static ParseResult parseEdge(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand input;
  if (parser.parseOperand(input))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("sharding")) &&
      (parser.parseEqual() || parseText(parser, state, "sharding", "sharding")))
    return failure();
  return parseType(parser, state, input, /*hasResult=*/true);
}

static ParseResult parseConstant(OpAsmParser &parser, OperationState &state) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseAttribute(value, "value", state.attributes))
    return failure();
  state.addTypes(value.getShapedType());
  return success();
}

/// `(%0) in_shardings=[…] out_shardings=[…] manual_axes={"a"} (%arg: type) {…}
/// : (types) -> types`, with `<"name">` first where computations have names.
static ParseResult parseComputation(OpAsmParser &parser,
                                    OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  std::string name;
  if (succeeded(parser.parseOptionalLess())) {
    if (parser.parseString(&name) || parser.parseGreater())
      return failure();
    state.addAttribute("name", parser.getBuilder().getStringAttr(name));
  }
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  for (StringRef list : {"in_shardings", "out_shardings"})
    if (succeeded(parser.parseOptionalKeyword(list)) &&
        parseList(parser, state, list))
      return failure();
  if (succeeded(parser.parseOptionalKeyword("manual_axes")) &&
      (parser.parseEqual() ||
       parseText(parser, state, "manual_axes", "manual_axes")))
    return failure();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc,
                                state.operands);
}

namespace {

class ShardyReader : public Dialect {
public:
  explicit ShardyReader(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ShardyReader>()) {
    allowUnknownOperations();
  }
  static constexpr StringLiteral getDialectNamespace() { return {"sdy"}; }

  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    return textAttr(getContext(), parser.getFullSymbolSpec());
  }

  std::optional<ParseOpHook>
  getParseOperationHook(StringRef opName) const override {
    using Parse = ParseResult(OpAsmParser &, OperationState &);
    Parse *parse =
        llvm::StringSwitch<Parse *>(opName.substr(opName.find('.') + 1))
            .Case("mesh", parseMesh)
            .Cases({"sharding_constraint", "reshard"}, parseConstraint)
            .Cases({"all_gather", "all_slice", "all_to_all", "all_reduce"},
                   parseCollective)
            .Cases({"collective_permute", "reduce_scatter"}, parseCollective)
            .Cases({"sharded_to_unreduced", "replicated_to_unreduced"},
                   parseCollective)
            .Cases({"manual_computation", "named_computation"},
                   parseComputation)
            .Case("return", parseReturn)
            .Case("sharding_group", parseGroup)
            .Case("propagation_barrier", parsePropagationBarrier)
            .Case("data_flow_edge", parseEdge)
            .Case("constant", parseConstant)
            .Default(nullptr);
    if (!parse)
      return std::nullopt;
    // A hook refers to a function and does not own one.
    return ParseOpHook(*parse);
  }
};

/// torch-mlir's, whose ops have generic form alone.
struct TmTensorReader : Dialect {
  explicit TmTensorReader(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<TmTensorReader>()) {
    allowUnknownOperations();
  }
  static constexpr StringLiteral getDialectNamespace() { return {"tm_tensor"}; }
};

} // namespace

void shardir::registerReaderDialects(DialectRegistry &registry) {
  registry.insert<ShardyReader, TmTensorReader>();
  registerCustomCallReaders(registry);
}
