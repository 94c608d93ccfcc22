// The second half of a pair of products whose hidden dim is split, rows of the result scattered: sums of blocks
// come around a ring while the next block's terms are computed. As many bytes as the reduce-scatter would
// receive, the same results within rounding, on 1 to 4 ranks, of blocks that are uneven or empty, on threads
// and on the emulated GPU.
// DEFINE: %{mesh} =
// DEFINE: %{function} =
// DEFINE: %{run} = shard-run %s --verify --function=%{function} --mesh=%{mesh} --options="rings=always" --report=%t.json && env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --verify --function=%{function} --mesh=%{mesh} --options="rings=always arch=host"
// REDEFINE: %{function} = pair
// REDEFINE: %{mesh} = x=1
// RUN: %{run}
// REDEFINE: %{mesh} = x=2
// RUN: %{run}
// REDEFINE: %{mesh} = x=3
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// REDEFINE: %{mesh} = x=4
// RUN: %{run}
// REDEFINE: %{function} = empty
// RUN: %{run}
// REDEFINE: %{function} = columns
// RUN: %{run}
// Of 11 rows 4, 4 and 3: two sums of 4x6 elements of 4 bytes.
// REPORT:      "bytes_per_device": 192
// REPORT-NEXT: "collectives": [
// REPORT:      "kind": "exchange"
// REPORT:      "reason": "{{.*}}, block 2 of 3 around a ring: {{.*}}"
// REPORT:        "op": "shardir.constrain"
// REPORT:      "kind": "exchange"
// REPORT:      block 3 of 3 around a ring
// REPORT:      "measured": {
// REPORT-NEXT:   "bytes_per_device": 192
//
// RUN: shard-opt %s --shardir-to-gpu="arch=host rings=always explain mesh=x=4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN-COUNT-3: its sums come around a ring of 4 devices over "x"
//
// A sum goes on its way before the product that it is added to begins, and is waited for behind it.
// RUN: shard-opt %s --shardir-to-bufferized="arch=sm_90a rings=always mesh=x=2" | shard-opt --shardir-place-on-gpu --shardir-schedule-for-gpu --shardir-overlap-collectives | FileCheck %s --check-prefix=BESIDE
// BESIDE-LABEL: func.func @pair
// BESIDE:       collective.exchange {{.*}}collective.start
// BESIDE:       gpu.launch
// BESIDE:       collective.wait
// BESIDE:       gpu.launch
shardir.mesh @m <["x"=?]>

func.func @pair(%x: tensor<11x7xf32>, %w1: tensor<7x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
    %w2: tensor<8x6xf32>) -> (tensor<11x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<11x8xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<11x8xf32>) -> tensor<11x8xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<11x7xf32>, tensor<7x8xf32>) outs(%z1 : tensor<11x8xf32>) -> tensor<11x8xf32>
  %a = linalg.tanh ins(%h : tensor<11x8xf32>) outs(%e1 : tensor<11x8xf32>) -> tensor<11x8xf32>
  %e2 = tensor.empty() : tensor<11x6xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<11x6xf32>) -> tensor<11x6xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<11x8xf32>, tensor<8x6xf32>) outs(%z2 : tensor<11x6xf32>) -> tensor<11x6xf32>
  %p = shardir.constrain %y to #shardir.placement<@m, [{}, {}], partial = sum ["x"]> : tensor<11x6xf32>
  %s = shardir.constrain %p to #shardir.placement<@m, [{"x"}, {}]> : tensor<11x6xf32>
  return %s : tensor<11x6xf32>
}

// Five rows over four devices: 2, 2, 1 and none.
func.func @empty(%x: tensor<5x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %w: tensor<8x6xf32>)
    -> (tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5x6xf32>) -> tensor<5x6xf32>
  %y = linalg.matmul ins(%x, %w : tensor<5x8xf32>, tensor<8x6xf32>) outs(%z : tensor<5x6xf32>) -> tensor<5x6xf32>
  %p = shardir.constrain %y to #shardir.placement<@m, [{}, {}], partial = sum ["x"]> : tensor<5x6xf32>
  return %p : tensor<5x6xf32>
}

// Integers, columns, a batch, and an operand that the product adds to.
func.func @columns(%x: tensor<2x5x8xi32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}, %w: tensor<2x8x6xi32>,
    %b: tensor<2x5x6xi32>) -> (tensor<2x5x6xi32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}) {
  %y = linalg.batch_matmul ins(%x, %w : tensor<2x5x8xi32>, tensor<2x8x6xi32>) outs(%b : tensor<2x5x6xi32>) -> tensor<2x5x6xi32>
  %p = shardir.constrain %y to #shardir.placement<@m, [{}, {}, {}], partial = sum ["x"]> : tensor<2x5x6xi32>
  return %p : tensor<2x5x6xi32>
}
