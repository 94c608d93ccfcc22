// Attention that cuDNN computes, on an emulated GPU with an emulated library.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_CUDNN_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=log=%t/%{function}.log shard-run %s --device=cuda-local --options="arch=host library=cudnn" --verify --tolerance=0.008 --function=%{function}
// REDEFINE: %{function} = heads
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=HEADS --implicit-check-not=cuLaunchKernel < %t/heads.log
// HEADS: cudnnBackendExecute query=2x3x70x24 key=2x3x75x24 value=2x3x75x40 result=2x3x70x40
// The report names it among the kernels.
// RUN: shard-compile %s --gpu --options="arch=host library=cudnn" --function=heads --report=- -o %t/heads.so | FileCheck %s --check-prefix=REPORT
// REPORT: "kernels": [
// REPORT: "library": "cudnn"
// REPORT: "name": "heads_attention_cudnn_2x3x70x24_bf16"
// REPORT: "schedule": "cudnn"
// REDEFINE: %{function} = grouped
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=GROUPED --implicit-check-not=cuLaunchKernel < %t/grouped.log
// GROUPED: cudnnBackendExecute query=1x6x50x16 key=1x2x33x16 value=1x2x33x16 result=1x6x50x16
// REDEFINE: %{function} = strided
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=STRIDED --implicit-check-not=cuLaunchKernel < %t/strided.log
// STRIDED: cudnnBackendExecute query=2x3x50x16 key=2x1x33x16 value=2x1x33x16 result=2x3x50x16
// REDEFINE: %{function} = unknown
// RUN: %{run} --input=2x7x16xbf16=0.5 --input=33x16xbf16=0.25 --input=33x16xbf16=3
// RUN: %{run} --input=2x0x16xbf16= --input=33x16xbf16=0.25 --input=33x16xbf16=3
// RUN: FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=cuLaunchKernel < %t/unknown.log
// UNKNOWN: cudnnBackendExecute query=1x2x7x16 key=1x1x33x16
// UNKNOWN-NOT: cudnnBackendExecute

// Cases that cuDNN's operation lacks are kernels: sums that another op reads, short rows; masks, dropout, other types,
// inits that count, unaligned rows.
// REDEFINE: %{function} = escaping
// RUN: %{run}
// REDEFINE: %{function} = short_rows
// RUN: %{run}
// RUN: cat %t/escaping.log %t/short_rows.log | FileCheck %s --check-prefix=KERNELS --implicit-check-not=cudnn
// KERNELS: cuLaunchKernel kernel=escaping_attention_
// KERNELS: cuLaunchKernel kernel=short_rows_attention_
// RUN: shard-opt %S/attention.mlir --shardir-to-gpu="arch=host library=cudnn explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMS
// FORMS-COUNT-2: kernel.attention is scheduled by cudnn
// FORMS-NOT: kernel.attention is scheduled by cudnn

// One message where the library is missing or too old, and where it refuses.
// DEFINE: %{program} = %s
// DEFINE: %{fails} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda not shard-run %{program} --device=cuda-local --options="arch=host library=cudnn"
// RUN: env SHARDIR_CUDNN_LIBRARY=libabsent.so %{fails} --function=heads 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cannot load cuDNN: libabsent.so: {{.*}}; install it, or name it in $SHARDIR_CUDNN_LIBRARY; or compile without library=cudnn
// RUN: env SHARDIR_CUDNN_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=fail=cudnnGetVersion:1:90800 %{fails} --function=heads 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: is cuDNN 9.8.0; 9.13.1 or later is needed; or compile without library=cudnn
// REDEFINE: %{program} = %S/Inputs/long-rows.mlir
// RUN: env SHARDIR_CUDNN_LIBRARY=%emulated_cuda %{fails} 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: cuDNN has no kernel for attention of 1x1x5x264 queries, 1x1x6x264 keys and 1x1x6x16 values of bf16; compile without library=cudnn
// REDEFINE: %{program} = %s
// RUN: env SHARDIR_CUDNN_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=fail=cudnnBackendExecute:1:5000 %{fails} --function=heads 2>&1 | FileCheck %s --check-prefix=FAILED
// FAILED: cannot compute attention of 2x3x70x24 queries, {{.*}}: cudnnBackendExecute says CUDNN_STATUS_EXECUTION_FAILED (a fault that a test asked for); compile without library=cudnn

