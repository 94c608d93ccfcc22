// RUN: %python %S/../Inputs/verify-all.py %s
// Regions that run replicated, regions without results, and regions of several blocks.
shardir.mesh @m <["x"=2]>
func.func @one(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<5xf32> {
  %r = scf.execute_region -> tensor<5xf32> {
    %s = math.tanh %x : tensor<5xf32>
    scf.yield %s : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}
func.func @many(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %c: i1) -> tensor<5xf32> {
  %r = scf.execute_region -> tensor<5xf32> {
    cf.cond_br %c, ^a, ^b
  ^a:
    %s = math.tanh %x : tensor<5xf32>
    scf.yield %s : tensor<5xf32>
  ^b:
    %t = arith.addf %x, %x : tensor<5xf32>
    scf.yield %t : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}
func.func @par(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %z = arith.constant 0.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%c5) step (%c1) init (%z) -> f32 {
    %v = tensor.extract %x[%i] : tensor<5xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
func.func @nores(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %c: i1) -> tensor<5xf32> {
  scf.if %c {
    %s = math.tanh %x : tensor<5xf32>
  }
  %t = arith.addf %x, %x : tensor<5xf32>
  return %t : tensor<5xf32>
}
func.func @empty_while(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<5xf32> {
  %i0 = arith.constant 0 : i32
  %r:2 = scf.while (%p = %x, %i = %i0) : (tensor<5xf32>, i32) -> (tensor<5xf32>, i32) {
    %c = arith.cmpi slt, %i, %i0 : i32
    scf.condition(%c) %p, %i : tensor<5xf32>, i32
  } do {
  ^bb0(%p: tensor<5xf32>, %i: i32):
    scf.yield %p, %i : tensor<5xf32>, i32
  }
  return %r#0 : tensor<5xf32>
}
