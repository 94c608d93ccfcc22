// Attention's gradients in tiles for the CPU's caches, against the same program
// without attention ops, replicated and sharded.
// DEFINE: %{function} =
// DEFINE: %{run} = shard-run %s --function=%{function} --options="attention=false" --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy && shard-run %s --function=%{function} --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy --verify
// REDEFINE: %{function} = plain
// RUN: %{run}
// REDEFINE: %{function} = causal
// RUN: %{run}
// REDEFINE: %{function} = shifted
// RUN: %{run}
// REDEFINE: %{function} = keys
// RUN: %{run}
// No tensor of all scores is left.
// RUN: shard-opt %s --shardir-to-bufferized="target=x86-64" | FileCheck %s --implicit-check-not="x300x530x" --implicit-check-not="600x600x" --implicit-check-not="310x900x" --implicit-check-not="x520x521x" --implicit-check-not="x520x?x"
// CHECK-LABEL: func.func @plain
// CHECK-COUNT-2: scf.forall
// CHECK-LABEL: func.func @causal
// CHECK:         scf.forall
// CHECK:           arith.minsi
// CHECK:         scf.forall
// CHECK:           arith.minsi
// CHECK-LABEL: func.func @shifted
// CHECK-COUNT-2: scf.forall
// CHECK-LABEL: func.func @keys
// CHECK-COUNT-2: scf.forall

shardir.mesh @m <["x"=2]>
#s = affine_map<(h, m, n) -> (h, m, n)>
#r = affine_map<(h, m, n) -> (h, m)>
#ir = affine_map<(h, i, j, r) -> (h, i, r)>
#rj = affine_map<(h, i, j, r) -> (h, r, j)>
#ij = affine_map<(h, i, j, r) -> (h, i, j)>
#jr = affine_map<(h, i, j, r) -> (h, j, r)>
#ri = affine_map<(h, i, j, r) -> (h, r, i)>

// Tiles that do not divide extents.
func.func @plain(%q: tensor<3x300x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<3x530x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %v: tensor<3x530x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %g: tensor<3x300x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> (tensor<3x300x5xf32>, tensor<3x300x8xf32>, tensor<3x530x8xf32>, tensor<3x530x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<3x300x530xf32>
  %er = tensor.empty() : tensor<3x300xf32>
  %i1 = tensor.empty() : tensor<3x300x530xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<3x300x530xf32>) -> tensor<3x300x530xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<3x300x8xf32>, tensor<3x530x8xf32>) outs(%z1 : tensor<3x300x530xf32>) -> tensor<3x300x530xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x300x530xf32>) outs(%es : tensor<3x300x530xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<3x300x530xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<3x300xf32>) -> tensor<3x300xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x300xf32>) -> tensor<3x300xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<3x300x530xf32>) outs(%lows : tensor<3x300xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x300xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<3x300x530xf32>, tensor<3x300xf32>) outs(%es : tensor<3x300x530xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<3x300x530xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<3x300x530xf32>) outs(%zr : tensor<3x300xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x300xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<3x300x530xf32>, tensor<3x300xf32>) outs(%es : tensor<3x300x530xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<3x300x530xf32>
  %i2 = tensor.empty() : tensor<3x300x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<3x300x5xf32>) -> tensor<3x300x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<3x300x530xf32>, tensor<3x530x5xf32>) outs(%z2 : tensor<3x300x5xf32>) -> tensor<3x300x5xf32>
  %i3 = tensor.empty() : tensor<3x300x530xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<3x300x530xf32>) -> tensor<3x300x530xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<3x300x5xf32>, tensor<3x530x5xf32>) outs(%z3 : tensor<3x300x530xf32>) -> tensor<3x300x530xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<3x300x530xf32>, tensor<3x300xf32>, tensor<3x300x530xf32>) outs(%es : tensor<3x300x530xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<3x300x530xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<3x300x530xf32>) outs(%zr : tensor<3x300xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<3x300xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<3x300x530xf32>, tensor<3x300xf32>, tensor<3x300xf32>, tensor<3x300x530xf32>) outs(%es : tensor<3x300x530xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<3x300x530xf32>
  %i4 = tensor.empty() : tensor<3x300x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<3x300x8xf32>) -> tensor<3x300x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<3x300x530xf32>, tensor<3x530x8xf32>) outs(%z4 : tensor<3x300x8xf32>) -> tensor<3x300x8xf32>
  %i5 = tensor.empty() : tensor<3x530x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<3x530x8xf32>) -> tensor<3x530x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<3x300x530xf32>, tensor<3x300x8xf32>) outs(%z5 : tensor<3x530x8xf32>) -> tensor<3x530x8xf32>
  %i6 = tensor.empty() : tensor<3x530x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<3x530x5xf32>) -> tensor<3x530x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<3x300x530xf32>, tensor<3x300x5xf32>) outs(%z6 : tensor<3x530x5xf32>) -> tensor<3x530x5xf32>
  return %o, %dq, %dk, %dv : tensor<3x300x5xf32>, tensor<3x300x8xf32>, tensor<3x530x8xf32>, tensor<3x530x5xf32>
}