// Neither positions nor elements of a row are multiples of a tile's.
func.func @heads(%q: tensor<2x3x70x24xbf16>, %k: tensor<2x3x75x24xbf16>, %v: tensor<2x3x75x40xbf16>) -> tensor<2x3x70x40xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<2x3x70x40xbf16>
  %ea = tensor.empty() : tensor<2x3x70x40xf32>
  %er = tensor.empty() : tensor<2x3x70xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<2x3x70x40xf32>) -> tensor<2x3x70x40xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<2x3x70xf32>) -> tensor<2x3x70xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<2x3x70xf32>) -> tensor<2x3x70xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(b, h, m, n, k, v) -> (b, h, m, k)>, affine_map<(b, h, m, n, k, v) -> (b, h, n, k)>, affine_map<(b, h, m, n, k, v) -> (b, h, n, v)>,
                                             affine_map<(b, h, m, n, k, v) -> (b, h, m, v)>, affine_map<(b, h, m, n, k, v) -> (b, h, m)>, affine_map<(b, h, m, n, k, v) -> (b, h, m)>]}
      ins(%q, %k, %v : tensor<2x3x70x24xbf16>, tensor<2x3x75x24xbf16>, tensor<2x3x75x40xbf16>)
      outs(%acc, %max, %sum : tensor<2x3x70x40xf32>, tensor<2x3x70xf32>, tensor<2x3x70xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<2x3x70x40xf32>, tensor<2x3x70xf32>, tensor<2x3x70xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, m, v) -> (b, h, m, v)>, affine_map<(b, h, m, v) -> (b, h, m)>, affine_map<(b, h, m, v) -> (b, h, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<2x3x70x40xf32>, tensor<2x3x70xf32>) outs(%e : tensor<2x3x70x40xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x3x70x40xbf16>
  return %o : tensor<2x3x70x40xbf16>
}

// Three query heads share a key head; positions are outermost.
func.func @grouped(%q: tensor<50x2x3x16xf16>, %k: tensor<33x2x16xf16>, %v: tensor<33x2x16xf16>) -> tensor<50x2x3x16xf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<50x2x3x16xf16>
  %ea = tensor.empty() : tensor<50x2x3x16xf32>
  %er = tensor.empty() : tensor<50x2x3xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<50x2x3x16xf32>) -> tensor<50x2x3x16xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<50x2x3xf32>) -> tensor<50x2x3xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<50x2x3xf32>) -> tensor<50x2x3xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(m, h, g, n, k, v) -> (m, h, g, k)>, affine_map<(m, h, g, n, k, v) -> (n, h, k)>, affine_map<(m, h, g, n, k, v) -> (n, h, v)>,
                                             affine_map<(m, h, g, n, k, v) -> (m, h, g, v)>, affine_map<(m, h, g, n, k, v) -> (m, h, g)>, affine_map<(m, h, g, n, k, v) -> (m, h, g)>]}
      ins(%q, %k, %v : tensor<50x2x3x16xf16>, tensor<33x2x16xf16>, tensor<33x2x16xf16>)
      outs(%acc, %max, %sum : tensor<50x2x3x16xf32>, tensor<50x2x3xf32>, tensor<50x2x3xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to f16
        kernel.yield %0 : f16
      } -> tensor<50x2x3x16xf32>, tensor<50x2x3xf32>, tensor<50x2x3xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, h, g, v) -> (m, h, g, v)>, affine_map<(m, h, g, v) -> (m, h, g)>, affine_map<(m, h, g, v) -> (m, h, g, v)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<50x2x3x16xf32>, tensor<50x2x3xf32>) outs(%e : tensor<50x2x3x16xf16>) {
  ^bb0(%a: f32, %s: f32, %old: f16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<50x2x3x16xf16>
  return %o : tensor<50x2x3x16xf16>
}

// The heads of a key head are not neighbours, so each key head is a sequence of its own.
func.func @strided(%q: tensor<3x2x50x16xbf16>, %k: tensor<2x33x16xbf16>, %v: tensor<2x33x16xbf16>) -> tensor<3x2x50x16xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<3x2x50x16xbf16>
  %ea = tensor.empty() : tensor<3x2x50x16xf32>
  %er = tensor.empty() : tensor<3x2x50xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<3x2x50x16xf32>) -> tensor<3x2x50x16xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<3x2x50xf32>) -> tensor<3x2x50xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<3x2x50xf32>) -> tensor<3x2x50xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(g, h, m, n, k, v) -> (g, h, m, k)>, affine_map<(g, h, m, n, k, v) -> (h, n, k)>, affine_map<(g, h, m, n, k, v) -> (h, n, v)>,
                                             affine_map<(g, h, m, n, k, v) -> (g, h, m, v)>, affine_map<(g, h, m, n, k, v) -> (g, h, m)>, affine_map<(g, h, m, n, k, v) -> (g, h, m)>]}
      ins(%q, %k, %v : tensor<3x2x50x16xbf16>, tensor<2x33x16xbf16>, tensor<2x33x16xbf16>)
      outs(%acc, %max, %sum : tensor<3x2x50x16xf32>, tensor<3x2x50xf32>, tensor<3x2x50xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<3x2x50x16xf32>, tensor<3x2x50xf32>, tensor<3x2x50xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(g, h, m, v) -> (g, h, m, v)>, affine_map<(g, h, m, v) -> (g, h, m)>, affine_map<(g, h, m, v) -> (g, h, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<3x2x50x16xf32>, tensor<3x2x50xf32>) outs(%e : tensor<3x2x50x16xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<3x2x50x16xbf16>
  return %o : tensor<3x2x50x16xbf16>
}

// An unknown number of positions.
func.func @unknown(%q: tensor<2x?x16xbf16>, %k: tensor<33x16xbf16>, %v: tensor<33x16xbf16>) -> tensor<2x?x16xbf16> {
  %at = arith.constant 1 : index
  %n = tensor.dim %q, %at : tensor<2x?x16xbf16>
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty(%n) : tensor<2x?x16xbf16>
  %ea = tensor.empty(%n) : tensor<2x?x16xf32>
  %er = tensor.empty(%n) : tensor<2x?xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<2x?xf32>) -> tensor<2x?xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<2x?xf32>) -> tensor<2x?xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (n, k)>, affine_map<(h, m, n, k, v) -> (n, v)>,
                                             affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>]}
      ins(%q, %k, %v : tensor<2x?x16xbf16>, tensor<33x16xbf16>, tensor<33x16xbf16>)
      outs(%acc, %max, %sum : tensor<2x?x16xf32>, tensor<2x?xf32>, tensor<2x?xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<2x?x16xf32>, tensor<2x?xf32>, tensor<2x?xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, m, v) -> (h, m, v)>, affine_map<(h, m, v) -> (h, m)>, affine_map<(h, m, v) -> (h, m, v)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<2x?x16xf32>, tensor<2x?xf32>) outs(%e : tensor<2x?x16xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x?x16xbf16>
  return %o : tensor<2x?x16xbf16>
}

