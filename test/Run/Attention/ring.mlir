// Positions of queries, keys and values are split over devices: blocks of keys and
// values come around a ring, and every device continues its rows' maxima and sums
// with each (ring attention). Results are those of the unsharded program, on threads
// and on the emulated GPU.
//
// RUN: split-file %s %t
// DEFINE: %{ranks} =
// DEFINE: %{function} =
// DEFINE: %{run} = shard-run %t/%{ranks}.mlir --verify --function=%{function} --options="rings=always" && env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %t/%{ranks}.mlir --device=cuda-local --options="arch=host rings=always" --verify --function=%{function}
// REDEFINE: %{ranks} = 1
// REDEFINE: %{function} = one
// RUN: %{run}
// REDEFINE: %{ranks} = 2
// REDEFINE: %{function} = grouped
// RUN: %{run}
// REDEFINE: %{function} = large
// RUN: %{run}
// REDEFINE: %{ranks} = 3
// REDEFINE: %{function} = uneven
// RUN: %{run}
// REDEFINE: %{function} = bias
// RUN: %{run}
// REDEFINE: %{ranks} = 4
// REDEFINE: %{function} = even
// RUN: %{run}
// REDEFINE: %{function} = empty
// RUN: %{run}
// REDEFINE: %{function} = grid
// RUN: %{run}
// REDEFINE: %{function} = narrow
// RUN: %{run}
//
// Both operands come around one ring, in every function but that of one device.
// RUN: shard-opt %t/4.mlir --shardir-to-gpu="arch=host rings=always explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: shard-opt %t/3.mlir --shardir-to-gpu="arch=host rings=always explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: shard-opt %t/2.mlir --shardir-to-gpu="arch=host rings=always explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: shard-opt %t/1.mlir --shardir-to-gpu="arch=host rings=always explain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE --implicit-check-not="around a ring"
// FOUR-COUNT-4: 2 of its operands come around a ring
// THREE-COUNT-2: 2 of its operands come around a ring
// TWO-COUNT-2: 2 of its operands come around a ring
// ONE: one kernel.attention

//--- 1.mlir
shardir.mesh @m1 <["x"=1]>

// An axis of one device.
func.func @one(%q: tensor<2x12x8xf32> {shardir.placement = #shardir.placement<@m1, [{}, {"x"}, {}]>}, %k: tensor<2x12x8xf32> {shardir.placement = #shardir.placement<@m1, [{}, {"x"}, {}]>}, %v: tensor<2x12x8xf32> {shardir.placement = #shardir.placement<@m1, [{}, {"x"}, {}]>}) -> tensor<2x12x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<2x12x12xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x12x12xf32>) -> tensor<2x12x12xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x12x8xf32>, tensor<2x12x8xf32>) outs(%zs : tensor<2x12x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x12x12xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x12x12xf32>) outs(%es : tensor<2x12x12xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi uge, %i, %j : index
    %r = arith.select %see, %sx, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x12x12xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x12x12xf32>) outs(%es : tensor<2x12x12xf32>) -> tensor<2x12x12xf32>
  %eo = tensor.empty() : tensor<2x12x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x12x8xf32>) -> tensor<2x12x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x12x12xf32>, tensor<2x12x8xf32>) outs(%zo : tensor<2x12x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x12x8xf32>
  return %y : tensor<2x12x8xf32>
}

//--- 2.mlir
shardir.mesh @m2 <["x"=2]>

// Two heads of queries for each of keys.
func.func @grouped(%q: tensor<2x2x22x8xf32> {shardir.placement = #shardir.placement<@m2, [{}, {}, {"x"}, {}]>}, %k: tensor<2x22x8xf32> {shardir.placement = #shardir.placement<@m2, [{}, {"x"}, {}]>}, %v: tensor<2x22x8xf32> {shardir.placement = #shardir.placement<@m2, [{}, {"x"}, {}]>}) -> tensor<2x2x22x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<2x2x22x22xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x2x22x22xf32>) -> tensor<2x2x22x22xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, g0, m, n, k) -> (b0, g0, m, k)>, affine_map<(b0, g0, m, n, k) -> (b0, n, k)>, affine_map<(b0, g0, m, n, k) -> (b0, g0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x2x22x8xf32>, tensor<2x22x8xf32>) outs(%zs : tensor<2x2x22x22xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x2x22x22xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, g0, m, n) -> (b0, g0, m, n)>, affine_map<(b0, g0, m, n) -> (b0, g0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x2x22x22xf32>) outs(%es : tensor<2x2x22x22xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %see = arith.cmpi uge, %i, %j : index
    %r = arith.select %see, %sx, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x2x22x22xf32>
  %p = linalg.softmax dimension(3) ins(%x : tensor<2x2x22x22xf32>) outs(%es : tensor<2x2x22x22xf32>) -> tensor<2x2x22x22xf32>
  %eo = tensor.empty() : tensor<2x2x22x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x2x22x8xf32>) -> tensor<2x2x22x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, g0, m, v, n) -> (b0, g0, m, n)>, affine_map<(b0, g0, m, v, n) -> (b0, n, v)>, affine_map<(b0, g0, m, v, n) -> (b0, g0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x2x22x22xf32>, tensor<2x22x8xf32>) outs(%zo : tensor<2x2x22x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x2x22x8xf32>
  return %y : tensor<2x2x22x8xf32>
}