// Tiles that hold no score are not computed.
func.func @causal(%q: tensor<4x600x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<4x600x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %v: tensor<4x600x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %g: tensor<4x600x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> (tensor<4x600x5xf32>, tensor<4x600x8xf32>, tensor<4x600x8xf32>, tensor<4x600x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant -1.0e+30 : f32
  %shift = arith.constant 0 : index
  %es = tensor.empty() : tensor<4x600x600xf32>
  %er = tensor.empty() : tensor<4x600xf32>
  %i1 = tensor.empty() : tensor<4x600x600xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<4x600x600xf32>) -> tensor<4x600x600xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<4x600x8xf32>, tensor<4x600x8xf32>) outs(%z1 : tensor<4x600x600xf32>) -> tensor<4x600x600xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x600x600xf32>) outs(%es : tensor<4x600x600xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<4x600x600xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<4x600xf32>) -> tensor<4x600xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x600xf32>) -> tensor<4x600xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4x600x600xf32>) outs(%lows : tensor<4x600xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x600xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<4x600x600xf32>, tensor<4x600xf32>) outs(%es : tensor<4x600x600xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x600x600xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<4x600x600xf32>) outs(%zr : tensor<4x600xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x600xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<4x600x600xf32>, tensor<4x600xf32>) outs(%es : tensor<4x600x600xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<4x600x600xf32>
  %i2 = tensor.empty() : tensor<4x600x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<4x600x5xf32>) -> tensor<4x600x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<4x600x600xf32>, tensor<4x600x5xf32>) outs(%z2 : tensor<4x600x5xf32>) -> tensor<4x600x5xf32>
  %i3 = tensor.empty() : tensor<4x600x600xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<4x600x600xf32>) -> tensor<4x600x600xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<4x600x5xf32>, tensor<4x600x5xf32>) outs(%z3 : tensor<4x600x600xf32>) -> tensor<4x600x600xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<4x600x600xf32>, tensor<4x600xf32>, tensor<4x600x600xf32>) outs(%es : tensor<4x600x600xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<4x600x600xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<4x600x600xf32>) outs(%zr : tensor<4x600xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<4x600xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<4x600x600xf32>, tensor<4x600xf32>, tensor<4x600xf32>, tensor<4x600x600xf32>) outs(%es : tensor<4x600x600xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<4x600x600xf32>
  %i4 = tensor.empty() : tensor<4x600x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<4x600x8xf32>) -> tensor<4x600x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<4x600x600xf32>, tensor<4x600x8xf32>) outs(%z4 : tensor<4x600x8xf32>) -> tensor<4x600x8xf32>
  %i5 = tensor.empty() : tensor<4x600x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<4x600x8xf32>) -> tensor<4x600x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<4x600x600xf32>, tensor<4x600x8xf32>) outs(%z5 : tensor<4x600x8xf32>) -> tensor<4x600x8xf32>
  %i6 = tensor.empty() : tensor<4x600x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<4x600x5xf32>) -> tensor<4x600x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<4x600x600xf32>, tensor<4x600x5xf32>) outs(%z6 : tensor<4x600x5xf32>) -> tensor<4x600x5xf32>
  return %o, %dq, %dk, %dv : tensor<4x600x5xf32>, tensor<4x600x8xf32>, tensor<4x600x8xf32>, tensor<4x600x5xf32>
}

