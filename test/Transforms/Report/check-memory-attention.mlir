// RUN: shard-opt %s --shardir-to-cpu=memory-limit=4M -o /dev/null
// RUN: not shard-opt %s "--shardir-to-cpu=memory-limit=4M attention=false" -o /dev/null 2>&1 | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective=memory-limit=0 --shardir-report=file=- -o /dev/null | FileCheck %s --check-prefix=PEAK

// Each device has 4 heads of 512 positions: 4 MiB of scores, which attention
// never stores, and half a MiB each of queries, keys, values and the result.
// CHECK: error: {{.*}}needs {{.*}} bytes at one time on a device, above the memory limit of 4000000
// PEAK:  "peak_bytes_per_device": 2{{[0-9]+}},

// Elementwise ops that are one kernel with what reads them store nothing.
// RUN: shard-opt %s --shardir-mark-attention -o - | FileCheck %s --check-prefix=MARK
// MARK-COUNT-3: shardir.unstored

shardir.mesh @m <["d"=2]>

#s = affine_map<(h, m, n) -> (h, m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
func.func @main(
    %q: tensor<8x512x64xf32> {shardir.placement = #shardir.placement<@m, [{"d"}, {}, {}]>},
    %k: tensor<8x64x512xf32>, %v: tensor<8x512x64xf32>) -> tensor<8x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x512x512xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<8x512x64xf32>, tensor<8x64x512xf32>) outs(%zs : tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %er = tensor.empty() : tensor<8x512xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%scores : tensor<8x512x512xf32>) outs(%lows : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.maximumf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x512xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%scores, %max : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%es : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<8x512x512xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<8x512xf32>) -> tensor<8x512xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<8x512x512xf32>) outs(%zr : tensor<8x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x512xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%es : tensor<8x512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<8x512x512xf32>
  %eo = tensor.empty() : tensor<8x512x64xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<8x512x512xf32>, tensor<8x512x64xf32>) outs(%zo : tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %o : tensor<8x512x64xf32>
}
