// With SHARDIR_NCCL_REGISTER=1 the blocks that collectives use are NCCL's, and registered once with each communicator,
// however many runs there are. None is registered when it is freed, or when its communicator is aborted.
// REQUIRES: compiler, !asan, !tsan
// RUN: rm -rf %t && mkdir %t
// RUN: shard-run %s --device=cuda-local --options="arch=host" --compile-only -o %t/p.so --verify
// DEFINE: %{fault} =
// DEFINE: %{status} = 0
// DEFINE: %{run} = env SHARDIR_NCCL_REGISTER=1 SHARDIR_NCCL_LIBRARY=%emulated_cuda "SHARDIR_EMULATED_CUDA=log=%t/log %{fault}" %python %S/Inputs/processes.py 4 %{status} shard-run %t/p.so --device=nccl
// RUN: %{run} --repeat=2 --verify && grep -c ncclCommRegister %t/log > %t/two
// RUN: rm %t/log && %{run} --repeat=6 --verify && grep -c ncclCommRegister %t/log > %t/six
// RUN: cmp %t/two %t/six
// RUN: FileCheck %s --input-file=%t/log
// CHECK: ncclMemAlloc bytes=
// CHECK: ncclCommRegister at={{.*}} bytes=
// RUN: not grep -E "^nccl(Mem|Comm)[A-Za-z]* .*->" %t/log

// REDEFINE: %{fault} = fail=ncclAllReduce:2:6
// REDEFINE: %{status} = 4
// RUN: rm %t/log && %{run} --repeat=2 --timeout=20
// RUN: grep -q "ncclCommAbort registered=0" %t/log && not grep -E "ncclCommAbort registered=[1-9]" %t/log
// REDEFINE: %{fault} = fail=ncclCommRegister:1:3
// RUN: %{run} --timeout=20 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: {{rank [0-3] cannot register [0-9]+ bytes on the GPU: ncclCommRegister says|the NCCL communicator of ranks 0, 1, 2, 3 has failed:}} internal error

// Without it, or with what is neither.
// RUN: rm %t/log && env SHARDIR_NCCL_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=log=%t/log %python %S/Inputs/processes.py 4 0 shard-run %t/p.so --device=nccl --verify
// RUN: not grep -E "nccl(MemAlloc|CommRegister)" %t/log
// RUN: env SHARDIR_NCCL_REGISTER=yes SHARDIR_NCCL_LIBRARY=%emulated_cuda %python %S/Inputs/processes.py 4 2 shard-run %t/p.so --device=nccl | FileCheck %s --check-prefix=NEITHER
// NEITHER: error: SHARDIR_NCCL_REGISTER='yes' is neither 0 nor 1

shardir.mesh @m <["x"=4]>
func.func @main(%a: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %b: tensor<16x13xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<13xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<13xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<13xf32>) -> tensor<13xf32>
  %s = linalg.reduce { arith.addf } ins(%b : tensor<16x13xf32>) outs(%z : tensor<13xf32>) dimensions = [0]
  return %a, %s : tensor<8x6xf32>, tensor<13xf32>
}
