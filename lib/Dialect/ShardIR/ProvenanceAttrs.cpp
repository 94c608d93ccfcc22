//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and wording of the attributes that explain decisions: the provenance
// of a placement and the reason of a redistribution.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Interfaces/ShardableRegion.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;

static void appendFrames(Location loc, SmallVectorImpl<Location> &frames) {
  if (isa<FileLineColLoc>(loc)) {
    frames.push_back(loc);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    appendFrames(name.getChildLoc(), frames);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    appendFrames(call.getCallee(), frames);
    appendFrames(call.getCaller(), frames);
  } else if (auto opaque = dyn_cast<OpaqueLoc>(loc)) {
    appendFrames(opaque.getFallbackLocation(), frames);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (size_t i = 0, before = frames.size();
         i < fused.getLocations().size() && frames.size() == before; ++i)
      appendFrames(fused.getLocations()[i], frames);
  }
}

SmallVector<Location> shardir::callFrames(Location loc) {
  SmallVector<Location> frames;
  appendFrames(loc, frames);
  return frames;
}

Location shardir::callStack(ArrayRef<Location> frames) {
  return frames.size() == 1
             ? frames.front()
             : Location(CallSiteLoc::get(frames.front(), frames.drop_front()));
}

/// The frames of `loc` alone; null if there are none.
static LocationAttr withoutNames(Location loc) {
  SmallVector<Location> frames = callFrames(loc);
  return frames.empty() ? LocationAttr() : LocationAttr(callStack(frames));
}

std::string shardir::describeLocation(Location loc) {
  std::string text;
  for (Location frame : callFrames(loc)) {
    auto file = cast<FileLineColLoc>(frame);
    text += (text.empty() ? "" : ", called from ") +
            llvm::formatv("{0}:{1}:{2}", file.getFilename().getValue(),
                          file.getLine(), file.getColumn())
                .str();
  }
  return text;
}

/// Parses `int of`.
static ParseResult parseIndexOf(AsmParser &parser, unsigned &index) {
  return failure(parser.parseInteger(index) || parser.parseKeyword("of"));
}

/// Parses `"name"` into `name`.
static ParseResult parseName(AsmParser &parser, StringAttr &name) {
  std::string text;
  if (parser.parseString(&text))
    return failure();
  name = StringAttr::get(parser.getContext(), text);
  return success();
}

/// Parses `@name` into `name`.
static ParseResult parseFunction(AsmParser &parser, StringAttr &name) {
  return parser.parseSymbolName(name);
}

/// Parses `"file":line:col (from "file":line:col)*`, innermost first.
static ParseResult parseLocation(AsmParser &parser, LocationAttr &loc) {
  SmallVector<Location> frames;
  do {
    std::string file;
    unsigned line, column;
    if (parser.parseString(&file) || parser.parseColon() ||
        parser.parseInteger(line) || parser.parseColon() ||
        parser.parseInteger(column))
      return failure();
    frames.push_back(
        FileLineColLoc::get(parser.getContext(), file, line, column));
  } while (succeeded(parser.parseOptionalKeyword("from")));
  loc = callStack(frames);
  return success();
}

/// Prints ` at "file":line:col`, where MLIR would print an alias.
static void printLocation(AsmPrinter &printer, Location loc) {
  for (auto [i, frame] : llvm::enumerate(callFrames(loc))) {
    auto file = cast<FileLineColLoc>(frame);
    printer << (i ? " from " : " at ");
    printer.printString(file.getFilename().getValue());
    printer << ':' << file.getLine() << ':' << file.getColumn();
  }
}

/// The op's description as an attribute.
static StringAttr nameOf(Operation *op) {
  return StringAttr::get(op->getContext(), describeOp(op));
}

//===----------------------------------------------------------------------===//
// Provenance
//===----------------------------------------------------------------------===//

ProvenanceAttr ProvenanceAttr::ofArgument(FunctionOpInterface function,
                                          unsigned index) {
  return get(function->getContext(), ProvenanceKind::Argument, index,
             function.getNameAttr(), {}, {}, 0);
}

ProvenanceAttr ProvenanceAttr::ofResult(FunctionOpInterface function,
                                        unsigned index) {
  return get(function->getContext(), ProvenanceKind::Result, index,
             function.getNameAttr(), {}, {}, 0);
}

ProvenanceAttr ProvenanceAttr::ofAnnotation(Operation *op) {
  return get(op->getContext(), ProvenanceKind::Annotation, 0, nameOf(op),
             withoutNames(op->getLoc()), {}, 0);
}

ProvenanceAttr ProvenanceAttr::ofOp(StringAttr name, Location loc) {
  return get(name.getContext(), ProvenanceKind::Op, 0, name, withoutNames(loc),
             {}, 0);
}

