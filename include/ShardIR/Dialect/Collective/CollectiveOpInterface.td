//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of every collective that leads from one placement to another, in
// its global form as in its local one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_COLLECTIVE_COLLECTIVEOPINTERFACE_TD
#define SHARDIR_DIALECT_COLLECTIVE_COLLECTIVEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::shardir::collective";
  let description = [{
    A step of a redistribution: its kind, its two placements, and the global
    tensor's type.
  }];
  let methods = [
    InterfaceMethod<"The kind of step.", "::shardir::CollectiveKind", "getKind">,
    InterfaceMethod<"The placement of the operand.", "::shardir::PlacementAttr", "getFrom">,
    InterfaceMethod<"The placement of the result.", "::shardir::PlacementAttr", "getTo">,
    InterfaceMethod<"The operand: a tensor, or a memref once bufferized.",
                    "::mlir::Value", "getInput">,
    InterfaceMethod<"The destination memref once bufferized, else null.",
                    "::mlir::Value", "getOutput">,
    InterfaceMethod<"The extents of the result's unknown dims, in order (local form).",
                    "::mlir::OperandRange", "getSizes">,
    InterfaceMethod<"The global tensor's unknown extents, in order (local form); "
                    "then extent and shift of each open window of the halo.",
                    "::mlir::OperandRange", "getDims">,
    InterfaceMethod<"How much the result's shards overlap, `[[low, high], ...]`, or null.",
                    "::mlir::ArrayAttr", "getHaloAttr">,
    InterfaceMethod<"The type of the global tensor.",
                    "::mlir::RankedTensorType", "getGlobalTensorType">,
    InterfaceMethod<"True if operand and result are shards, not global tensors.",
                    "bool", "isLocal">,
  ];
  let extraClassDeclaration = [{
    /// The step as a plain value.
    ::shardir::CollectiveStep getStep();
  }];
}

#endif // SHARDIR_DIALECT_COLLECTIVE_COLLECTIVEOPINTERFACE_TD
