// Hybrid sharding: weights are split over one axis and copied over another, so that each gradient is summed and
// scattered over one and then summed over the other. Both go on beside the backward pass, the second behind the
// first with no kernel that waits between them. The results are those of the unsharded program, with copies put off
// until somebody waits and with a GPU each; the bits are those of collectives in line.
// REQUIRES: compiler, !asan, !tsan
// RUN: mkdir -p %t
// RUN: sed -e '/1001x.*shardir.placement/s/{"dp"}/{"copies", "dp"}/' -e 's/<\["dp"=?\], links = {/<["copies"=2, "dp"=2], links = {copies = {bandwidth = 1.0e12, latency = 1.0e-9}, /' %S/fsdp.mlir > %t/hsdp.mlir
// RUN: shard-opt %t/hsdp.mlir --shardir-to-bufferized="arch=host combine-threshold=0" --shardir-place-on-gpu --shardir-schedule-for-gpu --shardir-overlap-collectives | FileCheck %s
// CHECK:      collective.reduce_scatter %{{.*}} into [[S:%[a-z0-9_]+]] {{.*}}tensor<14x11xf32> {collective.start
// CHECK-NEXT: collective.all_reduce [[S]] into [[S]] {{.*}}tensor<14x11xf32> {collective.start

// RUN: shard-run %t/hsdp.mlir --device=cuda-local --options=arch=sm_90a --verify
// RUN: shard-run %t/hsdp.mlir --device=cuda-local --options="arch=host combine-threshold=0" --compile-only -o %t/beside.so --verify
// RUN: shard-run %t/hsdp.mlir --device=cuda-local --options="arch=host combine-threshold=0 overlap=false" --compile-only -o %t/line.so
// RUN: env SHARDIR_EMULATED_CUDA=lazy shard-run %t/beside.so --device=cuda-local --verify --output=@%t/0.npy --output=@%t/1.npy --output=@%t/2.npy --output=@%t/3.npy
// RUN: shard-run %t/line.so --device=cuda-local --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy --tolerance=0
// RUN: env SHARDIR_NCCL_LIBRARY=%emulated_cuda %python %S/Inputs/processes.py 4 0 --rank="*:SHARDIR_EMULATED_CUDA=lazy" shard-run %t/beside.so --device=nccl --reductions=ordered --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy --tolerance=0