// Large enough for tiles on the CPU.
func.func @large(%q: tensor<1x512x8xf32> {shardir.placement = #shardir.placement<@m2, [{}, {"x"}, {}]>}, %k: tensor<1x1024x8xf32> {shardir.placement = #shardir.placement<@m2, [{}, {"x"}, {}]>}, %v: tensor<1x1024x8xf32> {shardir.placement = #shardir.placement<@m2, [{}, {"x"}, {}]>}) -> tensor<1x512x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<1x512x1024xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<1x512x1024xf32>) -> tensor<1x512x1024xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x512x8xf32>, tensor<1x1024x8xf32>) outs(%zs : tensor<1x512x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<1x512x1024xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x512x1024xf32>) outs(%es : tensor<1x512x1024xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi uge, %i, %j : index
    %r = arith.select %see, %sx, %low : f32
    linalg.yield %r : f32
  } -> tensor<1x512x1024xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<1x512x1024xf32>) outs(%es : tensor<1x512x1024xf32>) -> tensor<1x512x1024xf32>
  %eo = tensor.empty() : tensor<1x512x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x512x8xf32>) -> tensor<1x512x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<1x512x1024xf32>, tensor<1x1024x8xf32>) outs(%zo : tensor<1x512x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<1x512x8xf32>
  return %y : tensor<1x512x8xf32>
}

//--- 3.mlir
shardir.mesh @m3 <["x"=3]>

// 7, 7 and 5 rows; 11, 11 and 9 keys: rows 7 to 10 see nothing of their own block.
func.func @uneven(%q: tensor<2x19x8xf32> {shardir.placement = #shardir.placement<@m3, [{}, {"x"}, {}]>}, %k: tensor<2x31x8xf32> {shardir.placement = #shardir.placement<@m3, [{}, {"x"}, {}]>}, %v: tensor<2x31x5xf32> {shardir.placement = #shardir.placement<@m3, [{}, {"x"}, {}]>}) -> tensor<2x19x5xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<2x19x31xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x19x31xf32>) -> tensor<2x19x31xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x19x8xf32>, tensor<2x31x8xf32>) outs(%zs : tensor<2x19x31xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x19x31xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x19x31xf32>) outs(%es : tensor<2x19x31xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi uge, %i, %j : index
    %r = arith.select %see, %sx, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x19x31xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x19x31xf32>) outs(%es : tensor<2x19x31xf32>) -> tensor<2x19x31xf32>
  %eo = tensor.empty() : tensor<2x19x5xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x19x5xf32>) -> tensor<2x19x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x19x31xf32>, tensor<2x31x5xf32>) outs(%zo : tensor<2x19x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x19x5xf32>
  return %y : tensor<2x19x5xf32>
}

// A bias whose columns belong to the blocks; nothing is hidden.
func.func @bias(%q: tensor<2x18x8xf32> {shardir.placement = #shardir.placement<@m3, [{}, {"x"}, {}]>}, %k: tensor<2x30x8xf32> {shardir.placement = #shardir.placement<@m3, [{}, {"x"}, {}]>}, %v: tensor<2x30x8xf32> {shardir.placement = #shardir.placement<@m3, [{}, {"x"}, {}]>}, %bias: tensor<18x30xf32>) -> tensor<2x18x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<2x18x30xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x18x30xf32>) -> tensor<2x18x30xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x18x8xf32>, tensor<2x30x8xf32>) outs(%zs : tensor<2x18x30xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x18x30xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %bias : tensor<2x18x30xf32>, tensor<18x30xf32>) outs(%es : tensor<2x18x30xf32>) {
  ^bb0(%a: f32, %e: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %w = arith.addf %sx, %e : f32
    linalg.yield %w : f32
  } -> tensor<2x18x30xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x18x30xf32>) outs(%es : tensor<2x18x30xf32>) -> tensor<2x18x30xf32>
  %eo = tensor.empty() : tensor<2x18x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x18x8xf32>) -> tensor<2x18x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x18x30xf32>, tensor<2x30x8xf32>) outs(%zo : tensor<2x18x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x18x8xf32>
  return %y : tensor<2x18x8xf32>
}

