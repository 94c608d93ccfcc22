// Two layers' gradients are summed over data-parallel ranks: the sum of one goes
// on beside what computes the other. The results are those of the unsharded
// program, with copies done at once and with copies put off until somebody waits;
// with and without the overlap; with a GPU each, too.
// REQUIRES: compiler, !asan, !tsan
// RUN: mkdir -p %t
// RUN: shard-run %s --device=cuda-local --options="arch=host combine-threshold=0" --compile-only -o %t/overlap.so --verify
// RUN: shard-run %s --device=cuda-local --options="arch=host overlap=false combine-threshold=0" --compile-only -o %t/line.so
// RUN: env SHARDIR_EMULATED_CUDA=log=%t/log shard-run %t/overlap.so --device=cuda-local --verify --output=@%t/a.npy --output=@%t/b.npy --trace=%t/trace.json
// The stream of what others wait for has the highest priority.
// RUN: FileCheck %s --check-prefix=STREAM < %t/log
// STREAM: cuStreamCreateWithPriority stream={{[0-9]+}} priority=-5
// RUN: env SHARDIR_EMULATED_CUDA=lazy shard-run %t/overlap.so --device=cuda-local --verify
// RUN: shard-run %t/line.so --device=cuda-local --expected_output=@%t/a.npy --expected_output=@%t/b.npy --tolerance=0
// RUN: env SHARDIR_NCCL_LIBRARY=%emulated_cuda %python %S/Inputs/processes.py 4 0 shard-run %t/overlap.so --device=nccl --reductions=ordered --expected_output=@%t/a.npy --expected_output=@%t/b.npy --tolerance=0
// RUN: env SHARDIR_NCCL_LIBRARY=%emulated_cuda %python %S/Inputs/processes.py 4 0 --rank="*:SHARDIR_EMULATED_CUDA=lazy" shard-run %t/overlap.so --device=nccl --reductions=ordered --expected_output=@%t/a.npy --expected_output=@%t/b.npy --tolerance=0

// Both sums together, beside what follows or not: the same bits, on one GPU and on one each.
// RUN: shard-run %s --device=cuda-local --options=arch=host --compile-only -o %t/bucket.so
// RUN: env SHARDIR_EMULATED_CUDA=lazy shard-run %t/bucket.so --device=cuda-local --expected_output=@%t/a.npy --expected_output=@%t/b.npy --tolerance=0
// RUN: env SHARDIR_NCCL_LIBRARY=%emulated_cuda %python %S/Inputs/processes.py 4 0 --rank="*:SHARDIR_EMULATED_CUDA=lazy" shard-run %t/bucket.so --device=nccl --reductions=ordered --expected_output=@%t/a.npy --expected_output=@%t/b.npy --tolerance=0
// RUN: shard-opt %s --shardir-to-gpu="arch=host" | FileCheck %s --check-prefix=BUCKET
// BUCKET:    call @shardir_collective_bucket

// RUN: shard-opt %s --shardir-to-gpu="arch=host combine-threshold=0" | FileCheck %s --check-prefix=CALLS
// RUN: shard-opt %s --shardir-to-gpu="arch=host overlap=false combine-threshold=0" | FileCheck %s --check-prefix=LINE
// CALLS:     call @shardir_collective_start
// CALLS:     call @shardir_gpu_launch
// CALLS:     call @shardir_collective(
// CALLS:     call @shardir_collective_wait
// LINE-NOT:  shardir_collective_start

// The timeline has a row for each stream; a sum begins before the last kernel.
// RUN: %python %S/Inputs/rows.py %t/trace.json | FileCheck %s
// CHECK:      rank 0: main
// CHECK-NEXT: rank 0, stream: kernel {{.*}}overlap.mlir:{{[0-9]+}}:{{[0-9]+}}
// CHECK:      rank 0, collectives: all_reduce of f32 24x12 {{.*}}overlap.mlir
// CHECK:      rank 3, collectives: all_reduce of f32 24x12
// CHECK:      a collective began before the last kernel of its rank: 4 of 4

// Links on which a sum takes less than any kernel.
shardir.mesh @m <["dp"=4], links = {dp = {bandwidth = 1.0e12, latency = 1.0e-9}}>
func.func @main(%x: tensor<16x24xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %h: tensor<16x12xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %g: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> (tensor<24x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<12x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<24x12xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<24x12xf32>) -> tensor<24x12xf32>
  %d0 = linalg.generic {indexing_maps = [affine_map<(i, j, b) -> (b, i)>, affine_map<(i, j, b) -> (b, j)>, affine_map<(i, j, b) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %h : tensor<16x24xf32>, tensor<16x12xf32>) outs(%z0 : tensor<24x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<24x12xf32>
  %e1 = tensor.empty() : tensor<12x8xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<12x8xf32>) -> tensor<12x8xf32>
  %d1 = linalg.generic {indexing_maps = [affine_map<(i, j, b) -> (b, i)>, affine_map<(i, j, b) -> (b, j)>, affine_map<(i, j, b) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %g : tensor<16x12xf32>, tensor<16x8xf32>) outs(%z1 : tensor<12x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<12x8xf32>
  return %d0, %d1 : tensor<24x12xf32>, tensor<12x8xf32>
}