std::string ProvenanceAttr::describe() const {
  std::string text;
  switch (getKind()) {
  case ProvenanceKind::Argument:
    text =
        llvm::formatv("argument {0} of @{1}", getIndex(), getName().getValue());
    break;
  case ProvenanceKind::Result:
    text =
        llvm::formatv("result {0} of @{1}", getIndex(), getName().getValue());
    break;
  case ProvenanceKind::Annotation:
    text = ("annotation of " + getName().getValue()).str();
    break;
  case ProvenanceKind::Op:
    text = getName().str();
    break;
  }
  if (getLoc())
    text += " at " + describeLocation(getLoc());
  for (auto [i, op] : llvm::enumerate(getThrough())) {
    if (i == kFirst && getOmitted())
      text += ", " + std::to_string(getOmitted()) + " more";
    text += (i ? ", " : ", through ") + op.str();
  }
  return text;
}

Attribute ProvenanceAttr::parse(AsmParser &parser, Type) {
  ProvenanceKind kind;
  unsigned index = 0, omitted = 0;
  StringAttr name;
  LocationAttr loc;
  SmallVector<StringAttr> through;
  SMLoc start = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  if (keyword == "argument" || keyword == "result") {
    kind = keyword == "argument" ? ProvenanceKind::Argument
                                 : ProvenanceKind::Result;
    if (parseIndexOf(parser, index) || parseFunction(parser, name))
      return {};
  } else if (keyword == "annotation" || keyword == "op") {
    kind = keyword == "op" ? ProvenanceKind::Op : ProvenanceKind::Annotation;
    if ((keyword == "annotation" && parser.parseKeyword("of")) ||
        parseName(parser, name))
      return {};
    if (succeeded(parser.parseOptionalKeyword("at")) &&
        parseLocation(parser, loc))
      return {};
  } else {
    parser.emitError(start, "expected argument, result, annotation or op, "
                            "found '")
        << keyword << "'";
    return {};
  }
  auto parseOp = [&]() -> ParseResult {
    OptionalParseResult number = through.size() == kFirst && !omitted
                                     ? parser.parseOptionalInteger(omitted)
                                     : OptionalParseResult();
    if (number.has_value())
      return *number;
    return parseName(parser, through.emplace_back());
  };
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("through") ||
       parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOp)))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), kind, index, name, loc, through, omitted);
}

void ProvenanceAttr::print(AsmPrinter &printer) const {
  printer << '<';
  switch (getKind()) {
  case ProvenanceKind::Argument:
  case ProvenanceKind::Result:
    printer << (getKind() == ProvenanceKind::Argument ? "argument " : "result ")
            << getIndex() << " of ";
    printer.printSymbolName(getName().getValue());
    break;
  case ProvenanceKind::Annotation:
  case ProvenanceKind::Op:
    printer << (getKind() == ProvenanceKind::Op ? "op " : "annotation of ");
    printer.printString(getName().getValue());
    if (getLoc())
      printLocation(printer, Location(getLoc()));
    break;
  }
  if (!getThrough().empty()) {
    printer << ", through [";
    for (auto [i, op] : llvm::enumerate(getThrough())) {
      if (i)
        printer << ", ";
      if (i == kFirst && getOmitted())
        printer << getOmitted() << ", ";
      printer.printString(op.getValue());
    }
    printer << ']';
  }
  printer << '>';
}

std::string shardir::describeProvenance(ArrayAttr provenance) {
  std::string text;
  if (provenance)
    for (auto each : provenance.getAsRange<ProvenanceAttr>())
      text += (text.empty() ? "" : "; ") + each.describe();
  return text;
}

//===----------------------------------------------------------------------===//
// Reason
//===----------------------------------------------------------------------===//

/// A reason of `kind` that names `index` and `name` and nothing else.
static ReasonAttr simpleReason(MLIRContext *context, ReasonKind kind,
                               unsigned index = 0, StringAttr name = {},
                               StringAttr parent = {}) {
  return ReasonAttr::get(context, kind, index, name, parent, 0, 0, 0, -1);
}

ReasonAttr ReasonAttr::ofConstrain(MLIRContext *context) {
  return simpleReason(context, ReasonKind::Constrain);
}

ReasonAttr ReasonAttr::ofProgram(MLIRContext *context) {
  return simpleReason(context, ReasonKind::Program);
}

ReasonAttr ReasonAttr::ofResult(FunctionOpInterface function, unsigned index) {
  return simpleReason(function->getContext(), ReasonKind::Result, index,
                      function.getNameAttr());
}

