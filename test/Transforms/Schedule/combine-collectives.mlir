// Collectives of the same groups travel together: they stand one behind the other and carry one number.
//
// RUN: shard-opt %s --shardir-combine-collectives | FileCheck %s
// RUN: shard-opt %s --shardir-combine-collectives | shard-opt --shardir-combine-collectives | FileCheck %s
// RUN: shard-opt %s --shardir-combine-collectives="threshold=0" | FileCheck %s --check-prefix=NONE --implicit-check-not=collective.bucket
// NONE: shardir.stage = "scheduled"
//
// A bucket has at most so many bytes: one of 32 and one of 16 bytes fit, another one of 32 not.
// RUN: shard-opt %s --shardir-combine-collectives="threshold=48 explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: remark: 2 collectives travel together: 48 bytes
// BOUND: remark: 2 collectives travel together: 44 bytes
//
// Operands of reduce-scatters that wait for each other are more memory than a limit may have.
// RUN: shard-opt %s --shardir-combine-collectives="memory-limit=1" | FileCheck %s --check-prefix=LIMIT
// RUN: shard-opt %s --shardir-combine-collectives="memory-limit=100000" | FileCheck %s
// LIMIT-LABEL: func.func @scatters
// LIMIT-NOT:   collective.bucket
// LIMIT:       func.func @gathers

