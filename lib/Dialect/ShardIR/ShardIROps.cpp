//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, printing and verifying of the shardir ops: meshes first, then the
// ops that name them.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// MeshOp
//===----------------------------------------------------------------------===//

ParseResult MeshOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  if (parser.parseSymbolName(name, "sym_name", state.attributes) ||
      parser.parseLess())
    return failure();
  SmallVector<Attribute> names;
  SmallVector<int64_t> sizes, assumed;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            std::string axis;
            if (parser.parseString(&axis) || parser.parseEqual())
              return failure();
            names.push_back(builder.getStringAttr(axis));
            int64_t size = 8;
            if (succeeded(parser.parseOptionalQuestion())) {
              sizes.push_back(ShapedType::kDynamic);
              OptionalParseResult integer = parser.parseOptionalInteger(size);
              if (integer.has_value() && failed(*integer))
                return failure();
              assumed.push_back(size);
              return success();
            }
            SMLoc loc = parser.getCurrentLocation();
            if (parser.parseInteger(size))
              return failure();
            if (size < 1)
              return parser.emitError(loc, "the size of axis \"")
                     << axis << "\" must be at least 1, found " << size;
            sizes.push_back(size);
            assumed.push_back(size);
            return success();
          }))
    return failure();
  auto parseRest = [&]() -> ParseResult {
    while (succeeded(parser.parseOptionalComma())) {
      StringRef word;
      SMLoc loc = parser.getCurrentLocation();
      if (parser.parseKeyword(&word) || parser.parseEqual())
        return failure();
      if (word == "devices") {
        SmallVector<int64_t> devices;
        if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
              return parser.parseInteger(devices.emplace_back());
            }))
          return failure();
        state.addAttribute("devices", builder.getDenseI64ArrayAttr(devices));
      } else if (word == "links") {
        DictionaryAttr links;
        if (parser.parseAttribute(links))
          return failure();
        state.addAttribute("links", links);
      } else {
        return parser.emitError(loc, "expected 'devices' or 'links', found '")
               << word << "'";
      }
    }
    return success();
  };
  if (parseRest() || parser.parseGreater() ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.addAttribute("axis_names", builder.getArrayAttr(names));
  state.addAttribute("axis_sizes", builder.getDenseI64ArrayAttr(sizes));
  state.addAttribute("assumed_sizes", builder.getDenseI64ArrayAttr(assumed));
  return success();
}

void MeshOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " <[";
  for (auto [i, name] : llvm::enumerate(getAxisNames())) {
    printer << (i ? ", " : "") << name << '=';
    if (!ShapedType::isDynamic(getAxisSizes()[i]))
      printer << getAxisSizes()[i];
    else if (getAssumedSizes()[i] == 8)
      printer << '?';
    else
      printer << '?' << getAssumedSizes()[i];
  }
  printer << ']';
  if (auto devices = getDevices()) {
    printer << ", devices = [";
    llvm::interleaveComma(*devices, printer);
    printer << ']';
  }
  if (getLinks())
    printer << ", links = " << *getLinks();
  printer << '>';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"sym_name", "axis_names", "axis_sizes",
                                 "assumed_sizes", "devices", "links"});
}

static bool isAxisName(StringRef name) {
  auto isStart = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  return !name.empty() && isStart(name.front()) &&
         llvm::all_of(name, [&](char c) {
           return isStart(c) || llvm::isDigit(c) || c == '-';
         });
}

