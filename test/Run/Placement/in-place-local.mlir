// A result in place of an argument, in a file for each rank: uneven and empty shards. The
// arguments stay for the unsharded program and for the next run.
//
// RUN: rm -rf %t && mkdir %t
// RUN: shard-run %s --input=5x3xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 --input=1xf32=4 --output=local:@%t/w.{rank}.npy --output=local:@%t/s.{rank}.npy --output=local:@%t/n.{rank}.npy
// RUN: shard-run %s --input=local:@%t/w.{rank}.npy --input=local:@%t/s.{rank}.npy --output=local:@%t/w.{rank}.npy --output=local:@%t/s.{rank}.npy --output=- --verify --benchmark=3 | FileCheck %s
// CHECK-COUNT-3: equal to the unsharded program
// CHECK: 5x3xf32=[7 11 15][19 23 27][31 35 39][43 47 51][55 59 63]
// RUN: shard-run %s --input=local:@%t/w.{rank}.npy --input=local:@%t/s.{rank}.npy | FileCheck %s --check-prefix=NEXT
// NEXT: 15 23 31
shardir.mesh @m <["x"=2, "y"=2]>
func.func @main(%w: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>}, %s: tensor<1xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5x3xf32> {shardir.alias = 0 : i64, shardir.in_place}, tensor<1xf32> {shardir.alias = 1 : i64, shardir.in_place}, tensor<5x3xf32>) {
  %one = arith.constant dense<1.0> : tensor<5x3xf32>
  %t = arith.addf %w, %w : tensor<5x3xf32>
  %n = arith.addf %t, %one : tensor<5x3xf32>
  %d = arith.addf %s, %s : tensor<1xf32>
  return %n, %d, %n : tensor<5x3xf32>, tensor<1xf32>, tensor<5x3xf32>
}
