//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata of a compiled program (docs/RuntimeInternals.md), built while
// collectives are converted: the table of collectives grows as calls refer to
// it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_METADATA_H
#define SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_METADATA_H

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace shardir {

class MetadataBuilder {
public:
  /// Reads the meshes of `module`, which must be concrete (`verify`).
  explicit MetadataBuilder(mlir::ModuleOp module);

  /// Reports meshes that have an axis of unknown size.
  mlir::LogicalResult verify();

  const MeshTable &getMeshes() const { return meshes; }

  /// Appends to the table of collectives; returns the index of the new entry.
  int32_t addStep(collective::CollectiveOpInterface op);
  int32_t addRooted(mlir::Operation *op, llvm::StringRef kind,
                    mlir::FlatSymbolRefAttr mesh, mlir::ArrayAttr axes,
                    mlir::Type elementType);

  /// Appends an entry whose arguments and results shardir-bufferize has
  /// described in attributes.
  void addFunction(mlir::func::FuncOp entry, llvm::StringRef name,
                   llvm::StringRef symbol,
                   std::optional<std::string> unshardedSymbol, bool isStatic);

  /// All of it as JSON text; `report` is embedded as it is.
  std::string finish(llvm::StringRef hash, llvm::json::Value report,
                     llvm::json::Value gpu);

private:
  llvm::json::Object describeValue(mlir::func::FuncOp entry, unsigned argument);
  int64_t numRanks() const;

  mlir::ModuleOp module;
  MeshTable meshes;
  llvm::json::Array functions, collectives;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_METADATA_H