LogicalResult MeshOp::verify() {
  size_t count = getAxisNames().size();
  if (count < 1 || count > 8)
    return emitOpError("must have 1 to 8 axes, found ") << count;
  if (getAxisSizes().size() != count || getAssumedSizes().size() != count)
    return emitOpError("must have one size per axis");
  llvm::StringSet<> seen;
  int64_t positions = 1;
  for (auto [i, attr] : llvm::enumerate(getAxisNames())) {
    StringRef name = cast<StringAttr>(attr).getValue();
    if (!isAxisName(name))
      return emitOpError("axis name \"")
             << name << "\" must match [A-Za-z_][A-Za-z0-9_-]*";
    if (!seen.insert(name).second)
      return emitOpError("axis \"") << name << "\" appears twice";
    int64_t size = getAssumedSizes()[i];
    if (size < 1 || (!ShapedType::isDynamic(getAxisSizes()[i]) &&
                     getAxisSizes()[i] != size))
      return emitOpError("the size of axis \"")
             << name << "\" must be at least 1, found " << size;
    if (llvm::MulOverflow(positions, size, positions) ||
        positions > (int64_t(1) << 20))
      return emitOpError("has more than 2^20 devices");
  }
  if (auto devices = getDevices()) {
    if (llvm::any_of(getAxisSizes(), ShapedType::isDynamic))
      return emitOpError("cannot list devices while an axis size is unknown");
    if (int64_t(devices->size()) != positions)
      return emitOpError("lists ")
             << devices->size() << " devices for " << positions << " positions";
    llvm::DenseSet<int64_t> ranks;
    for (int64_t rank : *devices) {
      if (rank < 0 || rank >= (int64_t(1) << 20))
        return emitOpError("device ") << rank << " is not a rank";
      if (!ranks.insert(rank).second)
        return emitOpError("device ") << rank << " is listed twice";
    }
  }
  if (DictionaryAttr links = getLinksAttr())
    for (NamedAttribute link : links) {
      if (!seen.contains(link.getName()))
        return emitOpError("links name axis \"")
               << link.getName().getValue() << "\", which the mesh lacks";
      auto entry = dyn_cast<DictionaryAttr>(link.getValue());
      if (!entry)
        return emitOpError("the link of axis \"")
               << link.getName().getValue()
               << "\" must be {bandwidth = bytes/s, latency = s}";
      for (NamedAttribute field : entry) {
        auto number = dyn_cast<FloatAttr>(field.getValue());
        bool isKnown = llvm::is_contained(
            {"bandwidth", "latency", "gather_bandwidth"}, field.getName());
        if (!isKnown || !number || !(number.getValueAsDouble() >= 0))
          return emitOpError("the link of axis \"")
                 << link.getName().getValue()
                 << "\" has bandwidth, latency and gather_bandwidth alone, "
                    "floats that are not negative";
      }
    }
  return success();
}

void MeshOp::build(OpBuilder &builder, OperationState &state,
                   const Mesh &mesh) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> sizes, assumed;
  for (const MeshAxis &axis : mesh.axes) {
    names.push_back(builder.getStringAttr(axis.name));
    sizes.push_back(axis.size == kUnknown ? ShapedType::kDynamic : axis.size);
    assumed.push_back(axis.assumedSize());
  }
  build(builder, state, builder.getStringAttr(mesh.name), StringAttr(),
        builder.getArrayAttr(names), builder.getDenseI64ArrayAttr(sizes),
        builder.getDenseI64ArrayAttr(assumed),
        mesh.devices.empty() ? DenseI64ArrayAttr()
                             : builder.getDenseI64ArrayAttr(mesh.devices),
        DictionaryAttr());
}

Mesh MeshOp::getMesh() {
  Mesh mesh;
  mesh.name = getSymName().str();
  for (auto [i, attr] : llvm::enumerate(getAxisNames())) {
    MeshAxis axis;
    axis.name = cast<StringAttr>(attr).getValue().str();
    axis.size =
        ShapedType::isDynamic(getAxisSizes()[i]) ? kUnknown : getAxisSizes()[i];
    axis.assumed = getAssumedSizes()[i];
    if (getLinks())
      if (auto link = getLinks()->getAs<DictionaryAttr>(axis.name)) {
        axis.link.emplace();
        if (auto bandwidth = link.getAs<FloatAttr>("bandwidth"))
          axis.link->bandwidth = bandwidth.getValueAsDouble();
        if (auto latency = link.getAs<FloatAttr>("latency"))
          axis.link->latency = latency.getValueAsDouble();
        if (auto gather = link.getAs<FloatAttr>("gather_bandwidth"))
          axis.link->gatherBandwidth = gather.getValueAsDouble();
      }
    mesh.axes.push_back(axis);
  }
  if (auto devices = getDevices())
    mesh.devices.assign(devices->begin(), devices->end());
  return mesh;
}

