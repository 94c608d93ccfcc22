//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, printing and verifying of placement attributes. Requires nothing of
// the stage; sugar (`placements = [...]`) is kept as written.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/NearestName.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardir;

#define GET_ATTRDEF_CLASSES
#include "ShardIR/Dialect/ShardIR/ShardIRAttrs.cpp.inc"

void ShardIRDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ShardIR/Dialect/ShardIR/ShardIRAttrs.cpp.inc"
      >();
}

ParseResult shardir::parseAxis(AsmParser &parser, AxisRef &axis) {
  if (failed(parser.parseOptionalString(&axis.name)))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected an axis in quotes, as in \"tp\"");
  if (failed(parser.parseOptionalColon()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseInteger(axis.preSize) ||
      parser.parseRParen() || parser.parseInteger(axis.size))
    return failure();
  if (axis.preSize < 1 || axis.size < 1)
    return parser.emitError(loc, "sub-axis sizes must be at least 1");
  return success();
}

static ParseResult parseAxes(AsmParser &parser, std::vector<AxisRef> &axes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseAxis(parser, axes.emplace_back());
  });
}

static ParseResult parsePriority(AsmParser &parser, DimPlacement &dim) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  int64_t priority = 0;
  if (!word.consume_front("p") || word.getAsInteger(10, priority))
    return parser.emitError(loc, "expected a priority such as p0");
  dim.priority = priority;
  return success();
}

static ParseResult parseDim(AsmParser &parser, DimPlacement &dim) {
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Braces, [&]() -> ParseResult {
            SMLoc loc = parser.getCurrentLocation();
            if (dim.open)
              return parser.emitError(loc, "expected `?` to be the last entry");
            if (succeeded(parser.parseOptionalQuestion())) {
              dim.open = true;
              return success();
            }
            int64_t factor;
            OptionalParseResult integer = parser.parseOptionalInteger(factor);
            if (integer.has_value()) {
              if (failed(*integer))
                return failure();
              if (factor < 1)
                return parser.emitError(
                           loc, "an integer factor must be at least 1, found ")
                       << factor;
              dim.splits.push_back(Split::byFactor(factor));
              return success();
            }
            AxisRef axis;
            if (parseAxis(parser, axis))
              return failure();
            dim.splits.push_back(Split::byAxis(axis));
            return success();
          }))
    return failure();
  return parsePriority(parser, dim);
}

static FailureOr<PartialKind> parseKind(AsmParser &parser) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<PartialKind> kind = parsePartialKind(word.str());
  if (!kind) {
    parser.emitError(loc, "unknown partial kind '")
        << word << "'; expected one of " << listPartialKinds();
    return failure();
  }
  return *kind;
}

static ParseResult parseDTensorSyntax(AsmParser &parser, Placement &value) {
  value.sugar.emplace();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        MeshAxisPlacement entry;
        SMLoc loc = parser.getCurrentLocation();
        StringRef word;
        if (parser.parseKeyword(&word))
          return failure();
        if (word == "replicate") {
        } else if (word == "shard") {
          entry.kind = MeshAxisPlacement::Shard;
          if (parser.parseLParen() || parser.parseInteger(entry.dim) ||
              parser.parseRParen())
            return failure();
        } else if (word == "partial") {
          entry.kind = MeshAxisPlacement::Partial;
          if (parser.parseLParen())
            return failure();
          FailureOr<PartialKind> kind = parseKind(parser);
          if (failed(kind) || parser.parseRParen())
            return failure();
          entry.partial = *kind;
        } else {
          return parser.emitError(loc, "expected shard(dim), replicate, or "
                                       "partial(kind), found '")
                 << word << "'";
        }
        value.sugar->push_back(entry);
        return success();
      });
}

/// The `: type` that MLIR's parser found behind the placement parsed last on
/// this thread; see parsePlacement.
static thread_local Type trailingType;

