// Operands of products come around rings: rows of the result block by block, and sums
// that go on from block to block. As many bytes as gathers would receive, and the
// report names what does come and for whom.
// RUN: split-file %s %t
// DEFINE: %{program} =
// DEFINE: %{run} = shard-run %t/%{program}.mlir --verify --options="rings=always" --report=%t/%{program}.json && env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %t/%{program}.mlir --device=cuda-local --options="arch=host rings=always" --verify
// REDEFINE: %{program} = rows
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=ROWS < %t/rows.json
// REDEFINE: %{program} = sums
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=SUMS < %t/sums.json
// Two blocks of 4x5 elements of 4 bytes each time; the last one is 3x5.
// ROWS:      "bytes_per_device": 160
// ROWS-NEXT: "collectives": [
// ROWS:      "kind": "exchange"
// ROWS:      "reason": "required by constrain, block 2 of 3 around a ring
// ROWS:      "users": [
// ROWS:        "op": "shardir.constrain"
// ROWS:      "kind": "exchange"
// ROWS:      block 3 of 3 around a ring
// ROWS:      "measured": {
// ROWS-NEXT:   "bytes_per_device": 160
// The other 3 x 6 elements, over one axis of two.
// SUMS:      "bytes_per_device": 72
// SUMS:      "kind": "exchange"
// SUMS:      "measured": {
// SUMS-NEXT:   "bytes_per_device": 72

// Where products read their operands through tensor maps, all three blocks are sent while one is multiplied.
// RUN: shard-opt %t/maps.mlir --shardir-to-bufferized="arch=sm_90a rings=always" | shard-opt --shardir-place-on-gpu --shardir-schedule-for-gpu="arch=sm_90a schedule=ws_gemm" --shardir-overlap-collectives | FileCheck %s --check-prefix=MAPS
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %t/maps.mlir --device=cuda-local --options="arch=sm_90a rings=always schedule=ws_gemm" --verify
// MAPS-LABEL:   func.func @main
// MAPS-COUNT-3: collective.exchange {{.*}}collective.start
// MAPS-NOT:     collective.exchange
// MAPS:         nvgpu.tma.create.descriptor

//--- rows.mlir
shardir.mesh @m <["x"=3]>
func.func @main(%x: tensor<11x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %w: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<11x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %zero = arith.constant 0.0 : f32
  %all = shardir.constrain %x to #shardir.placement<@m, [{}, {}]> : tensor<11x5xf32>
  %e = tensor.empty() : tensor<11x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<11x6xf32>) -> tensor<11x6xf32>
  %y = linalg.matmul ins(%all, %w : tensor<11x5xf32>, tensor<5x6xf32>) outs(%z : tensor<11x6xf32>) -> tensor<11x6xf32>
  return %y : tensor<11x6xf32>
}

//--- sums.mlir
shardir.mesh @m <["d"=2, "x"=2]>
func.func @main(%x: tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"d"}, {}]>},
                %w: tensor<6x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %b: tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"d"}, {}]>})
    -> (tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"d"}, {}]>}) {
  %y = linalg.matmul ins(%x, %w : tensor<8x6xi32>, tensor<6x6xi32>) outs(%b : tensor<8x6xi32>) -> tensor<8x6xi32>
  return %y : tensor<8x6xi32>
}

//--- maps.mlir
shardir.mesh @m <["x"=4]>
func.func @main(%x: tensor<256x64xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %w: tensor<64x256xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<256x256xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %y = linalg.matmul ins(%x, %w : tensor<256x64xbf16>, tensor<64x256xbf16>) outs(%z : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %y : tensor<256x256xf32>
}
