// Fully sharded data parallel: weights are gathered before each layer, forward and backward, and their gradients
// are summed and scattered. The gather of a layer runs beside the compute of the layer before it, and the sum of
// a gradient beside the backward pass. The results are those of the unsharded program, on 1 to 4 ranks, of which
// one size alone divides all rows, with copies done at once and with copies put off until somebody waits, with
// the kernels that cards get, and with a GPU each; the bits are those of collectives in line.
// REQUIRES: compiler, !asan, !tsan
// RUN: mkdir -p %t
// RUN: shard-run %s --device=cuda-local --options=arch=host --mesh=dp=1 --verify
// RUN: shard-run %s --device=cuda-local --options=arch=host --mesh=dp=2 --verify
// RUN: shard-run %s --device=cuda-local --options=arch=sm_80 --mesh=dp=3 --verify
// RUN: shard-run %s --device=cuda-local --options=arch=sm_90a --mesh=dp=2 --verify
// RUN: shard-run %s --device=cuda-local --options=arch=host --mesh=dp=4 --compile-only -o %t/beside.so --verify
// RUN: shard-run %s --device=cuda-local --options="arch=host overlap=false" --mesh=dp=4 --compile-only -o %t/line.so
// RUN: env SHARDIR_EMULATED_CUDA=lazy shard-run %t/beside.so --device=cuda-local --verify --output=@%t/0.npy --output=@%t/1.npy --output=@%t/2.npy --output=@%t/3.npy
// RUN: shard-run %t/line.so --device=cuda-local --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy --tolerance=0
// RUN: env SHARDIR_NCCL_LIBRARY=%emulated_cuda %python %S/Inputs/processes.py 4 0 --rank="*:SHARDIR_EMULATED_CUDA=lazy" shard-run %t/beside.so --device=nccl --reductions=ordered --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy --tolerance=0

// A layer's gather starts before the layer before it computes, and is waited for behind that. In the backward pass a
// gather starts behind the sum that is on its way, and before the kernel in front of its own.
// RUN: shard-opt %s --shardir-to-bufferized="arch=host mesh=dp=2 combine-threshold=0" -o %t/bufferized.mlir
// RUN: shard-opt %t/bufferized.mlir --shardir-place-on-gpu --shardir-schedule-for-gpu --shardir-overlap-collectives -o %t/overlapped.mlir
// RUN: FileCheck %s < %t/overlapped.mlir
// CHECK:     collective.all_gather %arg2 into [[W0:%[a-z0-9_]+]] {{.*}}tensor<12x9xf32> {reason
// CHECK:     collective.all_gather %arg3 into [[W1:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK-NOT: collective
// CHECK:     gpu.launch
// CHECK:     collective.all_gather %arg4 into [[W2:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK:     collective.wait [[W1]]
// CHECK-NOT: collective
// CHECK:     gpu.launch
// CHECK:     collective.all_gather %arg5 into [[W3:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK:     collective.wait [[W2]]
// CHECK-NOT: collective
// CHECK:     gpu.launch
// CHECK:     collective.wait [[W3]]
// CHECK:     collective.all_gather %arg5 into [[B3:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK-NOT: collective
// CHECK:     gpu.launch
// CHECK:     collective.reduce_scatter [[D3:%[a-z0-9_]+]] into [[S3:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK:     collective.wait [[B3]]
// CHECK-NOT: collective
// CHECK:     gpu.launch
// CHECK:     collective.wait [[S3]]
// CHECK:     memref.dealloc [[D3]]
// CHECK:     collective.all_gather %arg4 into [[B2:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK:     collective.reduce_scatter [[D2:%[a-z0-9_]+]] into [[S2:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK:     collective.wait [[B2]]
// CHECK:     collective.wait [[S2]]
// CHECK:     memref.dealloc [[D2]]
// CHECK:     collective.all_gather %arg3 into {{.*}}collective.start

