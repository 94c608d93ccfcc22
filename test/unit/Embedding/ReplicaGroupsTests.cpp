//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The groups of ranks of collectives, asked in C++ and in C.
//
//===----------------------------------------------------------------------===//

#include "ShardIR-c/ShardIR.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/Collective/ReplicaGroups.h"
#include "ShardIR/InitAll.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "gmock/gmock.h"

using namespace mlir;
using namespace shardir;
using collective::ReplicaGroups;
using testing::ElementsAre;

namespace {

class Groups : public testing::Test {
protected:
  Groups() {
    DialectRegistry registry;
    registry.insert<func::FuncDialect>();
    shardirRegisterAllDialects(wrap(&registry));
    context.appendDialectRegistry(registry);
  }

  /// The first collective of a function body.
  Operation *parse(const std::string &body) {
    module = parseSourceString<ModuleOp>(
        R"(shardir.mesh @m <["x"=2, "y"=4]>
           shardir.mesh @n <["x"=2, "y"=2], devices = [3, 2, 1, 0]>
           shardir.mesh @o <["x"=?]>
           func.func @f(%a: tensor<8xf32>, %i: index) {)" +
            body + " return }",
        &context);
    Operation *found = nullptr;
    if (module)
      module->walk([&](Operation *op) {
        if (isa<collective::CollectiveDialect>(op->getDialect()))
          found = op;
      });
    EXPECT_TRUE(found);
    return found;
  }

  ReplicaGroups groups(const std::string &body) {
    auto found = collective::getReplicaGroups(parse(body));
    EXPECT_TRUE(succeeded(found));
    return succeeded(found) ? *found : ReplicaGroups();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Groups, OfSteps) {
  EXPECT_THAT(groups(R"(%0 = collective.all_reduce %a
      from #shardir.placement<@m, [{}], partial = sum ["y"]>
      to #shardir.placement<@m, [{}]> : tensor<8xf32>)"),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_THAT(groups(R"(%0 = collective.all_gather %a
      from #shardir.placement<@m, [{"x"}]>
      to #shardir.placement<@m, [{}]> : tensor<8xf32>)"),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5),
                          ElementsAre(2, 6), ElementsAre(3, 7)));
  // Half of an axis.
  EXPECT_THAT(groups(R"(%0 = collective.all_gather %a
      from #shardir.placement<@m, [{"y":(1)2}]>
      to #shardir.placement<@m, [{}]> : tensor<8xf32>)"),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3),
                          ElementsAre(4, 6), ElementsAre(5, 7)));
  // The mesh's order of devices.
  EXPECT_THAT(groups(R"(%0 = collective.all_gather %a
      from #shardir.placement<@n, [{"y"}]>
      to #shardir.placement<@n, [{}]> : tensor<8xf32>)"),
              ElementsAre(ElementsAre(3, 2), ElementsAre(1, 0)));
  // From one mesh to another: all ranks of both.
  EXPECT_THAT(groups(R"(%0 = collective.exchange %a
      from #shardir.placement<@n, [{"y"}]>
      to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>)"),
              ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)));
  EXPECT_THAT(groups(R"(%0 = collective.slice %a
      from #shardir.placement<@m, [{}]>
      to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>)"),
              ElementsAre());
}

TEST_F(Groups, OfRootedOps) {
  EXPECT_THAT(groups(R"(%0 = collective.broadcast %a root %i on @n ["x"]
                  : tensor<8xf32> -> tensor<8xf32>)"),
              ElementsAre(ElementsAre(3, 1), ElementsAre(2, 0)));
}

TEST_F(Groups, Unknown) {
  EXPECT_TRUE(
      failed(collective::getReplicaGroups(parse(R"(%0 = collective.all_gather %a
      from #shardir.placement<@o, [{"x"}]>
      to #shardir.placement<@o, [{}]> : tensor<8xf32>)"))));
  EXPECT_TRUE(failed(collective::getReplicaGroups(module->getOperation())));
  EXPECT_EQ(shardirCollectiveGetNumGroups(wrap(module->getOperation())), -1);
}

TEST_F(Groups, InC) {
  MlirOperation op = wrap(parse(R"(%0 = collective.all_gather %a
      from #shardir.placement<@n, [{"y"}]>
      to #shardir.placement<@n, [{}]> : tensor<8xf32>)"));
  ASSERT_EQ(shardirCollectiveGetNumGroups(op), 2);
  int64_t ranks[] = {-1, -1, -1};
  EXPECT_EQ(shardirCollectiveGetGroup(op, 1, ranks, 3), 2);
  EXPECT_THAT(ranks, ElementsAre(1, 0, -1));
  EXPECT_EQ(shardirCollectiveGetGroup(op, 0, ranks, 1), 2);
  EXPECT_THAT(ranks, ElementsAre(3, 0, -1));
  EXPECT_EQ(shardirCollectiveGetGroup(op, 2, ranks, 3), -1);
}

TEST(CApi, LoadsDialectsAndPasses) {
  MlirContext context = mlirContextCreate();
  for (MlirDialectHandle handle : {mlirGetDialectHandle__shardir__(),
                                   mlirGetDialectHandle__collective__()}) {
    mlirDialectHandleRegisterDialect(handle, context);
    EXPECT_FALSE(
        mlirDialectIsNull(mlirDialectHandleLoadDialect(handle, context)));
  }
  mlirContextDestroy(context);
  shardirRegisterAllPasses();
  EXPECT_TRUE(PassInfo::lookup("shardir-propagate"));
  EXPECT_TRUE(PassPipelineInfo::lookup("shardir-to-local"));
}

} // namespace