ParseResult shardir::parsePlacement(OpAsmParser &parser,
                                    PlacementAttr &placement, Type &type) {
  trailingType = {};
  ParseResult result = parser.parseAttribute(placement);
  type = trailingType;
  trailingType = {};
  return result;
}

ParseResult shardir::parseColonTypeUnless(OpAsmParser &parser, Type &type) {
  if (type)
    return success();
  return failure(parser.parseColon() || parser.parseType(type));
}

Attribute PlacementAttr::parse(AsmParser &parser, Type type) {
  trailingType = type;
  FlatSymbolRefAttr mesh;
  Placement value;
  if (parser.parseLess() || parser.parseAttribute(mesh) || parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("placements"))) {
    if (parser.parseEqual() || parseDTensorSyntax(parser, value))
      return {};
  } else if (parser.parseCommaSeparatedList(
                 AsmParser::Delimiter::Square, [&]() -> ParseResult {
                   return parseDim(parser, value.dims.emplace_back());
                 })) {
    return {};
  }
  while (!value.sugar && succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word) || parser.parseEqual())
      return {};
    if (word == "replicated" && value.replicated.empty() && !value.partial) {
      if (parseAxes(parser, value.replicated))
        return {};
    } else if (word == "partial" && !value.partial) {
      FailureOr<PartialKind> kind = parseKind(parser);
      if (failed(kind))
        return {};
      value.partial = *kind;
      SMLoc axesLoc = parser.getCurrentLocation();
      if (parseAxes(parser, value.partialAxes))
        return {};
      if (value.partialAxes.empty()) {
        parser.emitError(axesLoc, "expected at least one partial axis");
        return {};
      }
    } else {
      parser.emitError(loc, "expected 'replicated = [...]' and then 'partial = "
                            "kind [...]', each at most once");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), mesh, value);
}

void PlacementAttr::print(AsmPrinter &printer) const {
  printer << "<" << getMesh() << ", " << toString(getValue()) << ">";
}

//===----------------------------------------------------------------------===//
// Look-ups and checks
//===----------------------------------------------------------------------===//

std::vector<int64_t> shardir::shapeOf(ShapedType type) {
  std::vector<int64_t> shape(type.getShape().begin(), type.getShape().end());
  for (int64_t &extent : shape)
    if (ShapedType::isDynamic(extent))
      extent = kUnknown;
  return shape;
}

unsigned shardir::numberClass(Type type) {
  return llvm::TypeSwitch<Type, unsigned>(getElementTypeOrSelf(type))
      .Case<FloatType>([](auto) { return NumberClass::Floats; })
      .Case<IntegerType, IndexType>([](auto) { return NumberClass::Integers; })
      .Case<ComplexType>([](auto) { return NumberClass::Complexes; })
      .Default([](auto) { return 0u; });
}