// Something else reads the sums.
func.func @escaping(%q: tensor<50x16xbf16>, %k: tensor<33x16xbf16>, %v: tensor<33x16xbf16>) -> (tensor<50x16xbf16>, tensor<50xf32>) {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<50x16xbf16>
  %ea = tensor.empty() : tensor<50x16xf32>
  %er = tensor.empty() : tensor<50xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<50x16xf32>) -> tensor<50x16xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>,
                                             affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v : tensor<50x16xbf16>, tensor<33x16xbf16>, tensor<33x16xbf16>)
      outs(%acc, %max, %sum : tensor<50x16xf32>, tensor<50xf32>, tensor<50xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<50x16xf32>, tensor<50xf32>, tensor<50xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, v) -> (m, v)>, affine_map<(m, v) -> (m)>, affine_map<(m, v) -> (m, v)>], iterator_types = ["parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<50x16xf32>, tensor<50xf32>) outs(%e : tensor<50x16xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<50x16xbf16>
  return %o, %r#2 : tensor<50x16xbf16>, tensor<50xf32>
}

// Rows of 12 elements are no multiples of 16 bytes.
func.func @short_rows(%q: tensor<50x12xbf16>, %k: tensor<33x12xbf16>, %v: tensor<33x16xbf16>) -> tensor<50x16xbf16> {
  %z = arith.constant 0.0 : f32
  %l = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<50x16xbf16>
  %ea = tensor.empty() : tensor<50x16xf32>
  %er = tensor.empty() : tensor<50xf32>
  %acc = linalg.fill ins(%z : f32) outs(%ea : tensor<50x16xf32>) -> tensor<50x16xf32>
  %max = linalg.fill ins(%l : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %sum = linalg.fill ins(%z : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %r:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>,
                                             affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v : tensor<50x12xbf16>, tensor<33x12xbf16>, tensor<33x16xbf16>)
      outs(%acc, %max, %sum : tensor<50x16xf32>, tensor<50xf32>, tensor<50xf32>)
      score {
      ^bb0(%s: f32):
        %0 = arith.mulf %s, %scale : f32
        kernel.yield %0 : f32
      } prob {
      ^bb0(%p: f32):
        %0 = arith.truncf %p : f32 to bf16
        kernel.yield %0 : bf16
      } -> tensor<50x16xf32>, tensor<50xf32>, tensor<50xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, v) -> (m, v)>, affine_map<(m, v) -> (m)>, affine_map<(m, v) -> (m, v)>], iterator_types = ["parallel", "parallel"]}
      ins(%r#0, %r#2 : tensor<50x16xf32>, tensor<50xf32>) outs(%e : tensor<50x16xbf16>) {
  ^bb0(%a: f32, %s: f32, %old: bf16):
    %0 = arith.divf %a, %s : f32
    %1 = arith.truncf %0 : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<50x16xbf16>
  return %o : tensor<50x16xbf16>
}
