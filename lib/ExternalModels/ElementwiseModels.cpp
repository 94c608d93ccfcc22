//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration only, until the models of this dialect land.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/ExternalModels/ExternalModels.h"

void shardir::registerElementwiseModels(mlir::DialectRegistry &) {}