std::string shardir::elementTypeName(Type type) {
  if (isa<TensorType, BaseMemRefType>(type))
    type = getElementTypeOrSelf(type);
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

int64_t shardir::elementBytes(Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isIndex())
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  if (!type.isIntOrFloat())
    return 1;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

Type shardir::splitComplex(Type elementType, std::vector<int64_t> &shape,
                           Placement &from, Placement &to, Halo &halo) {
  auto type = dyn_cast<ComplexType>(elementType);
  if (!type)
    return elementType;
  shape.push_back(2);
  from.dims.emplace_back();
  to.dims.emplace_back();
  if (!halo.empty())
    halo.push_back({0, 0});
  return type.getElementType();
}

MeshOp shardir::lookupMesh(Operation *from, FlatSymbolRefAttr mesh) {
  return SymbolTable::lookupNearestSymbolFrom<MeshOp>(from, mesh);
}

LogicalResult shardir::verifyPlacementFor(Operation *op,
                                          PlacementAttr placement, Type type,
                                          const Twine &what,
                                          std::optional<Location> loc) {
  auto report = [&] { return loc ? emitError(*loc) : op->emitError(); };
  auto tensor = dyn_cast<ShapedType>(type);
  if (!tensor || !tensor.hasRank())
    return report() << what << " has a placement but its type " << type
                    << " is not a ranked tensor";
  MeshOp mesh = lookupMesh(op, placement.getMesh());
  if (!mesh) {
    InFlightDiagnostic diag = report() << "placement of " << what
                                       << " names mesh " << placement.getMesh()
                                       << ", which does not exist";
    std::vector<std::string> known;
    if (Operation *table = SymbolTable::getNearestSymbolTable(op))
      for (Region &region : table->getRegions())
        for (MeshOp other : region.getOps<MeshOp>())
          known.push_back(other.getSymName().str());
    std::string nearest =
        didYouMean(placement.getMesh().getValue().str(), known, "@", "");
    if (!nearest.empty())
      return diag << nearest;
    if (!known.empty())
      return diag << "; the module has @" << llvm::join(known, ", @")
                  << ": name one of its meshes, or declare "
                  << placement.getMesh();
    return diag << "; declare it with `shardir.mesh " << placement.getMesh()
                << " <[\"x\"=2]>`";
  }
  Mesh value = mesh.getMesh();
  std::optional<PlacementError> error;
  if (placement.getValue().sugar) {
    Placement plain = placement.getValue();
    error = shardir::lowerDTensorSyntax(plain, value, tensor.getRank());
    if (!error)
      error = verifyPlacement(plain, value, shapeOf(tensor),
                              elementTypeName(tensor));
  } else {
    error = verifyPlacement(placement.getValue(), value, shapeOf(tensor),
                            elementTypeName(tensor));
  }
  if (!error)
    return success();
  InFlightDiagnostic diag = report() << "placement of " << what << " of type "
                                     << type << ": " << error->message;
  diag.attachNote(mesh.getLoc())
      << "mesh " << placement.getMesh() << " declared here";
  if (!error->hint.empty())
    diag.attachNote() << error->hint;
  return failure();
}

PlacementAttr shardir::lowerDTensorSyntax(PlacementAttr placement,
                                          const Mesh &mesh, int64_t rank) {
  Placement value = placement.getValue();
  if (!value.sugar || lowerDTensorSyntax(value, mesh, rank))
    return placement;
  return PlacementAttr::get(placement.getContext(), placement.getMesh(), value);
}

PlacementAttr shardir::getResultPlacement(OpResult result) {
  Operation *op = result.getOwner();
  // Redistributions and collectives say where they lead.
  if (auto to = op->getInherentAttr("to"))
    if (auto placement = dyn_cast_or_null<PlacementAttr>(*to))
      return placement;
  auto placements = dyn_cast_or_null<ArrayAttr>(
      op->getDiscardableAttr(ShardIRDialect::kPlacements));
  if (!placements || placements.size() != op->getNumResults())
    return {};
  return dyn_cast<PlacementAttr>(placements[result.getResultNumber()]);
}

MeshTable::MeshTable(Operation *module) {
  // A mesh is a symbol: it stands where symbols do, not in functions' bodies.
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto mesh = dyn_cast<MeshOp>(op))
      meshes.push_back(mesh.getMesh());
    return op == module || op->hasTrait<OpTrait::SymbolTable>()
               ? WalkResult::advance()
               : WalkResult::skip();
  });
}

int MeshTable::indexOf(StringRef name) const {
  for (auto [i, mesh] : llvm::enumerate(meshes))
    if (mesh.name == name)
      return i;
  return -1;
}

const Mesh *MeshTable::lookup(StringRef name) const {
  int index = indexOf(name);
  return index < 0 ? nullptr : &meshes[index];
}

const Mesh &MeshTable::get(PlacementAttr placement) const {
  const Mesh *mesh = lookup(placement.getMesh().getValue());
  assert(mesh && "verified placements name a mesh of the module");
  return *mesh;
}