// CHECK: module attributes {shardir.stage = "scheduled"}
module attributes {shardir.stage = "local"} {
shardir.mesh @m <["dp"=2, "tp"=2]>

// Each gradient is reduced where the optimizer wants it: all move up behind the last operand. The loss, whose
// operand is ready first, waits for them, too; a reduction over another axis does not.
// CHECK-LABEL: func.func @step
// CHECK:       math.sqrt
// CHECK-NEXT:  collective.all_reduce {{.*}}["tp"]{{.*}} {reason = #shardir.reason<constrain>}
// CHECK:       %[[G0:.*]] = math.exp %arg0
// CHECK:       %[[G1:.*]] = math.exp %arg1
// CHECK:       %[[R0:.*]] = collective.all_reduce %[[G0]] {{.*}}partial = sum ["dp"]{{.*}}collective.bucket = [[N:[0-9]+]] : i64
// CHECK-NEXT:  %[[R1:.*]] = collective.all_reduce %[[G1]] {{.*}}collective.bucket = [[N]] : i64
// CHECK-NEXT:  arith.subf %arg0, %[[R0]]
// CHECK:       arith.subf %arg1, %[[R1]]
func.func @step(%w0: tensor<8xf32>, %w1: tensor<4xf32>, %a: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = math.sqrt %a : tensor<4xf32>
  %g0 = math.exp %w0 : tensor<8xf32>
  %t = collective.all_reduce %s from #shardir.placement<@m, [{}], partial = sum ["tp"]> to #shardir.placement<@m, [{}]> of tensor<4xf32> {reason = #shardir.reason<constrain>} : tensor<4xf32>
  %g1 = math.exp %w1 : tensor<4xf32>
  %r0 = collective.all_reduce %g0 from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{}]> of tensor<8xf32> {reason = #shardir.reason<constrain>} : tensor<8xf32>
  %n0 = arith.subf %w0, %r0 : tensor<8xf32>
  %r1 = collective.all_reduce %g1 from #shardir.placement<@m, [{"tp"}], partial = sum ["dp"]> to #shardir.placement<@m, [{"tp"}]> of tensor<8xf32> {reason = #shardir.reason<constrain>} : tensor<4xf32>
  %n1 = arith.subf %w1, %r1 : tensor<4xf32>
  return %n0, %n1, %t : tensor<8xf32>, tensor<4xf32>, tensor<4xf32>
}

// SGD scales each gradient before it is reduced, and updates before the next one is scaled.
// CHECK-LABEL: func.func @scaled
// CHECK:       linalg.mul
// CHECK:       linalg.mul
// CHECK:       collective.all_reduce {{.*}}collective.bucket = [[N:[0-9]+]]
// CHECK-NEXT:  collective.all_reduce {{.*}}collective.bucket = [[N]]
// CHECK:       linalg.sub
// CHECK:       linalg.sub
func.func @scaled(%w0: tensor<8xf32>, %w1: tensor<8xf32>, %g0: tensor<8xf32>, %g1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %rate = arith.constant 0.1 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f0 = linalg.fill ins(%rate : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s0 = linalg.mul ins(%f0, %g0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r0 = collective.all_reduce %s0 from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : tensor<8xf32>
  %n0 = linalg.sub ins(%w0, %r0 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %f1 = linalg.fill ins(%rate : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %s1 = linalg.mul ins(%f1, %g1 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %r1 = collective.all_reduce %s1 from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : tensor<8xf32>
  %n1 = linalg.sub ins(%w1, %r1 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  return %n0, %n1 : tensor<8xf32>, tensor<8xf32>
}

// The second one needs the first; another operand has other users, and its reduction stays; others differ in
// type, kind of reduction, or have unknown extents.
// CHECK-LABEL: func.func @alone
// CHECK-NOT:   collective.bucket
// CHECK:       return
func.func @alone(%a: tensor<4xf32>, %b: tensor<4xf64>, %c: tensor<4xf32>, %d: tensor<?xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<?xf32>, tensor<4xf32>) {
  %r0 = collective.all_reduce %a from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{}]> of tensor<4xf32> : tensor<4xf32>
  %s = math.exp %r0 : tensor<4xf32>
  %r1 = collective.all_reduce %s from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{}]> of tensor<4xf32> : tensor<4xf32>
  %u = math.exp %r1 : tensor<4xf32>
  %r2 = collective.all_reduce %b from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{}]> of tensor<4xf64> : tensor<4xf64>
  %r3 = collective.all_reduce %c from #shardir.placement<@m, [{}], partial = max ["dp"]> to #shardir.placement<@m, [{}]> of tensor<4xf32> : tensor<4xf32>
  %r4 = collective.all_reduce %d sizes [%n] dims [%n] from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{}]> of tensor<?xf32> : tensor<?xf32>
  %r5 = collective.all_reduce %u from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{}]> of tensor<4xf32> : tensor<4xf32>
  %v = math.exp %u : tensor<4xf32>
  %w = arith.addf %v, %r5 : tensor<4xf32>
  return %u, %r2, %r3, %r4, %w : tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<?xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @scatters
// CHECK:       math.exp
// CHECK:       collective.reduce_scatter {{.*}}collective.bucket = [[N:[0-9]+]]
// CHECK-NEXT:  collective.reduce_scatter {{.*}}collective.bucket = [[N]]
func.func @scatters(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %g0 = math.tanh %a : tensor<8xf32>
  %r0 = collective.reduce_scatter %g0 from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{"dp"}]> of tensor<8xf32> : tensor<8xf32> -> tensor<4xf32>
  %g1 = math.exp %b : tensor<8xf32>
  %r1 = collective.reduce_scatter %g1 from #shardir.placement<@m, [{}], partial = sum ["dp"]> to #shardir.placement<@m, [{"dp"}]> of tensor<8xf32> : tensor<8xf32> -> tensor<4xf32>
  return %r0, %r1 : tensor<4xf32>, tensor<4xf32>
}

// Gathers make more than they take: they move down alone. Uneven shards, in a loop.
// CHECK-LABEL: func.func @gathers
// CHECK:       scf.for
// CHECK:         math.exp
// CHECK-NEXT:    collective.all_gather {{.*}}of tensor<5xf32> {collective.bucket = [[N:[0-9]+]]
// CHECK-NEXT:    collective.all_gather {{.*}}of tensor<6xf32> {collective.bucket = [[N]]
func.func @gathers(%a: tensor<?xf32>, %b: tensor<3xf32>, %n: index) -> (tensor<5xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tensor.empty() : tensor<5xf32>
  %y = tensor.empty() : tensor<6xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<5xf32>, tensor<6xf32>) {
    %g0 = collective.all_gather %a from #shardir.placement<@m, [{"dp"}]> to #shardir.placement<@m, [{}]> of tensor<5xf32> : tensor<?xf32> -> tensor<5xf32>
    %e = math.exp %b : tensor<3xf32>
    %g1 = collective.all_gather %e from #shardir.placement<@m, [{"dp"}]> to #shardir.placement<@m, [{}]> of tensor<6xf32> : tensor<3xf32> -> tensor<6xf32>
    scf.yield %g0, %g1 : tensor<5xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<5xf32>, tensor<6xf32>
}
}
