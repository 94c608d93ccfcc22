// With SHARDIR_CUDA_GRAPHS=step a run that comes again is one CUDA graph, collectives and what goes on beside them
// included: from the third run on no rank calls NCCL, and each launches one graph.
// REQUIRES: compiler, !asan, !tsan
// RUN: rm -rf %t && mkdir %t
// RUN: shard-run %s --device=cuda-local --options="arch=host combine-threshold=0" --compile-only -o %t/p.so --verify
// RUN: shard-run %t/p.so --device=cuda-local --output=@%t/0.npy --output=@%t/1.npy
// DEFINE: %{settings} =
// DEFINE: %{status} = 0
// DEFINE: %{run} = env SHARDIR_CUDA_GRAPHS=step SHARDIR_NCCL_LIBRARY=%emulated_cuda "SHARDIR_EMULATED_CUDA=log=%t/log %{settings}" %python %S/Inputs/processes.py 4 %{status} shard-run %t/p.so --device=nccl
// RUN: %{run} --repeat=3 --verify && grep -c ncclGroupEnd %t/log > %t/three
// RUN: grep -c cuGraphLaunch %t/log | FileCheck %s --check-prefix=ONE
// ONE: {{^4$}}
// RUN: rm %t/log && %{run} --repeat=8 --verify && grep -c ncclGroupEnd %t/log > %t/eight
// RUN: cmp %t/three %t/eight
// RUN: grep -c cuGraphLaunch %t/log | FileCheck %s --check-prefix=SIX
// SIX: {{^24$}}
// RUN: grep -c cuGraphInstantiate %t/log | FileCheck %s --check-prefix=ONE

// The bits of ranks that share a GPU, with copies put off until somebody waits for them, and buffers registered.
// REDEFINE: %{settings} = lazy
// RUN: env SHARDIR_NCCL_REGISTER=1 %{run} --repeat=5 --reductions=ordered --expected_output=@%t/0.npy --expected_output=@%t/1.npy --tolerance=0

// A rank whose graph is refused ends the run, as the others have captured theirs; what fails ends graphs first.
// REDEFINE: %{settings} = fail=cuGraphInstantiate:1:801
// REDEFINE: %{status} = 4
// RUN: rm %t/log && %{run} --repeat=4 --timeout=20 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: rank {{[0-3]}} cannot repeat a run as a CUDA graph: cuGraphInstantiate says CUDA_ERROR_NOT_SUPPORTED; run without SHARDIR_CUDA_GRAPHS=step
// RUN: not grep -E "ncclCommAbort .*graphs=[1-9]" %t/log

// A run that cannot be a graph says why.
// REDEFINE: %{settings} =
// REDEFINE: %{status} = 0
// RUN: %{run} --repeat=4 --check=every | FileCheck %s --check-prefix=CHECKS
// CHECKS: note: rank {{[0-3]}}: this run is no CUDA graph of its own: ranks compare each collective
// RUN: env SHARDIR_CUDA_GRAPHS=step shard-run %t/p.so --device=cuda-local --verify 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: note: rank {{[0-3]}}: this run is no CUDA graph of its own: ranks that share a GPU meet at each collective

shardir.mesh @m <["x"=4]>
func.func @main(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %v: tensor<16x12xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %w: tensor<7x12xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<7x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x12xf32>) -> tensor<8x12xf32>
  %p = linalg.matmul ins(%x, %v : tensor<8x16xf32>, tensor<16x12xf32>) outs(%z : tensor<8x12xf32>) -> tensor<8x12xf32>
  %q = math.absf %p : tensor<8x12xf32>
  %n = arith.negf %w : tensor<7x12xf32>
  return %q, %n : tensor<8x12xf32>, tensor<7x12xf32>
}