//--- 4.mlir
shardir.mesh @m4 <["x"=4]>
shardir.mesh @g <["dp"=2, "cp"=2], devices = [3, 0, 2, 1]>

// 4 ranks, 16 rows and 16 keys each: later blocks of keys are hidden.
func.func @even(%q: tensor<2x64x16xf32> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}, %k: tensor<2x64x16xf32> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}, %v: tensor<2x64x8xf32> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}) -> tensor<2x64x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<2x64x64xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x64x16xf32>, tensor<2x64x16xf32>) outs(%zs : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x64x64xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x64x64xf32>) outs(%es : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi uge, %i, %j : index
    %r = arith.select %see, %sx, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x64x64xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x64x64xf32>) outs(%es : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %eo = tensor.empty() : tensor<2x64x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x64x8xf32>) -> tensor<2x64x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x64x64xf32>, tensor<2x64x8xf32>) outs(%zo : tensor<2x64x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x64x8xf32>
  return %y : tensor<2x64x8xf32>
}

// Two of four ranks have keys.
func.func @empty(%q: tensor<2x9x8xf32> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}, %k: tensor<2x3x8xf32> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}, %v: tensor<2x3x5xf32> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}) -> tensor<2x9x5xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<2x9x3xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x9x8xf32>, tensor<2x3x8xf32>) outs(%zs : tensor<2x9x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x9x3xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x9x3xf32>) outs(%es : tensor<2x9x3xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    linalg.yield %sx : f32
  } -> tensor<2x9x3xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x9x3xf32>) outs(%es : tensor<2x9x3xf32>) -> tensor<2x9x3xf32>
  %eo = tensor.empty() : tensor<2x9x5xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x9x3xf32>, tensor<2x3x5xf32>) outs(%zo : tensor<2x9x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x9x5xf32>
  return %y : tensor<2x9x5xf32>
}

// Batches over one axis, positions over the other, in an order of devices of its own.
func.func @grid(%q: tensor<4x10x8xf32> {shardir.placement = #shardir.placement<@g, [{"dp"}, {"cp"}, {}]>}, %k: tensor<4x10x8xf32> {shardir.placement = #shardir.placement<@g, [{"dp"}, {"cp"}, {}]>}, %v: tensor<4x10x8xf32> {shardir.placement = #shardir.placement<@g, [{"dp"}, {"cp"}, {}]>}) -> tensor<4x10x8xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<4x10x10xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x10x10xf32>) -> tensor<4x10x10xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x10x8xf32>, tensor<4x10x8xf32>) outs(%zs : tensor<4x10x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<4x10x10xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x10x10xf32>) outs(%es : tensor<4x10x10xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi uge, %i, %j : index
    %r = arith.select %see, %sx, %low : f32
    linalg.yield %r : f32
  } -> tensor<4x10x10xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<4x10x10xf32>) outs(%es : tensor<4x10x10xf32>) -> tensor<4x10x10xf32>
  %eo = tensor.empty() : tensor<4x10x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x10x8xf32>) -> tensor<4x10x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<4x10x10xf32>, tensor<4x10x8xf32>) outs(%zo : tensor<4x10x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<4x10x8xf32>
  return %y : tensor<4x10x8xf32>
}

// 16-bit operands.
func.func @narrow(%q: tensor<2x64x16xbf16> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}, %k: tensor<2x64x16xbf16> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}, %v: tensor<2x64x16xbf16> {shardir.placement = #shardir.placement<@m4, [{}, {"x"}, {}]>}) -> tensor<2x64x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<2x64x64xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x64x16xbf16>, tensor<2x64x16xbf16>) outs(%zs : tensor<2x64x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %xa = arith.extf %a : bf16 to f32
    %yb = arith.extf %b : bf16 to f32
    %ab = arith.mulf %xa, %yb : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x64x64xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x64x64xf32>) outs(%es : tensor<2x64x64xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi uge, %i, %j : index
    %r = arith.select %see, %sx, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x64x64xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x64x64xf32>) outs(%es : tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  %eo = tensor.empty() : tensor<2x64x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x64x16xf32>) -> tensor<2x64x16xf32>
  %ep = tensor.empty() : tensor<2x64x64xbf16>
  %pt = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x64x64xf32>) outs(%ep : tensor<2x64x64xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x64x64xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%pt, %v : tensor<2x64x64xbf16>, tensor<2x64x16xbf16>) outs(%zo : tensor<2x64x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %xa = arith.extf %a : bf16 to f32
    %yb = arith.extf %b : bf16 to f32
    %ab = arith.mulf %xa, %yb : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<2x64x16xf32>
  %et = tensor.empty() : tensor<2x64x16xbf16>
  %yt = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<2x64x16xf32>) outs(%et : tensor<2x64x16xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x64x16xbf16>
  return %yt : tensor<2x64x16xbf16>
}
