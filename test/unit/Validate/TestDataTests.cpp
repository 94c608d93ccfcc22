//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data that rules are tried on: terms combine to the tensor that they are
// terms of, in every order, and are not alike; or a wrong rule would pass.
//
//===----------------------------------------------------------------------===//

#include "Validate/RuleCases.h"
#include "Validate/Soundness.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::validate;

namespace {

std::vector<Type> types(MLIRContext &context) {
  Builder builder(&context);
  return {builder.getF32Type(), builder.getF64Type(), builder.getBF16Type(),
          builder.getF16Type(), builder.getI1Type(),  builder.getIntegerType(8),
          builder.getI32Type(), builder.getI64Type()};
}

/// Only order decides special values: sums and products of them may not exist.
bool isOrdered(PartialKind kind) {
  return kind != PartialKind::Sum && kind != PartialKind::Prod;
}

TEST(TestData, TermsCombineInAnyOrder) {
  MLIRContext context;
  TestData data(7);
  for (Type type : types(context))
    for (PartialKind kind : partialKindsOf(type))
      for (Flavour flavour : {Flavour::Small, Flavour::Special}) {
        if (flavour == Flavour::Special && !isOrdered(kind))
          continue;
        Tensor whole = data.tensor(type, {5, 4}, flavour);
        for (int64_t count : {1, 2, 3, 4}) {
          std::vector<Tensor> terms = data.terms(kind, *whole, count);
          std::vector<int> order(count);
          for (int i = 0; i < count; ++i)
            order[i] = i;
          do {
            for (size_t i = 0; i < whole->elements.size(); ++i) {
              Scalar all = terms[order[0]]->elements[i];
              for (int64_t t = 1; t < count; ++t)
                all = combine(kind, type, all, terms[order[t]]->elements[i]);
              ASSERT_TRUE(
                  agrees(type, whole->elements[i], all, Exactness::Rounded))
                  << stringifyPartialKind(kind) << " of " << count
                  << " terms gives " << toString(type, all) << ", not "
                  << toString(type, whole->elements[i]);
            }
          } while (std::next_permutation(order.begin(), order.end()));
        }
      }
}

TEST(TestData, TermsDiffer) {
  MLIRContext context;
  TestData data(11);
  for (Type type : types(context))
    for (PartialKind kind : partialKindsOf(type)) {
      Tensor whole = data.tensor(type, {64}, Flavour::Small);
      std::vector<Tensor> terms = data.terms(kind, *whole, 2);
      int other = 0, first = 0;
      for (size_t i = 0; i < whole->elements.size(); ++i) {
        const Scalar &a = terms[0]->elements[i], &b = terms[1]->elements[i];
        other += !agrees(type, a, b, Exactness::Bits);
        first += agrees(type, whole->elements[i], a, Exactness::Bits);
      }
      // Neither are terms copies of each other, nor does one device hold all.
      EXPECT_GT(other, 10) << stringifyPartialKind(kind);
      EXPECT_LT(first, 60) << stringifyPartialKind(kind);
    }
}

TEST(Assembly, FindsEachKindOfMistake) {
  MLIRContext context;
  Type type = Builder(&context).getI32Type();
  TestData data(3);
  const Mesh &mesh = testMeshes().back();
  Tensor whole = data.tensor(type, {5, 3}, Flavour::Small);
  Placement split = Placement::replicatedOfRank(2);
  split.dims[0].splits = {Split::byAxis("x")};
  split.partial = PartialKind::Sum;
  split.partialAxes = {AxisRef{"y", 1, 0}};
  Assembly assembly{mesh, Exactness::Bits};
  std::vector<Tensor> shards = distribute(*whole, split, mesh, data);
  ASSERT_EQ(shards.size(), 4u);
  EXPECT_EQ(assembly.compare(*whole, split, shards), std::nullopt);
  // One element of one term.
  auto changed = std::make_shared<TensorData>(*shards[3]);
  changed->elements[2].i += 1;
  std::vector<Tensor> wrong = shards;
  wrong[3] = changed;
  auto message = assembly.compare(*whole, split, wrong);
  ASSERT_TRUE(message);
  EXPECT_NE(message->find("at [3, 2] on rank 2"), std::string::npos)
      << *message;
  // A shard of other extents.
  wrong = shards;
  wrong[1] = data.tensor(type, {2, 3}, Flavour::Small);
  message = assembly.compare(*whole, split, wrong);
  ASSERT_TRUE(message);
  EXPECT_NE(message->find("has extents [2, 3] on rank 1, expected [3, 3]"),
            std::string::npos)
      << *message;
  // An element that nobody wrote.
  changed = std::make_shared<TensorData>(*shards[0]);
  changed->elements[0].undefined = true;
  wrong = shards;
  wrong[0] = changed;
  message = assembly.compare(*whole, split, wrong);
  ASSERT_TRUE(message);
  EXPECT_NE(message->find("undefined at [0, 0]"), std::string::npos)
      << *message;
}

} // namespace
