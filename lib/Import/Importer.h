//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads other systems' annotations, then applies them: the first step of the
// annotated stage. Requires nothing of the dialects that wrote the annotations;
// guarantees that all are read before any is applied, for GSPMD's meshes are
// found from all of them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_IMPORTER_H
#define SHARDIR_LIB_IMPORT_IMPORTER_H

#include "ImportMeshes.h"
#include "Shardy/ImportComputations.h"

#include "ShardIR/Import/GspmdSharding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <map>

namespace shardir {

/// One annotation and the values or places that it is for.
struct Annotation {
  mlir::Operation *op; ///< where messages go
  /// How messages name what it is on.
  std::string what;
  llvm::SmallVector<mlir::Type> types;
  /// Called with one placement per type; null ones ask for nothing.
  std::function<mlir::LogicalResult(llvm::ArrayRef<PlacementAttr>)> apply;
  std::vector<ShardySharding> shardy;
  std::vector<GspmdSharding> gspmd;
  llvm::SmallVector<int64_t>
      openDims; ///< of all tensors, besides what shardings say
  /// It tells which axes are manual: partial axes stand for them.
  bool tellsManual = false;
};

class Importer {
public:
  explicit Importer(mlir::ModuleOp module) : module(module), meshes(module) {}
  mlir::LogicalResult run();
  /// Whether there was anything to read.
  bool foundAny() const {
    return !annotations.empty() || !finished.empty() || !computations.empty() ||
           hasCollectives || meshes.foundAny();
  }

private:
  using Apply =
      std::function<mlir::LogicalResult(llvm::ArrayRef<PlacementAttr>)>;
  mlir::LogicalResult collectSignature(mlir::FunctionOpInterface function);
  mlir::LogicalResult collectOp(mlir::Operation *op);
  mlir::LogicalResult collectShardyOp(mlir::Operation *op);
  mlir::LogicalResult collectComputation(mlir::Operation *op);
  mlir::LogicalResult collectRegions();
  mlir::LogicalResult add(mlir::Operation *op, const llvm::Twine &what,
                          mlir::TypeRange types, mlir::Attribute attr,
                          bool isGspmd, Apply apply);
  mlir::LogicalResult addFound(mlir::Operation *op, const llvm::Twine &what,
                               mlir::TypeRange types,
                               mlir::DictionaryAttr attributes, Apply apply);
  mlir::LogicalResult constrain(mlir::Operation *op, mlir::Attribute attr,
                                bool isGspmd);
  mlir::LogicalResult collectHint(mlir::Operation *op);
  mlir::LogicalResult placeHints();
  mlir::LogicalResult placeShardy();
  mlir::LogicalResult placeGspmd();
  void defaultPriorities();

  mlir::ModuleOp module;
  ImportMeshes meshes;
  bool hasCollectives = false;
  std::vector<Annotation> annotations;
  /// Groups and barriers.
  llvm::SmallVector<mlir::Operation *> hints;
  /// Ops that are done with once everything is applied.
  llvm::SetVector<mlir::Operation *> finished;
  /// Ops with regions, outer ones first.
  llvm::SmallVector<mlir::Operation *> computations;
  std::map<mlir::Operation *, Computation> borderOf;
};

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_IMPORTER_H
