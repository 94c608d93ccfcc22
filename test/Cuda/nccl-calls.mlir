// Collectives over NCCL are NCCL's own calls: how many of which, on four ranks, in both modes. Reductions in order
// have the bits of ranks that share a GPU; NCCL's own have the same in every run. Uneven shards too.
// REQUIRES: compiler, !asan, !tsan
// RUN: rm -rf %t && mkdir %t
// RUN: shard-run %s --device=cuda-local --options="arch=host overlap=false combine-threshold=0" --compile-only -o %t/p.so --verify
// RUN: shard-run %t/p.so --device=cuda-local --verify --output=@%t/0.npy --output=@%t/1.npy --output=@%t/2.npy --output=@%t/3.npy
// DEFINE: %{mode} = engine
// DEFINE: %{run} = env SHARDIR_NCCL_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=log=%t/%{mode}.log %python %S/Inputs/processes.py 4 0 shard-run %t/p.so --device=nccl --reductions=%{mode}
// RUN: %{run} --repeat=2 --verify
// RUN: %python %S/Inputs/count-calls.py %t/engine.log | FileCheck %s --check-prefix=ENGINE
// REDEFINE: %{mode} = ordered
// RUN: %{run} --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy --tolerance=0
// RUN: %python %S/Inputs/count-calls.py %t/ordered.log | FileCheck %s --check-prefix=ORDERED

// Two runs of four ranks: 8 of each call, where a collective is one call.
// ENGINE:      ncclAllGather 8
// ENGINE-NEXT: ncclAllReduce 8
// ENGINE-NEXT: ncclBroadcast 32
// ENGINE-NEXT: ncclCommInitRankConfig 4
// ENGINE-NEXT: ncclGroupEnd 32
// ENGINE-NEXT: ncclReduceScatter 8
// One run: terms are gathered, or exchanged by three sends of each rank, and combined by the runtime.
// ORDERED:      ncclAllGather 8
// ORDERED-NEXT: ncclBroadcast 16
// ORDERED-NEXT: ncclCommInitRankConfig 4
// ORDERED-NEXT: ncclGroupEnd 16
// ORDERED-NEXT: ncclRecv 12
// ORDERED-NEXT: ncclSend 12

// Collectives that travel together are one group of calls: three in place of four on each rank.
// RUN: shard-run %s --device=cuda-local --options="arch=host overlap=false" --compile-only -o %t/p.so --verify
// REDEFINE: %{mode} = engine
// RUN: rm %t/engine.log
// RUN: %{run} --verify
// RUN: %python %S/Inputs/count-calls.py %t/engine.log | FileCheck %s --check-prefix=BUCKET
// BUCKET: ncclGroupEnd 12

shardir.mesh @m <["x"=4]>
func.func @main(%a: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %b: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %c: tensor<16x13xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<13xf32> {shardir.placement = #shardir.placement<@m, [{}]>},
        tensor<13xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<13xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<13xf32>) -> tensor<13xf32>
  %o = linalg.fill ins(%one : f32) outs(%e : tensor<13xf32>) -> tensor<13xf32>
  %s = linalg.reduce { arith.addf } ins(%c : tensor<16x13xf32>) outs(%z : tensor<13xf32>) dimensions = [0]
  %p = linalg.reduce { arith.mulf } ins(%c : tensor<16x13xf32>) outs(%o : tensor<13xf32>) dimensions = [0]
  return %a, %b, %s, %p : tensor<8x6xf32>, tensor<7x5xf32>, tensor<13xf32>, tensor<13xf32>
}
