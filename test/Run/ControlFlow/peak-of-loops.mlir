// The peak that is predicted for loops is at least what is measured: buffers of a
// body are made ahead of the loop, and what an iteration hands on is copied where
// it must be; 64 bytes for the rounding of a scalar are left out. Values that swap places, that are handed on as they came, a loop in
// a loop, and a while whose condition depends on data.
// RUN: shard-run %s --function=swap --verify --report=%t.swap.json
// RUN: shard-run %s --function=nested --verify --report=%t.nested.json
// RUN: shard-run %s --function=until --verify --report=%t.until.json
// RUN: %python -c "import json, sys; [sys.exit(f'{f}: {r}') for f in sys.argv[1:] for r in [json.load(open(f))] if r['measured']['peak_bytes_per_device'] > r['peak_bytes_per_device'] + 64 or r['peak_bytes_per_device'] > 2.5 * r['measured']['peak_bytes_per_device']]" %t.swap.json %t.nested.json %t.until.json
shardir.mesh @m <["tp"=2]>

func.func @swap(%x: tensor<64x33xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %y: tensor<64x33xf32>) -> (tensor<64x33xf32>, tensor<64x33xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<64x33xf32>, tensor<64x33xf32>) {
    %s = math.sin %a : tensor<64x33xf32>
    %t = arith.addf %s, %b : tensor<64x33xf32>
    scf.yield %t, %a : tensor<64x33xf32>, tensor<64x33xf32>
  }
  return %r#0, %r#1 : tensor<64x33xf32>, tensor<64x33xf32>
}

func.func @nested(%x: tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> (tensor<32x32xf32>) {
    %m = linalg.matmul ins(%a, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) -> tensor<32x32xf32>
    %t = math.tanh %m : tensor<32x32xf32>
    %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%b = %t) -> (tensor<32x32xf32>) {
      %n = linalg.matmul ins(%b, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) -> tensor<32x32xf32>
      %u = arith.addf %n, %a : tensor<32x32xf32>
      %v = math.tanh %u : tensor<32x32xf32>
      scf.yield %v : tensor<32x32xf32>
    }
    scf.yield %s : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

func.func @until(%x: tensor<40x16xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) -> tensor<40x16xf32> {
  %half = arith.constant dense<0.5> : tensor<40x16xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant 1.0 : f32
  %r = scf.while (%a = %x) : (tensor<40x16xf32>) -> tensor<40x16xf32> {
    %sq = arith.mulf %a, %a : tensor<40x16xf32>
    %n = linalg.reduce { arith.addf } ins(%sq : tensor<40x16xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    %v = tensor.extract %n[] : tensor<f32>
    %go = arith.cmpf ogt, %v, %one : f32
    scf.condition(%go) %a : tensor<40x16xf32>
  } do {
  ^bb0(%a: tensor<40x16xf32>):
    %b = arith.mulf %a, %half : tensor<40x16xf32>
    %s = math.sin %b : tensor<40x16xf32>
    scf.yield %s : tensor<40x16xf32>
  }
  return %r : tensor<40x16xf32>
}