func.func @shifted(%q: tensor<2x620x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %k: tensor<2x900x8xf32>, %v: tensor<2x900x5xf32>, %g: tensor<2x620x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) -> (tensor<2x620x5xf32>, tensor<2x620x8xf32>, tensor<2x900x8xf32>, tensor<2x900x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %masked = arith.constant 0xFF800000 : f32
  %shift = arith.constant 280 : index
  %es = tensor.empty() : tensor<2x620x900xf32>
  %er = tensor.empty() : tensor<2x620xf32>
  %i1 = tensor.empty() : tensor<2x620x900xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x620x900xf32>) -> tensor<2x620x900xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x620x8xf32>, tensor<2x900x8xf32>) outs(%z1 : tensor<2x620x900xf32>) -> tensor<2x620x900xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x620x900xf32>) outs(%es : tensor<2x620x900xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %y = arith.select %c, %x, %masked : f32
    linalg.yield %y : f32
  } -> tensor<2x620x900xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x620xf32>) -> tensor<2x620xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x620xf32>) -> tensor<2x620xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x620x900xf32>) outs(%lows : tensor<2x620xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x620xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x620x900xf32>, tensor<2x620xf32>) outs(%es : tensor<2x620x900xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x620x900xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x620x900xf32>) outs(%zr : tensor<2x620xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x620xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x620x900xf32>, tensor<2x620xf32>) outs(%es : tensor<2x620x900xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x620x900xf32>
  %i2 = tensor.empty() : tensor<2x620x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x620x5xf32>) -> tensor<2x620x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x620x900xf32>, tensor<2x900x5xf32>) outs(%z2 : tensor<2x620x5xf32>) -> tensor<2x620x5xf32>
  %i3 = tensor.empty() : tensor<2x620x900xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x620x900xf32>) -> tensor<2x620x900xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x620x5xf32>, tensor<2x900x5xf32>) outs(%z3 : tensor<2x620x900xf32>) -> tensor<2x620x900xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x620x900xf32>, tensor<2x620xf32>, tensor<2x620x900xf32>) outs(%es : tensor<2x620x900xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %u = arith.divf %a2, %a1 : f32
    %r = arith.mulf %u, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<2x620x900xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x620x900xf32>) outs(%zr : tensor<2x620xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x620xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x620x900xf32>, tensor<2x620xf32>, tensor<2x620xf32>, tensor<2x620x900xf32>) outs(%es : tensor<2x620x900xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %u = arith.divf %a3, %a1 : f32
    %f = arith.subf %a0, %a2 : f32
    %h = arith.mulf %f, %u : f32
    %m = linalg.index 1 : index
    %n = linalg.index 2 : index
    %ms = arith.addi %m, %shift : index
    %c = arith.cmpi sge, %ms, %n : index
    %k0 = arith.select %c, %h, %zero : f32
    %r = arith.mulf %k0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x620x900xf32>
  %i4 = tensor.empty() : tensor<2x620x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x620x8xf32>) -> tensor<2x620x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x620x900xf32>, tensor<2x900x8xf32>) outs(%z4 : tensor<2x620x8xf32>) -> tensor<2x620x8xf32>
  %i5 = tensor.empty() : tensor<2x900x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x900x8xf32>) -> tensor<2x900x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x620x900xf32>, tensor<2x620x8xf32>) outs(%z5 : tensor<2x900x8xf32>) -> tensor<2x900x8xf32>
  %i6 = tensor.empty() : tensor<2x900x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x900x5xf32>) -> tensor<2x900x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x620x900xf32>, tensor<2x620x5xf32>) outs(%z6 : tensor<2x900x5xf32>) -> tensor<2x900x5xf32>
  return %o, %dq, %dk, %dv : tensor<2x620x5xf32>, tensor<2x620x8xf32>, tensor<2x900x8xf32>, tensor<2x900x5xf32>
}

