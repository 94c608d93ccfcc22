// Terms that are reduced and scattered behind a product: sums of blocks come around a
// ring, and every device computes its terms of the next one meanwhile, its own block last.
//
// RUN: shard-opt %s --shardir-schedule-collectives="rings=always" | FileCheck %s
// RUN: shard-opt %s --shardir-schedule-collectives="rings=always" | shard-opt | FileCheck %s
// RUN: shard-opt %s --shardir-schedule-collectives="rings=never" | FileCheck %s --check-prefix=NEVER --implicit-check-not=collective.exchange
// NEVER-COUNT-9: collective.reduce_scatter
// NEVER-NOT: collective.rings
// RUN: not shard-opt %s --shardir-schedule-collectives="rings=often" 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: error: unknown mode 'often' of rings; use auto, always or never
//
// By time: nothing goes on beside the work of a rank on a CPU; on a slow device with its own
// stream of collectives the work hides them, if there is enough of it and adding is cheap.
// RUN: shard-opt %s -o /dev/null --shardir-schedule-collectives="overlap=false explain" 2>&1 | FileCheck %s --check-prefix=CPU --implicit-check-not="sums come"
// CPU-COUNT-4: its sums do not come around a ring
// RUN: shard-opt %s -o /dev/null --shardir-schedule-collectives="flops=1e12 bandwidth=1e12 explain" 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: remark: its sums do not come around a ring of 4 devices over "x": {{[0-9.]+}} us predicted, {{[0-9.]+}} us with all terms reduced and scattered behind it
// TIME: remark: its sums do not come around a ring of 4 devices over "x"
// TIME: remark: its sums do not come around a ring of 2 devices over "x:(2)2"
// TIME: remark: its sums come around a ring of 2 devices over "x:(2)2"

// CHECK:     module attributes {collective.rings{{.*}}shardir.stage = "local"}
// CHECK-DAG: shardir.mesh @m_ring1 <["x"=4], devices = [1, 2, 3, 0]>
// CHECK-DAG: shardir.mesh @m_ring2 <["x"=4], devices = [2, 3, 0, 1]>
// CHECK-DAG: shardir.mesh @m_ring3 <["x"=4], devices = [3, 0, 1, 2]>
// CHECK-DAG: shardir.mesh @g_ring1 <["d"=2, "x"=4], devices = [1, 0, 3, 2, 5, 4, 7, 6]>
module attributes {shardir.stage = "local"} {
shardir.mesh @m <["x"=4]>
shardir.mesh @g <["d"=2, "x"=4]>

// The first block is that of the device one further, the last one a device's own.
// Zeros are made for a block, not cut out of zeros for all.
// CHECK-LABEL: func.func @rows
// CHECK:       %[[I0:.*]] = shardir.axis_index @m_ring1 "x"
// CHECK:       %[[AT0:.*]] = arith.muli %[[I0]], %c2
// CHECK:       %[[A0:.*]] = tensor.extract_slice %arg0[%[[AT0]], 0] [2, 3] [1, 1]
// CHECK:       linalg.fill {{.*}} -> tensor<2x5xf32>
// CHECK:       %[[Y0:.*]] = linalg.matmul ins(%[[A0]], %arg1 : tensor<2x3xf32>, tensor<3x5xf32>)
// CHECK:       %[[R1:.*]] = collective.exchange %[[Y0]] from #shardir.placement<@m_ring1, [{"x"}, {}]> to #shardir.placement<@m_ring2, [{"x"}, {}]> of tensor<8x5xf32> {reason = #shardir.reason<constrain, block 2 of 4>}
// CHECK:       %[[Y1:.*]] = linalg.matmul
// CHECK:       %[[S1:.*]] = linalg.generic {{.*}} ins(%[[R1]] : tensor<2x5xf32>) outs(%[[Y1]] : tensor<2x5xf32>)
// CHECK:         arith.addf
// CHECK:       collective.exchange %[[S1]] from #shardir.placement<@m_ring2, [{"x"}, {}]> to #shardir.placement<@m_ring3, [{"x"}, {}]>
// CHECK:       collective.exchange %{{.*}} from #shardir.placement<@m_ring3, [{"x"}, {}]> to #shardir.placement<@m, [{"x"}, {}]>
// CHECK:       shardir.axis_index @m "x"
// CHECK:       %[[S3:.*]] = linalg.generic
// CHECK-NOT:   collective.reduce_scatter
// CHECK:       return %[[S3]]
func.func @rows(%x: tensor<8x3xf32>, %w: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x5xf32>) -> tensor<8x5xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x3xf32>, tensor<3x5xf32>) outs(%z : tensor<8x5xf32>) -> tensor<8x5xf32>
  %s = collective.reduce_scatter %y from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]> of tensor<8x5xf32> {reason = #shardir.reason<constrain>} : tensor<8x5xf32> -> tensor<2x5xf32>
  return %s : tensor<2x5xf32>
}

