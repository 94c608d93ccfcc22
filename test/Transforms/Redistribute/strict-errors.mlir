// RUN: shard-opt %s --shardir-to-redistributed="strict" -verify-diagnostics -split-input-file

shardir.mesh @m <["tp"=2]>
func.func @operand(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                   %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) -> tensor<8x8xf32> {
  // expected-error @+1 {{'arith.addf' op needs an implicit redistribution, which strict forbids: operand 1 of 'arith.addf' from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{"tp"}, {}]>; ask for it with shardir.constrain}}
  %0 = arith.addf %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

shardir.mesh @m <["tp"=2]>
func.func @reduction(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["tp"]>}) -> tensor<8xf32> {
  // expected-error @+1 {{'math.exp' op needs an implicit redistribution, which strict forbids: operand 0 of 'math.exp'}}
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shardir.mesh @m <["tp"=2]>
func.func @captured(%t: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}, %i: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @+1 {{'linalg.generic' op needs an implicit redistribution, which strict forbids: the body of 'linalg.generic' reads it whole}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%at: index, %o: f32):
    %v = tensor.extract %t[%at] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What an iteration leaves behind is not as the next one takes it.
shardir.mesh @m <["tp"=2]>
func.func @yielded(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}]>}, %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    // expected-error @+1 {{'scf.yield' op needs an implicit redistribution, which strict forbids: operand 0 of 'scf.yield' in 'scf.for' from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"tp"}]>; ask for it with shardir.constrain}}
    scf.yield %y : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