func.func @keys(%q: tensor<2x520x8xf32>, %k: tensor<2x1041x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<2x1041x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %g: tensor<2x520x5xf32>) -> (tensor<2x520x5xf32>, tensor<2x520x8xf32>, tensor<2x1041x8xf32>, tensor<2x1041x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<2x520x1041xf32>
  %er = tensor.empty() : tensor<2x520xf32>
  %i1 = tensor.empty() : tensor<2x520x1041xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%i1 : tensor<2x520x1041xf32>) -> tensor<2x520x1041xf32>
  %s = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%q, %k : tensor<2x520x8xf32>, tensor<2x1041x8xf32>) outs(%z1 : tensor<2x520x1041xf32>) -> tensor<2x520x1041xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x520x1041xf32>) outs(%es : tensor<2x520x1041xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %x = arith.mulf %a0, %scale : f32
    linalg.yield %x : f32
  } -> tensor<2x520x1041xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<2x520xf32>) -> tensor<2x520xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x520xf32>) -> tensor<2x520xf32>
  %max = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<2x520x1041xf32>) outs(%lows : tensor<2x520xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.maximumf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x520xf32>
  %e = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %max : tensor<2x520x1041xf32>, tensor<2x520xf32>) outs(%es : tensor<2x520x1041xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x520x1041xf32>
  %sum = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x520x1041xf32>) outs(%zr : tensor<2x520xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x520xf32>
  %p = linalg.generic {indexing_maps = [#s, #r, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x520x1041xf32>, tensor<2x520xf32>) outs(%es : tensor<2x520x1041xf32>) {
  ^bb0(%a0: f32, %a1: f32, %b: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<2x520x1041xf32>
  %i2 = tensor.empty() : tensor<2x520x5xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%i2 : tensor<2x520x5xf32>) -> tensor<2x520x5xf32>
  %o = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%p, %v : tensor<2x520x1041xf32>, tensor<2x1041x5xf32>) outs(%z2 : tensor<2x520x5xf32>) -> tensor<2x520x5xf32>
  %i3 = tensor.empty() : tensor<2x520x1041xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%i3 : tensor<2x520x1041xf32>) -> tensor<2x520x1041xf32>
  %dp = linalg.batch_matmul indexing_maps = [#ir, #jr, #ij] ins(%g, %v : tensor<2x520x5xf32>, tensor<2x1041x5xf32>) outs(%z3 : tensor<2x520x1041xf32>) -> tensor<2x520x1041xf32>
  %w = linalg.generic {indexing_maps = [#s, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %e : tensor<2x520x1041xf32>, tensor<2x520xf32>, tensor<2x520x1041xf32>) outs(%es : tensor<2x520x1041xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %b: f32):
    %l = arith.mulf %a1, %a1 : f32
    %i = arith.divf %a0, %l : f32
    %r = arith.mulf %i, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<2x520x1041xf32>
  %delta = linalg.generic {indexing_maps = [#s, #r], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w : tensor<2x520x1041xf32>) outs(%zr : tensor<2x520xf32>) {
  ^bb0(%a0: f32, %b: f32):
    %r = arith.addf %a0, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x520xf32>
  %ds = linalg.generic {indexing_maps = [#s, #r, #r, #s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dp, %sum, %delta, %e : tensor<2x520x1041xf32>, tensor<2x520xf32>, tensor<2x520xf32>, tensor<2x520x1041xf32>) outs(%es : tensor<2x520x1041xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %b: f32):
    %d = arith.divf %a0, %a1 : f32
    %f = arith.subf %d, %a2 : f32
    %h = arith.mulf %f, %a3 : f32
    %r = arith.mulf %h, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x520x1041xf32>
  %i4 = tensor.empty() : tensor<2x520x8xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%i4 : tensor<2x520x8xf32>) -> tensor<2x520x8xf32>
  %dq = linalg.batch_matmul indexing_maps = [#ir, #rj, #ij] ins(%ds, %k : tensor<2x520x1041xf32>, tensor<2x1041x8xf32>) outs(%z4 : tensor<2x520x8xf32>) -> tensor<2x520x8xf32>
  %i5 = tensor.empty() : tensor<2x1041x8xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%i5 : tensor<2x1041x8xf32>) -> tensor<2x1041x8xf32>
  %dk = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%ds, %q : tensor<2x520x1041xf32>, tensor<2x520x8xf32>) outs(%z5 : tensor<2x1041x8xf32>) -> tensor<2x1041x8xf32>
  %i6 = tensor.empty() : tensor<2x1041x5xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%i6 : tensor<2x1041x5xf32>) -> tensor<2x1041x5xf32>
  %dv = linalg.batch_matmul indexing_maps = [#ri, #rj, #ij] ins(%p, %g : tensor<2x520x1041xf32>, tensor<2x520x5xf32>) outs(%z6 : tensor<2x1041x5xf32>) -> tensor<2x1041x5xf32>
  return %o, %dq, %dk, %dv : tensor<2x520x5xf32>, tensor<2x520x8xf32>, tensor<2x1041x8xf32>, tensor<2x1041x5xf32>
}
