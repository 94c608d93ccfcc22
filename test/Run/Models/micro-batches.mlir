// Three stages on two ranks each, forward and backward, in a loop over 8 micro-batches. Run as 1F1B each mesh works
// on a micro-batch of its own, and results have the same bits. What a device holds besides its argument is that of
// three micro-batches, whatever their number: 9,872 bytes with the 768 of the argument for 8.
//
// RUN: shard-run %s --verify --options=pipeline=1f1b --report=%t.json 2>&1 | FileCheck %s
// CHECK: remark: its micro-batches run as 1F1B: 5 segments of work in a period of 2, at most 3 micro-batches in flight
// CHECK-COUNT-3: equal to the unsharded program
// RUN: shard-run %s --outputs=%t-1.npz
// RUN: shard-run %s --options=pipeline=1f1b --outputs=%t-2.npz
// RUN: cmp %t-1.npz %t-2.npz
// RUN: sed -e "s/8x6x8xf32/32x6x8xf32/g" -e "s/constant 8 : index/constant 32 : index/" %s > %t-32.mlir
// RUN: shard-run %t-32.mlir --verify --options=pipeline=1f1b --report=%t-32.json 2>&1 | FileCheck %s
// RUN: %python -c "import json; a, b = (json.load(open(r'%t' + n))['measured']['peak_bytes_per_device'] for n in ('.json', '-32.json')); assert b - a == 24 * 3 * 8 * 4, (a, b)"
//
// The predicted time: one after the other, the busiest mesh waits more than it works; as 1F1B it waits for the first
// and the last micro-batches alone, whatever their number.
// RUN: %python -c "import json; json.dump({'flops': {'f32': 1e6}, 'memory_bandwidth': 1e12, 'devices_per_node': 8, 'node': {'bandwidth': 1e12, 'latency': 1e-12}}, open(r'%t-machine.json', 'w'))"
// RUN: shard-opt %s --shardir-to-bufferized="machine=%t-machine.json" --shardir-report=file=%t-p1.json -o /dev/null
// RUN: shard-opt %s --shardir-to-bufferized="machine=%t-machine.json pipeline=1f1b" --shardir-report=file=%t-p2.json -o /dev/null
// RUN: shard-opt %t-32.mlir --shardir-to-bufferized="machine=%t-machine.json pipeline=1f1b" --shardir-report=file=%t-p3.json -o /dev/null
// RUN: %python -c "import json; a, b, c = (json.load(open(r'%t-p' + n + '.json'))['predicted'] for n in '123'); assert a['exposed_seconds'] > 1.5 * a['compute_seconds']; assert b['exposed_seconds'] < 0.25 * b['compute_seconds']; assert abs(c['exposed_seconds'] / b['exposed_seconds'] - 1) < 0.01; assert c['compute_seconds'] > 3.9 * b['compute_seconds']"
//
// With the third stage on the ranks of the first, these have three segments of each micro-batch, interleaved.
// RUN: sed -e "/^shardir.mesh @m2/d" -e "s/@m2/@m0/g" %s > %t-turns.mlir
// RUN: shard-run %t-turns.mlir --verify --options=pipeline=1f1b 2>&1 | FileCheck %s --check-prefix=TURNS
// TURNS: remark: its micro-batches run as 1F1B: 5 segments of work in a period of 3, at most 2 micro-batches in flight
// TURNS-COUNT-3: equal to the unsharded program

shardir.mesh @m0 <["a"=2]>
shardir.mesh @m1 <["a"=2], devices = [2, 3]>
shardir.mesh @m2 <["a"=2], devices = [4, 5]>
func.func @main(%xs: tensor<8x6x8xf32> {shardir.placement = #shardir.placement<@m0, [{}, {"a"}, {}]>}, %w0: tensor<8x8xf32>, %w1: tensor<8x8xf32>, %w2: tensor<8x8xf32>)
 -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m0, [{}, {}]>}, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m1, [{}, {}]>}, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m2, [{}, {}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cm = arith.constant 8 : index
  %zb = arith.constant dense<0.0> : tensor<6x8xf32>
  %zw = arith.constant dense<0.0> : tensor<8x8xf32>
  %r:3 = scf.for %i = %c0 to %cm step %c1 iter_args(%g0 = %zw, %g1 = %zw, %g2 = %zw) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %x0 = tensor.extract_slice %xs[%i, 0, 0] [1, 6, 8] [1, 1, 1] : tensor<8x6x8xf32> to tensor<6x8xf32>
    %h0 = linalg.matmul ins(%x0, %w0 : tensor<6x8xf32>, tensor<8x8xf32>) outs(%zb : tensor<6x8xf32>) -> tensor<6x8xf32>
    %a0 = math.tanh %h0 : tensor<6x8xf32>
    %x1 = shardir.constrain %a0 to #shardir.placement<@m1, [{"a"}, {}]> : tensor<6x8xf32>
    %h1 = linalg.matmul ins(%x1, %w1 : tensor<6x8xf32>, tensor<8x8xf32>) outs(%zb : tensor<6x8xf32>) -> tensor<6x8xf32>
    %a1 = math.tanh %h1 : tensor<6x8xf32>
    %x2 = shardir.constrain %a1 to #shardir.placement<@m2, [{"a"}, {}]> : tensor<6x8xf32>
    %h2 = linalg.matmul ins(%x2, %w2 : tensor<6x8xf32>, tensor<8x8xf32>) outs(%zb : tensor<6x8xf32>) -> tensor<6x8xf32>
    %a2 = math.tanh %h2 : tensor<6x8xf32>
    %d2 = arith.addf %a2, %a2 : tensor<6x8xf32>
    %e2 = arith.mulf %d2, %a2 : tensor<6x8xf32>
    %n2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%x2, %e2 : tensor<6x8xf32>, tensor<6x8xf32>) outs(%g2 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %q2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%e2, %w2 : tensor<6x8xf32>, tensor<8x8xf32>) outs(%zb : tensor<6x8xf32>) -> tensor<6x8xf32>
    %d1 = shardir.constrain %q2 to #shardir.placement<@m1, [{"a"}, {}]> : tensor<6x8xf32>
    %e1 = arith.mulf %d1, %a1 : tensor<6x8xf32>
    %n1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%x1, %e1 : tensor<6x8xf32>, tensor<6x8xf32>) outs(%g1 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %q1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%e1, %w1 : tensor<6x8xf32>, tensor<8x8xf32>) outs(%zb : tensor<6x8xf32>) -> tensor<6x8xf32>
    %d0 = shardir.constrain %q1 to #shardir.placement<@m0, [{"a"}, {}]> : tensor<6x8xf32>
    %e0 = arith.mulf %d0, %a0 : tensor<6x8xf32>
    %n0 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%x0, %e0 : tensor<6x8xf32>, tensor<6x8xf32>) outs(%g0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %n0, %n1, %n2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
