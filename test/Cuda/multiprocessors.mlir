// A product beside a collective leaves it multiprocessors: its blocks stay until the end, and would wait for NCCL's or
// NCCL's for them. Of 10 multiprocessors, 4 of which NCCL may take, the first product has 6 blocks while the weights of
// the second one come, and the second one 10. NCCL is told how many it may take: 16 unless the environment says otherwise.
// REQUIRES: compiler, !asan, !tsan
// RUN: rm -rf %t && mkdir %t
// RUN: shard-run %s --device=cuda-local --options="arch=sm_90a schedule=ws_gemm plan=tile_n=64" --compile-only -o %t/p.so --verify
// RUN: env "SHARDIR_EMULATED_CUDA=multiprocessors=10 log=%t/0.log" NCCL_MAX_CTAS=4 shard-run %t/p.so --device=cuda-local --verify --tolerance=1e-3
// RUN: FileCheck %s < %t/0.log
// DEFINE: %{nccl} = env SHARDIR_NCCL_LIBRARY=%emulated_cuda %python %S/Inputs/processes.py 2 0
// RUN: %{nccl} --rank="*:NCCL_MAX_CTAS=4" "--rank=0:SHARDIR_EMULATED_CUDA=multiprocessors=10 log=%t/1.log" --rank=1:SHARDIR_EMULATED_CUDA=multiprocessors=10 shard-run %t/p.so --device=nccl --verify --tolerance=1e-3
// RUN: FileCheck %s --check-prefixes=FOUR,CHECK < %t/1.log
// RUN: %{nccl} --rank=0:SHARDIR_EMULATED_CUDA=log=%t/2.log shard-run %t/p.so --device=nccl
// RUN: FileCheck %s --check-prefix=SIXTEEN < %t/2.log
// FOUR: ncclCommInitRankConfig size=2 rank=0 maxCTAs=4
// SIXTEEN: ncclCommInitRankConfig size=2 rank=0 maxCTAs=16
// CHECK: kernel=main_matmul_ws_384x256x64_bf16 grid=6x1x1
// CHECK: kernel=main_matmul_ws_384x256x256_bf16{{.*}} grid=10x1x1

// The start of the gather stands before what the first product asks, its wait before what the second one asks.
// RUN: shard-opt %s --shardir-to-bufferized="arch=sm_90a" | shard-opt --shardir-place-on-gpu --shardir-schedule-for-gpu="arch=sm_90a schedule=ws_gemm plan=tile_n=64" --shardir-overlap-collectives | FileCheck %s --check-prefix=ORDER
// ORDER:      collective.all_gather {{.*}}collective.start
// ORDER:      kernel.multiprocessors
// ORDER:      gpu.launch
// ORDER:      collective.wait
// ORDER-NEXT: kernel.multiprocessors
// ORDER:      gpu.launch

shardir.mesh @m <["dp"=2]>
func.func @main(%x: tensor<768x64xbf16> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w0: tensor<64x256xbf16> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                %w1: tensor<256x256xbf16> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> (tensor<768x256xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0.0 : f32
  %he = tensor.empty() : tensor<768x256xbf16>
  %hz = linalg.fill ins(%zero : bf16) outs(%he : tensor<768x256xbf16>) -> tensor<768x256xbf16>
  %h = linalg.matmul ins(%x, %w0 : tensor<768x64xbf16>, tensor<64x256xbf16>) outs(%hz : tensor<768x256xbf16>) -> tensor<768x256xbf16>
  %ye = tensor.empty() : tensor<768x256xf32>
  %yz = linalg.fill ins(%none : f32) outs(%ye : tensor<768x256xf32>) -> tensor<768x256xf32>
  %y = linalg.matmul ins(%h, %w1 : tensor<768x256xbf16>, tensor<256x256xbf16>) outs(%yz : tensor<768x256xf32>) -> tensor<768x256xf32>
  return %y : tensor<768x256xf32>
}
