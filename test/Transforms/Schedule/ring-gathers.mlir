// Operands that are gathered for one product or attention alone come around a ring:
// every device begins with its own block, and the next one is on its way meanwhile.
//
// RUN: shard-opt %s --shardir-schedule-collectives="rings=always" | FileCheck %s
// RUN: shard-opt %s --shardir-schedule-collectives="rings=always" | shard-opt | FileCheck %s
// RUN: shard-opt %s --shardir-schedule-collectives="rings=never" | FileCheck %s --check-prefix=NEVER --implicit-check-not=collective.exchange
// NEVER-COUNT-9: collective.all_gather
// NEVER-NOT: collective.rings
// RUN: not shard-opt %s --shardir-schedule-collectives="rings=often" 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: error: unknown mode 'often' of rings; use auto, always or never
//
// By time: nothing goes on beside the work of a rank on a CPU; on a slow device with
// its own stream of collectives the work hides them, if there is enough of it.
// RUN: shard-opt %s -o /dev/null --shardir-schedule-collectives="overlap=false explain" 2>&1 | FileCheck %s --check-prefix=CPU --implicit-check-not="operands come"
// CPU-COUNT-4: operands do not come around a ring
// RUN: shard-opt %s -o /dev/null --shardir-schedule-collectives="flops=3e9 explain" 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: remark: 2 of its operands come around a ring of 4 devices over "x": {{[0-9.]+}} us predicted, {{[0-9.]+}} us with them gathered before
// TIME: remark: 1 of its operands do not come around a ring of 2 devices over "x:(2)2": {{.*}} us with it gathered before
// TIME: remark: 1 of its operands do not come around a ring of 4 devices