//===----------------------------------------------------------------------===//
// Halos
//===----------------------------------------------------------------------===//

Halo shardir::readHalo(ArrayAttr halo) {
  Halo result;
  if (halo)
    for (auto entry : halo.getAsRange<ArrayAttr>()) {
      std::vector<int64_t> numbers;
      for (auto number : entry.getAsRange<IntegerAttr>())
        numbers.push_back(number.getInt());
      result.push_back(dimHaloOf(numbers));
    }
  return result;
}

ArrayAttr shardir::haloAttr(MLIRContext *context, const Halo &halo) {
  if (halo.empty())
    return {};
  Builder builder(context);
  SmallVector<Attribute> entries;
  for (const DimHalo &own : halo)
    entries.push_back(builder.getI64ArrayAttr(numbersOf(own)));
  return builder.getArrayAttr(entries);
}

void shardir::printHalo(OpAsmPrinter &printer, ArrayAttr halo) {
  printer << '[';
  llvm::interleaveComma(halo, printer, [&](Attribute entry) {
    printer << '[';
    llvm::interleaveComma(cast<ArrayAttr>(entry), printer, [&](Attribute side) {
      printer << cast<IntegerAttr>(side).getInt();
    });
    printer << ']';
  });
  printer << ']';
}

LogicalResult shardir::checkHalo(Operation *op, ArrayAttr halo, int64_t rank) {
  if (!halo)
    return success();
  if (int64_t(halo.size()) != rank)
    return op->emitOpError("halo must have one [low, high] per dim, ")
           << rank << " in all, found " << halo.size();
  for (Attribute entry : halo) {
    auto numbers = dyn_cast<ArrayAttr>(entry);
    bool isWindow = numbers && (numbers.size() == 5 || numbers.size() == 6);
    if (!numbers || (numbers.size() != 2 && !isWindow) ||
        llvm::any_of(llvm::enumerate(numbers), [&](auto numbered) {
          auto number = dyn_cast<IntegerAttr>(numbered.value());
          return !number || !number.getType().isSignlessInteger(64) ||
                 (number.getInt() < 0 && !(isWindow && (numbered.index() < 2 ||
                                                        numbered.index() > 4)));
        }))
      return op->emitOpError("halo entries must be [low, high], both not "
                             "negative, or [low, high, extent, stride, "
                             "dilation], with a shift as well where extent and "
                             "shift are known at run time alone");
  }
  return success();
}

LogicalResult shardir::verifyHaloFor(Operation *op, ArrayAttr halo,
                                     PlacementAttr placement, ShapedType type) {
  if (!halo)
    return success();
  MeshOp mesh = lookupMesh(op, placement.getMesh());
  auto error = verifyHalo(readHalo(halo), placement.getValue(), mesh.getMesh(),
                          shapeOf(type));
  if (!error)
    return success();
  InFlightDiagnostic diag = op->emitOpError(error->message);
  if (!error->hint.empty())
    diag.attachNote(mesh.getLoc()) << error->hint;
  return diag;
}

//===----------------------------------------------------------------------===//
// Ops that name a mesh
//===----------------------------------------------------------------------===//

ParseResult ConstrainOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand input;
  PlacementAttr placement;
  Type type;
  if (parser.parseOperand(input) || parser.parseKeyword("to") ||
      parsePlacement(parser, placement, type))
    return failure();
  state.addAttribute("placement", placement);
  if (!type && parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (parseColonTypeUnless(parser, type))
    return failure();
  state.addTypes(type);
  return parser.resolveOperand(input, type, state.operands);
}

void ConstrainOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInput() << " to " << getPlacement();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"placement"});
  printer << " : " << getType();
}

