// Attention that cuDNN computes on several devices, of which one has nothing; uneven blocks of positions.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{function} =
// DEFINE: %{options} = arch=host library=cudnn
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda SHARDIR_CUDNN_LIBRARY=%emulated_cuda SHARDIR_CUBLASLT_LIBRARY=%emulated_cuda SHARDIR_EMULATED_CUDA=log=%t/%{function}.log shard-run %s --device=cuda-local --options="%{options}" --verify --tolerance=0.008 --function=%{function}
// REDEFINE: %{function} = sequences
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=SEQUENCES --implicit-check-not=cuLaunchKernel < %t/sequences.log
// SEQUENCES-COUNT-2: cudnnBackendExecute query=1x2x20x16 key=1x2x33x16
// SEQUENCES-NOT: cudnnBackendExecute
// REDEFINE: %{options} = arch=host library=cublaslt,cudnn
// REDEFINE: %{function} = positions
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=POSITIONS --implicit-check-not=cuLaunchKernel < %t/positions.log
// POSITIONS-DAG: cudnnBackendExecute query=1x2x7x8 key=1x2x31x8
// POSITIONS-DAG: cudnnBackendExecute query=1x2x7x8 key=1x2x31x8
// POSITIONS-DAG: cudnnBackendExecute query=1x2x5x8 key=1x2x31x8

shardir.mesh @x <["x"=3]>

// Two devices have two of four heads each, the third one none.
func.func @sequences(%q: tensor<4x20x16xbf16> {shardir.placement = #shardir.placement<@x, [{"x"}, {}, {}]>}, %k: tensor<4x33x16xbf16> {shardir.placement = #shardir.placement<@x, [{"x"}, {}, {}]>}, %v: tensor<4x33x16xbf16> {shardir.placement = #shardir.placement<@x, [{"x"}, {}, {}]>}) -> tensor<4x20x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %es = tensor.empty() : tensor<4x20x33xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x20x33xf32>) -> tensor<4x20x33xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x20x16xbf16>, tensor<4x33x16xbf16>) outs(%zs : tensor<4x20x33xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %wa = arith.extf %a : bf16 to f32
    %wb = arith.extf %b : bf16 to f32
    %ab = arith.mulf %wa, %wb : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<4x20x33xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x20x33xf32>) outs(%es : tensor<4x20x33xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> tensor<4x20x33xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<4x20x33xf32>) outs(%es : tensor<4x20x33xf32>) -> tensor<4x20x33xf32>
  %ep = tensor.empty() : tensor<4x20x33xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<4x20x33xf32>) outs(%ep : tensor<4x20x33xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x20x33xbf16>
  %eo = tensor.empty() : tensor<4x20x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x20x16xf32>) -> tensor<4x20x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, v, n) -> (b, m, n)>, affine_map<(b, m, v, n) -> (b, n, v)>, affine_map<(b, m, v, n) -> (b, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<4x20x33xbf16>, tensor<4x33x16xbf16>) outs(%zo : tensor<4x20x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %wa = arith.extf %a : bf16 to f32
    %wb = arith.extf %b : bf16 to f32
    %ab = arith.mulf %wa, %wb : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<4x20x16xf32>
  %er = tensor.empty() : tensor<4x20x16xbf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<4x20x16xf32>) outs(%er : tensor<4x20x16xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x20x16xbf16>
  return %o : tensor<4x20x16xbf16>
}

// The devices have 7, 7 and 5 positions of the queries, and all keys.
func.func @positions(%q: tensor<2x19x8xbf16> {shardir.placement = #shardir.placement<@x, [{}, {"x"}, {}]>}, %k: tensor<2x31x8xbf16> {shardir.placement = #shardir.placement<@x, [{}, {}, {}]>}, %v: tensor<2x31x8xbf16> {shardir.placement = #shardir.placement<@x, [{}, {}, {}]>}) -> tensor<2x19x8xbf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %es = tensor.empty() : tensor<2x19x31xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x19x31xf32>) -> tensor<2x19x31xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x19x8xbf16>, tensor<2x31x8xbf16>) outs(%zs : tensor<2x19x31xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %wa = arith.extf %a : bf16 to f32
    %wb = arith.extf %b : bf16 to f32
    %ab = arith.mulf %wa, %wb : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x19x31xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x19x31xf32>) outs(%es : tensor<2x19x31xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x19x31xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x19x31xf32>) outs(%es : tensor<2x19x31xf32>) -> tensor<2x19x31xf32>
  %ep = tensor.empty() : tensor<2x19x31xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x19x31xf32>) outs(%ep : tensor<2x19x31xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x19x31xbf16>
  %eo = tensor.empty() : tensor<2x19x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x19x8xf32>) -> tensor<2x19x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, v, n) -> (b, m, n)>, affine_map<(b, m, v, n) -> (b, n, v)>, affine_map<(b, m, v, n) -> (b, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<2x19x31xbf16>, tensor<2x31x8xbf16>) outs(%zo : tensor<2x19x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %wa = arith.extf %a : bf16 to f32
    %wb = arith.extf %b : bf16 to f32
    %ab = arith.mulf %wa, %wb : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x19x8xf32>
  %er = tensor.empty() : tensor<2x19x8xbf16>
  %o = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x19x8xf32>) outs(%er : tensor<2x19x8xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x19x8xbf16>
  return %o : tensor<2x19x8xbf16>
}
