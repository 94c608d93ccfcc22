//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meshes that imported annotations name: declared by an op `sdy.mesh` or an
// attribute of the module, written out in place, or only named. Requires a
// module whose `shardir.mesh` ops verify; guarantees one `shardir.mesh` for
// each name that `get` was called with.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_IMPORTMESHES_H
#define SHARDIR_LIB_IMPORT_IMPORTMESHES_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Import/ShardyText.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace shardir {

/// The text of an annotation: a string's, an opaque attribute's, or what the
/// dialect of an attribute prints.
std::string textOf(mlir::Attribute attr);

class ImportMeshes {
public:
  explicit ImportMeshes(mlir::ModuleOp module);

  /// Reads what declares meshes; reports what cannot be read.
  mlir::LogicalResult collect();
  bool foundAny() const { return !declared.empty(); }

  /// The name of the `shardir.mesh` for a sharding, which is made if it is not
  /// there. Axes of a mesh that nothing declares have unknown sizes, which
  /// `mesh=` sets; `axes` are those that the program names. Null after an error
  /// at `loc`.
  mlir::StringAttr get(mlir::Location loc, const ShardySharding &sharding,
                       llvm::ArrayRef<std::string> axes);

  /// All meshes as values, in the order of their ops.
  std::vector<Mesh> all();
  /// Makes an op for a mesh and gives it a name that is free.
  mlir::StringAttr create(mlir::Location loc, Mesh mesh);

private:
  mlir::StringAttr createNamed(mlir::Location loc, llvm::StringRef name,
                               Mesh mesh);

  mlir::ModuleOp module;
  struct Declared {
    mlir::Location loc;
    Mesh mesh;
  };
  std::map<std::string, Declared, std::less<>> declared;
};

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_IMPORTMESHES_H