ParseResult RedistributeOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand input;
  SmallVector<OpAsmParser::UnresolvedOperand> dims;
  PlacementAttr from, to;
  Type type;
  if (parser.parseOperand(input))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("dims")) &&
      parser.parseOperandList(dims, OpAsmParser::Delimiter::Square))
    return failure();
  if (parser.parseKeyword("from") || parser.parseAttribute(from) ||
      parser.parseKeyword("to") || parsePlacement(parser, to, type))
    return failure();
  state.addAttribute("from", from);
  state.addAttribute("to", to);
  if (!type) {
    ArrayAttr halo;
    if (succeeded(parser.parseOptionalKeyword("halo"))) {
      if (parser.parseAttribute(halo))
        return failure();
      state.addAttribute("halo", halo);
    }
    if (parser.parseOptionalAttrDict(state.attributes))
      return failure();
  }
  if (parseColonTypeUnless(parser, type))
    return failure();
  state.addTypes(type);
  return failure(parser.resolveOperand(input, type, state.operands) ||
                 parser.resolveOperands(
                     dims, parser.getBuilder().getIndexType(), state.operands));
}

void RedistributeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInput();
  if (!getDims().empty())
    printer << " dims [" << getDims() << ']';
  printer << " from " << getFrom() << " to " << getTo();
  if (getHalo()) {
    printer << " halo ";
    printHalo(printer, *getHalo());
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"from", "to", "halo"});
  printer << " : " << getType();
}

LogicalResult ConstrainOp::verify() {
  const Placement &placement = getPlacement().getValue();
  if (getGroup() &&
      (placement.sugar || placement.partial || !placement.replicated.empty() ||
       !llvm::all_of(placement.dims, [](const DimPlacement &dim) {
         return dim.open && dim.splits.empty() && !dim.priority;
       })))
    return emitOpError("has a group, so that its dims must all be {?}; put "
                       "axes into a constraint of its own");
  if (getGroup() && getDirection())
    return emitOpError("has a group and a direction; write two constraints");
  if (getDirection() &&
      !llvm::is_contained({"forward", "backward", "none"}, *getDirection()))
    return emitOpError("has direction \"")
           << *getDirection()
           << "\"; expected \"forward\", \"backward\" or \"none\"";
  return success();
}

LogicalResult ConstrainOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyPlacementFor(*this, getPlacement(), getType(), "the result");
}

LogicalResult RedistributeOp::verify() {
  if (getFrom().getValue().sugar || getTo().getValue().sugar)
    return emitOpError("takes placements by dim; `placements = [...]` is for "
                       "annotations");
  if (failed(checkHalo(*this, getHaloAttr(), getType().getRank())))
    return failure();
  size_t open = numOpenWindows(readHalo(getHaloAttr()));
  if (getDims().size() != 2 * open)
    return emitOpError("needs extent and shift of each window that is known at "
                       "run time alone, ")
           << 2 * open << " in all, found " << getDims().size();
  return success();
}

LogicalResult RedistributeOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyPlacementFor(*this, getFrom(), getType(), "the operand")))
    return failure();
  if (failed(verifyPlacementFor(*this, getTo(), getType(), "the result")))
    return failure();
  return verifyHaloFor(*this, getHaloAttr(), getTo(), getType());
}

OpFoldResult RedistributeOp::fold(FoldAdaptor) {
  if (getFrom() == getTo() && !getHalo())
    return getInput();
  return {};
}

LogicalResult AxisIndexOp::verifySymbolUses(SymbolTableCollection &) {
  MeshOp mesh = lookupMesh(*this, getMeshAttr());
  if (!mesh)
    return emitOpError("names mesh ")
           << getMeshAttr() << ", which does not exist";
  if (mesh.getMesh().axisIndex(getAxis().str()) < 0)
    return emitOpError("names axis \"")
           << getAxis() << "\", which mesh " << getMeshAttr() << " lacks";
  return success();
}

LogicalResult ExtentOp::verify() {
  auto function = (*this)->getParentOfType<FunctionOpInterface>();
  if (!function)
    return emitOpError("names an argument outside of a function");
  uint64_t argument = getArgument(), count = function.getNumArguments();
  if (argument >= count)
    return emitOpError("names argument ")
           << getArgument() << " of a function that has " << count;
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argument]);
  if (!type || !type.hasRank() ||
      uint64_t(getDim()) >= uint64_t(type.getRank()))
    return emitOpError("names dim ")
           << getDim() << " of argument " << getArgument() << " of type "
           << function.getArgumentTypes()[argument];
  return success();
}