// All of the eleven but the first start early; with a limit for the memory as many as it leaves room for.
// RUN: grep -c collective.start %t/overlapped.mlir | FileCheck %s --check-prefix=ALL
// RUN: shard-opt %t/bufferized.mlir --shardir-place-on-gpu --shardir-schedule-for-gpu --shardir-overlap-collectives=memory-limit=125000 | grep -c collective.start | FileCheck %s --check-prefix=SOME
// RUN: shard-opt %t/bufferized.mlir --shardir-place-on-gpu --shardir-schedule-for-gpu --shardir-overlap-collectives=memory-limit=10000 | not grep collective.start
// ALL: {{^}}10
// SOME: {{^}}7

// Links on which a collective takes less than any kernel.
shardir.mesh @m <["dp"=?], links = {dp = {bandwidth = 1.0e12, latency = 1.0e-9}}>
func.func @step(%x: tensor<1001x12xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
    %t: tensor<1001x7xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
    %w0: tensor<12x9xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
    %w1: tensor<9x14xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
    %w2: tensor<14x11xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
    %w3: tensor<11x7xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> (tensor<12x9xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
        tensor<9x14xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
        tensor<14x11xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
        tensor<11x7xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 0.125 : f32
  %h0e = tensor.empty() : tensor<1001x9xf32>
  %h0z = linalg.fill ins(%zero : f32) outs(%h0e : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %h0 = linalg.matmul ins(%x, %w0 : tensor<1001x12xf32>, tensor<12x9xf32>) outs(%h0z : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %a0 = linalg.tanh ins(%h0 : tensor<1001x9xf32>) outs(%h0e : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %h1e = tensor.empty() : tensor<1001x14xf32>
  %h1z = linalg.fill ins(%zero : f32) outs(%h1e : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %h1 = linalg.matmul ins(%a0, %w1 : tensor<1001x9xf32>, tensor<9x14xf32>) outs(%h1z : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %a1 = linalg.tanh ins(%h1 : tensor<1001x14xf32>) outs(%h1e : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %h2e = tensor.empty() : tensor<1001x11xf32>
  %h2z = linalg.fill ins(%zero : f32) outs(%h2e : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %h2 = linalg.matmul ins(%a1, %w2 : tensor<1001x14xf32>, tensor<14x11xf32>) outs(%h2z : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %a2 = linalg.tanh ins(%h2 : tensor<1001x11xf32>) outs(%h2e : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %h3e = tensor.empty() : tensor<1001x7xf32>
  %h3z = linalg.fill ins(%zero : f32) outs(%h3e : tensor<1001x7xf32>) -> tensor<1001x7xf32>
  %h3 = linalg.matmul ins(%a2, %w3 : tensor<1001x11xf32>, tensor<11x7xf32>) outs(%h3z : tensor<1001x7xf32>) -> tensor<1001x7xf32>
  %g4 = linalg.sub ins(%h3, %t : tensor<1001x7xf32>, tensor<1001x7xf32>) outs(%h3e : tensor<1001x7xf32>) -> tensor<1001x7xf32>
  %d3e = tensor.empty() : tensor<11x7xf32>
  %d3z = linalg.fill ins(%zero : f32) outs(%d3e : tensor<11x7xf32>) -> tensor<11x7xf32>
  %d3 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%a2, %g4 : tensor<1001x11xf32>, tensor<1001x7xf32>) outs(%d3z : tensor<11x7xf32>) -> tensor<11x7xf32>
  %b3e = tensor.empty() : tensor<1001x11xf32>
  %b3z = linalg.fill ins(%zero : f32) outs(%b3e : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %b3 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%g4, %w3 : tensor<1001x7xf32>, tensor<11x7xf32>) outs(%b3z : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %g3 = linalg.mul ins(%b3, %a2 : tensor<1001x11xf32>, tensor<1001x11xf32>) outs(%b3e : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %d2e = tensor.empty() : tensor<14x11xf32>
  %d2z = linalg.fill ins(%zero : f32) outs(%d2e : tensor<14x11xf32>) -> tensor<14x11xf32>
  %d2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%a1, %g3 : tensor<1001x14xf32>, tensor<1001x11xf32>) outs(%d2z : tensor<14x11xf32>) -> tensor<14x11xf32>
  %b2e = tensor.empty() : tensor<1001x14xf32>
  %b2z = linalg.fill ins(%zero : f32) outs(%b2e : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %b2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%g3, %w2 : tensor<1001x11xf32>, tensor<14x11xf32>) outs(%b2z : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %g2 = linalg.mul ins(%b2, %a1 : tensor<1001x14xf32>, tensor<1001x14xf32>) outs(%b2e : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %d1e = tensor.empty() : tensor<9x14xf32>
  %d1z = linalg.fill ins(%zero : f32) outs(%d1e : tensor<9x14xf32>) -> tensor<9x14xf32>
  %d1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%a0, %g2 : tensor<1001x9xf32>, tensor<1001x14xf32>) outs(%d1z : tensor<9x14xf32>) -> tensor<9x14xf32>
  %b1e = tensor.empty() : tensor<1001x9xf32>
  %b1z = linalg.fill ins(%zero : f32) outs(%b1e : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %b1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%g2, %w1 : tensor<1001x14xf32>, tensor<9x14xf32>) outs(%b1z : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %g1 = linalg.mul ins(%b1, %a0 : tensor<1001x9xf32>, tensor<1001x9xf32>) outs(%b1e : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %d0e = tensor.empty() : tensor<12x9xf32>
  %d0z = linalg.fill ins(%zero : f32) outs(%d0e : tensor<12x9xf32>) -> tensor<12x9xf32>
  %d0 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%x, %g1 : tensor<1001x12xf32>, tensor<1001x9xf32>) outs(%d0z : tensor<12x9xf32>) -> tensor<12x9xf32>
  %r0z = linalg.fill ins(%rate : f32) outs(%d0e : tensor<12x9xf32>) -> tensor<12x9xf32>
  %r0 = linalg.mul ins(%d0, %r0z : tensor<12x9xf32>, tensor<12x9xf32>) outs(%d0e : tensor<12x9xf32>) -> tensor<12x9xf32>
  %n0 = linalg.sub ins(%w0, %r0 : tensor<12x9xf32>, tensor<12x9xf32>) outs(%d0e : tensor<12x9xf32>) -> tensor<12x9xf32>
  %r1z = linalg.fill ins(%rate : f32) outs(%d1e : tensor<9x14xf32>) -> tensor<9x14xf32>
  %r1 = linalg.mul ins(%d1, %r1z : tensor<9x14xf32>, tensor<9x14xf32>) outs(%d1e : tensor<9x14xf32>) -> tensor<9x14xf32>
  %n1 = linalg.sub ins(%w1, %r1 : tensor<9x14xf32>, tensor<9x14xf32>) outs(%d1e : tensor<9x14xf32>) -> tensor<9x14xf32>
  %r2z = linalg.fill ins(%rate : f32) outs(%d2e : tensor<14x11xf32>) -> tensor<14x11xf32>
  %r2 = linalg.mul ins(%d2, %r2z : tensor<14x11xf32>, tensor<14x11xf32>) outs(%d2e : tensor<14x11xf32>) -> tensor<14x11xf32>
  %n2 = linalg.sub ins(%w2, %r2 : tensor<14x11xf32>, tensor<14x11xf32>) outs(%d2e : tensor<14x11xf32>) -> tensor<14x11xf32>
  %r3z = linalg.fill ins(%rate : f32) outs(%d3e : tensor<11x7xf32>) -> tensor<11x7xf32>
  %r3 = linalg.mul ins(%d3, %r3z : tensor<11x7xf32>, tensor<11x7xf32>) outs(%d3e : tensor<11x7xf32>) -> tensor<11x7xf32>
  %n3 = linalg.sub ins(%w3, %r3 : tensor<11x7xf32>, tensor<11x7xf32>) outs(%d3e : tensor<11x7xf32>) -> tensor<11x7xf32>
  return %n0, %n1, %n2, %n3 : tensor<12x9xf32>, tensor<9x14xf32>, tensor<14x11xf32>, tensor<11x7xf32>
}
