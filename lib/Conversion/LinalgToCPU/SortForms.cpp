//===- SortForms.cpp - Sorts that have shorter forms ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SortForms.h for what is guaranteed.
//
//===----------------------------------------------------------------------===//

#include "SortForms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace shardir;

Value shardir::sortPlaces(OpBuilder &builder, Location loc, Value keys,
                          int64_t dim) {
  auto type = cast<RankedTensorType>(keys.getType());
  Type i32 = builder.getI32Type();
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, keys), i32);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value places = linalg::GenericOp::create(
                     builder, loc, empty.getType(), ValueRange(), empty,
                     builder.getMultiDimIdentityMap(type.getRank()), iterators,
                     [&](OpBuilder &b, Location l, ValueRange) {
                       Value index = linalg::IndexOp::create(b, l, dim);
                       Value place =
                           arith::IndexCastUIOp::create(b, l, i32, index);
                       linalg::YieldOp::create(b, l, place);
                     })
                     .getResult(0);
  Type key = type.getElementType();
  Value tensors[] = {keys, places};
  auto sorted = SortOp::create(builder, loc, ValueRange(tensors).getTypes(),
                               tensors, dim);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&sorted.getComparator(), {},
                                    {key, key, i32, i32}, {loc, loc, loc, loc});
  Value isLess =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            body->getArgument(0), body->getArgument(1));
  YieldOp::create(builder, loc, isLess);
  return sorted.getResult(1);
}

Value shardir::readAtPlaces(OpBuilder &builder, Location loc, Value tensor,
                            int64_t dim, Value places, AffineMap map) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  sizes[dim] = tensor::getMixedSize(
      builder, loc, places,
      *map.getResultPosition(builder.getAffineDimExpr(dim)));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  SmallVector<AffineMap> maps = {
      map, builder.getMultiDimIdentityMap(type.getRank())};
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), places, empty, maps, iterators,
             [&](OpBuilder &b, Location l, ValueRange arguments) {
               SmallVector<Value> at;
               for (int64_t d = 0; d < type.getRank(); ++d)
                 at.push_back(linalg::IndexOp::create(b, l, d));
               at[dim] = arith::IndexCastUIOp::create(b, l, b.getIndexType(),
                                                      arguments[0]);
               Value element = tensor::ExtractOp::create(b, l, tensor, at);
               linalg::YieldOp::create(b, l, element);
             })
      .getResult(0);
}