ReasonAttr ReasonAttr::ofUse(OpOperand &use) {
  Operation *user = use.getOwner(), *parent = user->getParentOp();
  MLIRContext *context = user->getContext();
  bool leaves = user->hasTrait<OpTrait::IsTerminator>();
  if (auto function = dyn_cast<FunctionOpInterface>(parent); function && leaves)
    return ofResult(function, use.getOperandNumber());
  if (isPlacedBlock(user->getBlock()))
    return simpleReason(context, ReasonKind::Operand, use.getOperandNumber(),
                        nameOf(user), leaves ? nameOf(parent) : StringAttr());
  // The outermost op whose regions run unsharded.
  while (!isPlacedBlock(parent->getBlock()))
    parent = parent->getParentOp();
  return ofBody(parent);
}

ReasonAttr ReasonAttr::ofBody(Operation *op) {
  return simpleReason(op->getContext(), ReasonKind::Body, 0, nameOf(op));
}

ReasonAttr ReasonAttr::withRegion(unsigned region) const {
  return get(getContext(), getKind(), getIndex(), getName(), getParent(),
             region, getBlock(), getNumBlocks(), getStep());
}

ReasonAttr ReasonAttr::withBlock(unsigned block, unsigned numBlocks) const {
  return get(getContext(), getKind(), getIndex(), getName(), getParent(),
             getRegion(), block, numBlocks, getStep());
}

ReasonAttr ReasonAttr::withStep(int64_t step) const {
  return get(getContext(), getKind(), getIndex(), getName(), getParent(),
             getRegion(), getBlock(), getNumBlocks(), step);
}

std::string ReasonAttr::describe() const {
  std::string text;
  auto name = [](StringAttr op) { return "'" + op.str() + "'"; };
  switch (getKind()) {
  case ReasonKind::Constrain:
    text = "required by constrain";
    break;
  case ReasonKind::Program:
    text = "written in the program";
    break;
  case ReasonKind::Result:
    text = llvm::formatv("result {0} of @{1} is placed so", getIndex(),
                         getName().getValue());
    break;
  case ReasonKind::Operand:
    text = "operand " + std::to_string(getIndex()) + " of " + name(getName());
    if (getParent())
      text += " in " + name(getParent());
    break;
  case ReasonKind::Body:
    text = "the body of " + name(getName()) + " reads it";
    break;
  }
  if (getRegion())
    text += ", gathered again for region " + std::to_string(getRegion()) +
            " of its uses";
  if (getNumBlocks())
    text += llvm::formatv(", block {0} of {1} around a ring", getBlock(),
                          getNumBlocks());
  return text;
}

Attribute ReasonAttr::parse(AsmParser &parser, Type) {
  ReasonKind kind;
  unsigned index = 0, region = 0, block = 0, numBlocks = 0;
  int64_t step = -1;
  StringAttr name, parent;
  SMLoc start = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  if (keyword == "constrain") {
    kind = ReasonKind::Constrain;
  } else if (keyword == "program") {
    kind = ReasonKind::Program;
  } else if (keyword == "result") {
    kind = ReasonKind::Result;
    if (parseIndexOf(parser, index) || parseFunction(parser, name))
      return {};
  } else if (keyword == "operand") {
    kind = ReasonKind::Operand;
    if (parseIndexOf(parser, index) || parseName(parser, name) ||
        (succeeded(parser.parseOptionalKeyword("in")) &&
         parseName(parser, parent)))
      return {};
  } else if (keyword == "body") {
    kind = ReasonKind::Body;
    if (parser.parseKeyword("of") || parseName(parser, name))
      return {};
  } else {
    parser.emitError(start, "expected constrain, program, result, operand or "
                            "body, found '")
        << keyword << "'";
    return {};
  }
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    ParseResult result = success();
    if (keyword == "region")
      result = parser.parseInteger(region);
    else if (keyword == "block")
      result = failure(parseIndexOf(parser, block) ||
                       parser.parseInteger(numBlocks));
    else if (keyword == "step")
      result = parser.parseInteger(step);
    else
      result = parser.emitError(loc, "expected region, block or step, found '")
               << keyword << "'";
    if (result)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), kind, index, name, parent, region, block,
             numBlocks, step);
}

void ReasonAttr::print(AsmPrinter &printer) const {
  auto name = [&](StringAttr op) { printer.printString(op.getValue()); };
  printer << '<';
  switch (getKind()) {
  case ReasonKind::Constrain:
    printer << "constrain";
    break;
  case ReasonKind::Program:
    printer << "program";
    break;
  case ReasonKind::Result:
    printer << "result " << getIndex() << " of ";
    printer.printSymbolName(getName().getValue());
    break;
  case ReasonKind::Operand:
    printer << "operand " << getIndex() << " of ";
    name(getName());
    if (getParent()) {
      printer << " in ";
      name(getParent());
    }
    break;
  case ReasonKind::Body:
    printer << "body of ";
    name(getName());
    break;
  }
  if (getRegion())
    printer << ", region " << getRegion();
  if (getNumBlocks())
    printer << ", block " << getBlock() << " of " << getNumBlocks();
  if (getStep() >= 0)
    printer << ", step " << getStep();
  printer << '>';
}
