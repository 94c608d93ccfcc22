// A reduction over more devices than a launch names terms of: the bits of threads, which round once, of a sum that
// all devices get and of one that is scattered, with shards that are empty on some.
// REQUIRES: compiler, !asan, !tsan
// RUN: mkdir -p %t
// RUN: shard-run %s --device=threads --mesh=x=100 --verify --output=@%t/a.npy --output=@%t/b.npy --output=@%t/c.npy
// RUN: shard-run %s --device=cuda-local --options=arch=host --mesh=x=100 --expected_output=@%t/a.npy --expected_output=@%t/b.npy --expected_output=@%t/c.npy --tolerance=0
// RUN: shard-run %s --device=cuda-local --options=arch=host --mesh=x=1 --verify
shardir.mesh @m <["x"=?]>
func.func @main(%x: tensor<105x37xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %y: tensor<105x301xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<37xbf16> {shardir.placement = #shardir.placement<@m, [{}]>},
        tensor<301xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
        tensor<37xbf16> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %zero = arith.constant 0.0 : bf16
  %least = arith.constant 0xFF80 : bf16
  %none = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<37xbf16>) -> tensor<37xbf16>
  %a = linalg.reduce ins(%x : tensor<105x37xbf16>) outs(%z : tensor<37xbf16>) dimensions = [0]
    (%u: bf16, %v: bf16) {
      %s = arith.addf %u, %v : bf16
      linalg.yield %s : bf16
    }
  %f = tensor.empty() : tensor<301xf32>
  %w = linalg.fill ins(%none : f32) outs(%f : tensor<301xf32>) -> tensor<301xf32>
  %b = linalg.reduce ins(%y : tensor<105x301xf32>) outs(%w : tensor<301xf32>) dimensions = [0]
    (%u: f32, %v: f32) {
      %s = arith.addf %u, %v : f32
      linalg.yield %s : f32
    }
  %p = shardir.constrain %b to #shardir.placement<@m, [{}], partial = sum ["x"]> : tensor<301xf32>
  %l = linalg.fill ins(%least : bf16) outs(%e : tensor<37xbf16>) -> tensor<37xbf16>
  %c = linalg.reduce ins(%x : tensor<105x37xbf16>) outs(%l : tensor<37xbf16>) dimensions = [0]
    (%u: bf16, %v: bf16) {
      %s = arith.maximumf %u, %v : bf16
      linalg.yield %s : bf16
    }
  return %a, %p, %c : tensor<37xbf16>, tensor<301xf32>, tensor<37xbf16>
}
