// Partial sums that are cast to bf16: in f32 before the cast, or with reduce=result-type in bf16 behind it, in
// half of the bytes. Within bf16's tolerance on 1 to 4 ranks, with uneven and empty shards of the contracted dim,
// as ops on tensors and in a linalg body.
// DEFINE: %{mesh} =
// DEFINE: %{run} = shard-run %s --verify --mesh=%{mesh} --report=%t.exact.json && shard-run %s --verify --mesh=%{mesh} --options="reduce=result-type" --report=%t.narrow.json
// REDEFINE: %{mesh} = x=1
// RUN: %{run}
// REDEFINE: %{mesh} = x=2
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=EXACT < %t.exact.json
// RUN: FileCheck %s --check-prefix=NARROW < %t.narrow.json
// REDEFINE: %{mesh} = x=4
// RUN: %{run}
//
// Two results of 6x8 elements, each half of which is received twice.
// EXACT:  "bytes_per_device": 384
// EXACT:  "element_type": "f32"
// EXACT:  "measured": {
// EXACT-NEXT: "bytes_per_device": 384
// NARROW: "bytes_per_device": 192
// NARROW: "element_type": "bf16"
// NARROW: "measured": {
// NARROW-NEXT: "bytes_per_device": 192
shardir.mesh @m <["x"=?]>

#id = affine_map<(i, j) -> (i, j)>

func.func @main(%a: tensor<6x5xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %b: tensor<5x8xbf16>)
    -> (tensor<6x8xbf16>, tensor<6x8xbf16>) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<6x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %y = linalg.matmul ins(%a, %b : tensor<6x5xbf16>, tensor<5x8xbf16>) outs(%z : tensor<6x8xf32>) -> tensor<6x8xf32>
  %r = arith.truncf %y : tensor<6x8xf32> to tensor<6x8xbf16>
  %n = arith.negf %b : tensor<5x8xbf16>
  %w = linalg.matmul ins(%a, %n : tensor<6x5xbf16>, tensor<5x8xbf16>) outs(%z : tensor<6x8xf32>) -> tensor<6x8xf32>
  %eb = tensor.empty() : tensor<6x8xbf16>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<6x8xf32>) outs(%eb : tensor<6x8xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %d = arith.mulf %in, %two : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<6x8xbf16>
  return %r, %s : tensor<6x8xbf16>, tensor<6x8xbf16>
}