// Columns of 3, 3, 3 and 1; what the product adds to is cut as well.
// CHECK-LABEL: func.func @columns
// CHECK:       %[[W0:.*]] = tensor.extract_slice %arg1[0, %{{.*}}] [3, %[[N:.*]]] [1, 1]
// CHECK:       %[[B0:.*]] = tensor.extract_slice %arg2[0, %{{.*}}] [8, %[[N]]] [1, 1]
// CHECK:       linalg.matmul ins(%arg0, %[[W0]] : tensor<8x3xi32>, tensor<3x?xi32>) outs(%[[B0]] : tensor<8x?xi32>)
// CHECK:       collective.exchange %{{.*}} sizes [%{{.*}}] {{.*}} : tensor<8x?xi32> -> tensor<8x?xi32>
// CHECK:         arith.addi
func.func @columns(%x: tensor<8x3xi32>, %w: tensor<3x10xi32>, %b: tensor<8x10xi32>) -> tensor<8x?xi32> {
  %0 = shardir.axis_index @m "x"
  %c10 = arith.constant 10 : index
  %c3 = arith.constant 3 : index
  %1 = arith.muli %0, %c3 : index
  %2 = arith.subi %c10, %1 : index
  %n = arith.minui %2, %c3 : index
  %y = linalg.matmul ins(%x, %w : tensor<8x3xi32>, tensor<3x10xi32>) outs(%b : tensor<8x10xi32>) -> tensor<8x10xi32>
  %s = collective.reduce_scatter %y sizes [%n] from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {"x"}]> of tensor<8x10xi32> : tensor<8x10xi32> -> tensor<8x?xi32>
  return %s : tensor<8x?xi32>
}

// Over the minor half of an axis whose major half splits the rows already.
// CHECK-LABEL: func.func @half
// CHECK:       collective.exchange %{{.*}} from #shardir.placement<@g_ring1, [{"x"}, {}]> to #shardir.placement<@g, [{"x"}, {}]> of tensor<8x5xf32>
// CHECK-NOT:   collective.
// CHECK:       return
func.func @half(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>, %z: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<4x3xf32>, tensor<3x5xf32>) outs(%z : tensor<4x5xf32>) -> tensor<4x5xf32>
  %s = collective.reduce_scatter %y from #shardir.placement<@g, [{"x":(1)2}, {}], partial = sum ["x":(2)2]> to #shardir.placement<@g, [{"x"}, {}]> of tensor<8x5xf32> : tensor<4x5xf32> -> tensor<2x5xf32>
  return %s : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @large
// CHECK:       collective.exchange
func.func @large(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>, %z: tensor<512x512xf32>) -> tensor<256x512xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<512x512xf32>, tensor<512x512xf32>) outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  %s = collective.reduce_scatter %y from #shardir.placement<@g, [{"x":(1)2}, {}], partial = sum ["x":(2)2]> to #shardir.placement<@g, [{"x"}, {}]> of tensor<1024x512xf32> : tensor<512x512xf32> -> tensor<256x512xf32>
  return %s : tensor<256x512xf32>
}

// Sums of 16 bits would be rounded on each device; another op reads the terms; maxima; something is partial
// over another axis still; no product: these stay what they are.
// CHECK-LABEL: func.func @rounded
// CHECK:       collective.reduce_scatter
func.func @rounded(%x: tensor<8x3xbf16>, %w: tensor<3x5xbf16>, %z: tensor<8x5xbf16>) -> tensor<2x5xbf16> {
  %y = linalg.matmul ins(%x, %w : tensor<8x3xbf16>, tensor<3x5xbf16>) outs(%z : tensor<8x5xbf16>) -> tensor<8x5xbf16>
  %s = collective.reduce_scatter %y from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]> of tensor<8x5xbf16> : tensor<8x5xbf16> -> tensor<2x5xbf16>
  return %s : tensor<2x5xbf16>
}

// CHECK-LABEL: func.func @two_users
// CHECK:       collective.reduce_scatter
func.func @two_users(%x: tensor<8x3xf32>, %w: tensor<3x5xf32>, %z: tensor<8x5xf32>) -> (tensor<2x5xf32>, tensor<8x5xf32>) {
  %y = linalg.matmul ins(%x, %w : tensor<8x3xf32>, tensor<3x5xf32>) outs(%z : tensor<8x5xf32>) -> tensor<8x5xf32>
  %s = collective.reduce_scatter %y from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]> of tensor<8x5xf32> : tensor<8x5xf32> -> tensor<2x5xf32>
  return %s, %y : tensor<2x5xf32>, tensor<8x5xf32>
}

// CHECK-LABEL: func.func @maxima
// CHECK:       collective.reduce_scatter
func.func @maxima(%x: tensor<8x3xf32>, %w: tensor<3x5xf32>, %z: tensor<8x5xf32>) -> tensor<2x5xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x3xf32>, tensor<3x5xf32>) outs(%z : tensor<8x5xf32>) -> tensor<8x5xf32>
  %s = collective.reduce_scatter %y from #shardir.placement<@m, [{}, {}], partial = max ["x"]> to #shardir.placement<@m, [{"x"}, {}]> of tensor<8x5xf32> : tensor<8x5xf32> -> tensor<2x5xf32>
  return %s : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @partial_still
// CHECK:       collective.reduce_scatter
func.func @partial_still(%x: tensor<8x3xf32>, %w: tensor<3x5xf32>, %z: tensor<8x5xf32>) -> tensor<2x5xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x3xf32>, tensor<3x5xf32>) outs(%z : tensor<8x5xf32>) -> tensor<8x5xf32>
  %s = collective.reduce_scatter %y from #shardir.placement<@g, [{}, {}], partial = sum ["d", "x"]> to #shardir.placement<@g, [{"x"}, {}], partial = sum ["d"]> of tensor<8x5xf32> : tensor<8x5xf32> -> tensor<2x5xf32>
  return %s : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @no_product
// CHECK:       collective.reduce_scatter
func.func @no_product(%x: tensor<8x5xf32>) -> tensor<2x5xf32> {
  %e = tensor.empty() : tensor<8x5xf32>
  %y = linalg.exp ins(%x : tensor<8x5xf32>) outs(%e : tensor<8x5xf32>) -> tensor<8x5xf32>
  %s = collective.reduce_scatter %y from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]> of tensor<8x5xf32> : tensor<8x5xf32> -> tensor<2x5xf32>
  return %s : tensor<2x5xf32>
}
}
