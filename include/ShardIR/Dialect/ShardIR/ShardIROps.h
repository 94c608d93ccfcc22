//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shardir dialect: ops and attributes, for code that does not look into
// placements and meshes. ShardIR.h includes this and their headers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_SHARDIROPS_H
#define SHARDIR_DIALECT_SHARDIR_SHARDIROPS_H

#include "ShardIR/Placement/PlacementFwd.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace shardir {
inline ::llvm::hash_code hash_value(const Placement &placement) {
  return hashValue(placement);
}

/// The kinds of origin of a `#shardir.provenance`.
enum class ProvenanceKind { Argument, Result, Annotation, Op };

/// The kinds of `#shardir.reason`: `Program` where the program communicates by
/// itself, `Body` an op that runs unsharded and reads a tensor from outside.
enum class ReasonKind { Constrain, Program, Result, Operand, Body };
} // namespace shardir

#include "ShardIR/Dialect/ShardIR/ShardIRDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ShardIR/Dialect/ShardIR/ShardIRAttrs.h.inc"

#define GET_OP_CLASSES
#include "ShardIR/Dialect/ShardIR/ShardIROps.h.inc"

namespace shardir {

class MeshTable;

/// The shape of a tensor type with kUnknown for dynamic dims.
std::vector<int64_t> shapeOf(mlir::ShapedType type);

/// How an element type is spelled in checks and reports: `f32`, `bf16`, `i1`.
std::string elementTypeName(mlir::Type type);
/// The class of the elements of `type`, or of a scalar: a bit of
/// NumberClass::Bits; 0 for other types.
unsigned numberClass(mlir::Type type);

/// The number of bytes of one element as the runtime stores it; i1 takes one.
int64_t elementBytes(mlir::Type type);

/// Complex numbers as collectives have them: floats along one more, minor dim
/// of 2 that is unsharded. Updates `placement`, `halo` and `shape` of a tensor
/// of `type`; returns the element type. Other types stay as they are.
mlir::Type splitComplex(mlir::Type elementType, std::vector<int64_t> &shape,
                        Placement &from, Placement &to, Halo &halo);

/// The mesh op that `placement` names, seen from `from`; null if there is none.
MeshOp lookupMesh(mlir::Operation *from, mlir::FlatSymbolRefAttr mesh);

/// Checks `placement` for a tensor of type `type` against its mesh and reports
/// what is wrong at `loc`, or at `op` where none is given, with `what` naming
/// the value ("argument 0", …).
mlir::LogicalResult
verifyPlacementFor(mlir::Operation *op, PlacementAttr placement,
                   mlir::Type type, const llvm::Twine &what,
                   std::optional<mlir::Location> loc = std::nullopt);

/// Replaces sugar by dims; `placement` must verify against the mesh.
PlacementAttr lowerDTensorSyntax(PlacementAttr placement, const Mesh &mesh,
                                 int64_t rank);

/// The placement that `shardir.placements` gives an op's result, or null.
PlacementAttr getResultPlacement(mlir::OpResult result);

/// The placement of any tensor value: an op's result, or a function argument;
/// null where there is none.
PlacementAttr getPlacement(mlir::Value value);

/// Parses and prints `["tp", "dp":(1)2]`.
mlir::ParseResult parseAxis(mlir::AsmParser &parser, AxisRef &axis);

/// Parses a placement that stands before an optional attribute dictionary and
/// `: type`. MLIR's parser takes `: type` after a dialect attribute for the
/// attribute's own type; what it took is returned in `type`, else null.
mlir::ParseResult parsePlacement(mlir::OpAsmParser &parser,
                                 PlacementAttr &placement, mlir::Type &type);

/// `[[1, 1], [0, 0]]` as a value; none for null. Requires checkHalo.
Halo readHalo(mlir::ArrayAttr halo);
/// The attribute of a halo; null for none.
mlir::ArrayAttr haloAttr(mlir::MLIRContext *context, const Halo &halo);
/// Prints a halo without the integers' types.
void printHalo(mlir::OpAsmPrinter &printer, mlir::ArrayAttr halo);
/// Checks that a halo has one [low, high] per dim, none negative.
mlir::LogicalResult checkHalo(mlir::Operation *op, mlir::ArrayAttr halo,
                              int64_t rank);
/// Checks a halo against the placement of the overlapping result (D6 of
/// docs/Semantics.md).
mlir::LogicalResult verifyHaloFor(mlir::Operation *op, mlir::ArrayAttr halo,
                                  PlacementAttr placement,
                                  mlir::ShapedType type);

/// The axes of `placement` that are among `manual`, in its dims and partial.
std::vector<AxisRef> manualAxesOf(const Placement &placement,
                                  mlir::ArrayAttr manual);
/// `placement` with the axes among `manual`, or with the others, alone in its
/// dims, and not partial.
Placement manualPart(const Placement &placement, mlir::ArrayAttr manual,
                     bool isManual);
/// The type of the shard of `type` along the axes of `placement` that are among
/// `manual`; an error at `op` where they do not cut the tensor as a manual
/// region needs it. `what` names the value.
mlir::FailureOr<mlir::RankedTensorType>
manualShardType(mlir::Operation *op, mlir::RankedTensorType type,
                PlacementAttr placement, mlir::ArrayAttr manual,
                const llvm::Twine &what);

/// Parses `: type` unless parsePlacement has found the type already.
mlir::ParseResult parseColonTypeUnless(mlir::OpAsmParser &parser,
                                       mlir::Type &type);

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_SHARDIROPS_H
