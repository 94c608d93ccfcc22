// RUN: shard-run %s --input=2xi64=3,5 --expected_output=2x2xi64=6,10,6,10 | FileCheck %s

// The first op reads what its buffer holds. Fused into one that broadcasts its
// result it would be applied once for each row, to what it wrote itself.
// CHECK: result 0: 2x2xi64 equal to
func.func @main(%x: tensor<2xi64>) -> tensor<2x2xi64> {
  %d = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<2xi64>) outs(%x : tensor<2xi64>) {
  ^bb0(%a: i64, %o: i64):
    %s = arith.addi %a, %o : i64
    linalg.yield %s : i64
  } -> tensor<2xi64>
  %e = tensor.empty() : tensor<2x2xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<2xi64>) outs(%e : tensor<2x2xi64>) {
  ^bb0(%a: i64, %o: i64):
    linalg.yield %a : i64
  } -> tensor<2x2xi64>
  return %r : tensor<2x2xi64>
}
