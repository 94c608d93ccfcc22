// RUN: not shard-opt %s --allow-unregistered-dialect --shardir-to-collective=memory-limit=100 -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="splitting dim 0"

// The rule forbids to split dim 0: no split of it is advised, neither of the
// result nor of what is gathered for the op.
shardir.mesh @m <["x"=2, "y"=2]>

// CHECK: error: 'my.scan' needs 320 bytes at one time on a device, above the memory limit of 100
// CHECK: note: 128 bytes: the result of 'collective.all_gather', 'tensor<8x8xf32>', #shardir.placement<@m, [{}, {"y"}]>; splitting dim 1 over "x" saves 64 bytes
// CHECK: note: 128 bytes: the result of 'my.scan', {{.*}}; splitting dim 1 over "x" saves 64 bytes
func.func @main(%a: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = "my.scan"(%a) {shardir.rule = #shardir.rule<([_, j]) -> ([_, j])>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