// Devices of @m one, two and three further along the ring; of @g along half an axis.
// CHECK:     module attributes {collective.rings{{.*}}shardir.stage = "local"}
// CHECK-DAG: shardir.mesh @m_ring1 <["x"=4], devices = [1, 2, 3, 0]>
// CHECK-DAG: shardir.mesh @m_ring2 <["x"=4], devices = [2, 3, 0, 1]>
// CHECK-DAG: shardir.mesh @m_ring3 <["x"=4], devices = [3, 0, 1, 2]>
// CHECK-DAG: shardir.mesh @g_ring1 <["d"=2, "x"=4], devices = [1, 0, 3, 2, 5, 4, 7, 6]>
module attributes {shardir.stage = "local"} {
shardir.mesh @m <["x"=4]>
shardir.mesh @g <["d"=2, "x"=4]>

// Blocks of two operands are the same part of the loop: one ring. Positions count
// from the block's beginning.
// CHECK-LABEL: func.func @attention
// CHECK:       %[[K1:.*]] = collective.exchange %arg1 from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m_ring1, [{"x"}, {}]> of tensor<256x8xf32> {reason = #shardir.reason<constrain, block 2 of 4>}
// CHECK:       %[[V1:.*]] = collective.exchange %arg2
// CHECK:       %[[O0:.*]]:3 = kernel.attention {{.*}} ins(%arg0, %arg1, %arg2 :
// CHECK:         arith.addi %{{.*}}, %[[S0:.*]] : index
// CHECK:       %[[K2:.*]] = collective.exchange %[[K1]] from #shardir.placement<@m_ring1, [{"x"}, {}]> to #shardir.placement<@m_ring2, [{"x"}, {}]>
// CHECK:       %[[V2:.*]] = collective.exchange %[[V1]]
// CHECK:       %[[I1:.*]] = shardir.axis_index @m_ring1 "x"
// CHECK:       %[[S1:.*]] = arith.muli %[[I1]], %c64
// CHECK:       %[[O1:.*]]:3 = kernel.attention {{.*}} ins(%arg0, %[[K1]], %[[V1]] :
// CHECK-SAME:    outs(%[[O0]]#0, %[[O0]]#1, %[[O0]]#2 :
// CHECK:         arith.addi %{{.*}}, %[[S1]] : index
// CHECK:       %[[O2:.*]]:3 = kernel.attention {{.*}} ins(%arg0, %[[K2]], %[[V2]] :
// CHECK-NOT:   collective.all_gather
// CHECK:       %[[O3:.*]]:3 = kernel.attention
// CHECK:       return %[[O3]]#0
func.func @attention(%q: tensor<64x8xf32>, %k: tensor<64x8xf32>, %v: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<64x4xf32>
  %er = tensor.empty() : tensor<64xf32>
  %acc = linalg.fill ins(%zero : f32) outs(%ea : tensor<64x4xf32>) -> tensor<64x4xf32>
  %max = linalg.fill ins(%low : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %ka = collective.all_gather %k from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<256x8xf32> {reason = #shardir.reason<constrain>} : tensor<64x8xf32> -> tensor<256x8xf32>
  %va = collective.all_gather %v from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<256x4xf32> : tensor<64x4xf32> -> tensor<256x4xf32>
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %ka, %va : tensor<64x8xf32>, tensor<256x8xf32>, tensor<256x4xf32>) outs(%acc, %max, %sum : tensor<64x4xf32>, tensor<64xf32>, tensor<64xf32>)
      score {
      ^bb0(%s: f32):
        %n = kernel.loop_index 1
        %i = arith.index_cast %n : index to i64
        %f = arith.sitofp %i : i64 to f32
        %x = arith.addf %s, %f : f32
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      } -> tensor<64x4xf32>, tensor<64xf32>, tensor<64xf32>
  return %0#0 : tensor<64x4xf32>
}

// A contracted dim, gathered over the minor half of an axis: the columns of the other
// operand are those of the block, counted from where the half begins.
// CHECK-LABEL: func.func @sum
// CHECK:       %[[W1:.*]] = collective.exchange %arg1 from #shardir.placement<@g, [{"x"}, {}]> to #shardir.placement<@g_ring1, [{"x"}, {}]>
// CHECK:       %[[AT0:.*]] = arith.subi
// CHECK:       %[[X0:.*]] = tensor.extract_slice %arg0[0, %[[AT0]]] [3, 4] [1, 1]
// CHECK:       %[[P0:.*]] = linalg.matmul ins(%[[X0]], %arg1 :
// CHECK:       %[[X1:.*]] = tensor.extract_slice %arg0[0, %{{.*}}] [3, 4] [1, 1]
// CHECK:       %[[P1:.*]] = linalg.matmul ins(%[[X1]], %[[W1]] : {{.*}} outs(%[[P0]] :
// CHECK:       return %[[P1]]
func.func @sum(%x: tensor<3x8xf32>, %w: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %wa = collective.all_gather %w from #shardir.placement<@g, [{"x"}, {}]> to #shardir.placement<@g, [{"x":(1)2}, {}]> of tensor<16x5xf32> : tensor<4x5xf32> -> tensor<8x5xf32>
  %y = linalg.matmul ins(%x, %wa : tensor<3x8xf32>, tensor<8x5xf32>) outs(%z : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// Rows of 3, 3, 3 and 1, gathered: each block's rows of the result are put in their
// place.
// CHECK-LABEL: func.func @rows
// CHECK:       collective.exchange %arg0 sizes [%{{.*}}] {{.*}} : tensor<?x6xf32> -> tensor<?x6xf32>
// CHECK:       %[[Y0:.*]] = linalg.matmul ins(%arg0, %arg1 : tensor<?x6xf32>, tensor<6x4xf32>)
// CHECK:       %[[R0:.*]] = tensor.insert_slice %[[Y0]] into %{{.*}}[%{{.*}}, 0] [%{{.*}}, 4] [1, 1] : tensor<?x4xf32> into tensor<10x4xf32>
// CHECK:       tensor.insert_slice %{{.*}} into %[[R0]]
// CHECK-NOT:   collective.all_gather
func.func @rows(%x: tensor<?x6xf32>, %w: tensor<6x4xf32>, %b: tensor<10x4xf32>) -> tensor<10x4xf32> {
  %xa = collective.all_gather %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<10x6xf32> : tensor<?x6xf32> -> tensor<10x6xf32>
  %y = linalg.matmul ins(%xa, %w : tensor<10x6xf32>, tensor<6x4xf32>) outs(%b : tensor<10x4xf32>) -> tensor<10x4xf32>
  return %y : tensor<10x4xf32>
}

// Sums of 16 bits would be rounded once for each block; another op reads the whole;
// extents are not known; the op is in a loop, the gather in front of it: these stay
// gathers.
// CHECK-LABEL: func.func @rounded
// CHECK:       collective.all_gather
func.func @rounded(%x: tensor<3x8xbf16>, %w: tensor<2x5xbf16>, %z: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %wa = collective.all_gather %w from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<8x5xbf16> : tensor<2x5xbf16> -> tensor<8x5xbf16>
  %y = linalg.matmul ins(%x, %wa : tensor<3x8xbf16>, tensor<8x5xbf16>) outs(%z : tensor<3x5xbf16>) -> tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @two_users
// CHECK:       collective.all_gather
func.func @two_users(%x: tensor<3x8xf32>, %w: tensor<2x5xf32>, %z: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<8x5xf32>) {
  %wa = collective.all_gather %w from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<8x5xf32> : tensor<2x5xf32> -> tensor<8x5xf32>
  %y = linalg.matmul ins(%x, %wa : tensor<3x8xf32>, tensor<8x5xf32>) outs(%z : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y, %wa : tensor<3x5xf32>, tensor<8x5xf32>
}

// CHECK-LABEL: func.func @unknown
// CHECK:       collective.all_gather
func.func @unknown(%x: tensor<3x?xf32>, %w: tensor<?x5xf32>, %z: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %wa = collective.all_gather %w sizes [%n] dims [%n] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<?x5xf32> : tensor<?x5xf32> -> tensor<?x5xf32>
  %y = linalg.matmul ins(%x, %wa : tensor<3x?xf32>, tensor<?x5xf32>) outs(%z : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @in_a_loop
// CHECK:       collective.all_gather
// CHECK:       scf.for
func.func @in_a_loop(%x: tensor<3x8xf32>, %w: tensor<2x5xf32>, %z: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %wa = collective.all_gather %w from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<8x5xf32> : tensor<2x5xf32> -> tensor<8x5xf32>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %z) -> (tensor<3x5xf32>) {
    %y = linalg.matmul ins(%x, %wa : tensor<3x8xf32>, tensor<8x5xf32>) outs(%s : tensor<3x5xf32>) -> tensor<3x5xf32>
    scf.yield %y : tensor<3x5xf32>
  }
  return %r : tensor<3x5xf32>
}

// Rows of complex numbers.
// CHECK-LABEL: func.func @complex
// CHECK-COUNT-3: collective.exchange {{.*}} : tensor<2x6xcomplex<f32>> -> tensor<2x6xcomplex<f32>>
// CHECK-NOT:   collective.all_gather
func.func @complex(%x: tensor<2x6xcomplex<f32>>, %w: tensor<6x4xcomplex<f32>>, %b: tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>> {
  %xa = collective.all_gather %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<8x6xcomplex<f32>> : tensor<2x6xcomplex<f32>> -> tensor<8x6xcomplex<f32>>
  %y = linalg.matmul ins(%xa, %w : tensor<8x6xcomplex<f32>>, tensor<6x4xcomplex<f32>>) outs(%b : tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>
  return %y : tensor<8x4xcomplex<f32>>
}
}
