// RUN: shard-run %s --input=3x4xf32=-1,-2,3,4,5,6,7,-8,9,1,2,3 --expected_output=3x4xf32=1,2,3,4,5,6,7,8,9,1,2,3 --expected_output=3xf32=10,26,15
// RUN: shard-run %s --input=1x4xf32=-1,-2,3,4 --expected_output=1x4xf32=1,2,3,4 --expected_output=1xf32=10
// RUN: shard-run %s --input=0x4xf32 --expected_output=0x4xf32 --expected_output=0xf32

// An open dim in a manual region, cut along the axis that is left to propagation: a
// query inside answers with the extent along the manual axes, here all of it.
shardir.mesh @m <["x"=2, "y"=2]>
func.func @main(%a: tensor<?x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %0, %1 = shardir.manual (%a) in [#shardir.placement<@m, [{?}, {"x"}]>] out [#shardir.placement<@m, [{?}, {"x"}]>, #shardir.placement<@m, [{?}], partial = sum ["x"]>] manual = ["x"] {
  ^bb0(%v: tensor<?x2xf32>):
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %e = math.absf %v : tensor<?x2xf32>
    %n = tensor.dim %e, %c0 : tensor<?x2xf32>
    %em = tensor.empty(%n) : tensor<?xf32>
    %none = linalg.fill ins(%zero : f32) outs(%em : tensor<?xf32>) -> tensor<?xf32>
    %own = linalg.reduce { arith.addf } ins(%e : tensor<?x2xf32>) outs(%none : tensor<?xf32>) dimensions = [1]
    shardir.yield %e, %own : tensor<?x2xf32>, tensor<?xf32>
  } : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>)
  return %0, %1 : tensor<?x4xf32>, tensor<?xf32>
}
