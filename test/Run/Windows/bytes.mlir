// RUN: shard-opt %s --shardir-to-collective | FileCheck %s
// RUN: shard-run %s --verify --function=same --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 2 * 8 * 4 * 4, r"
// RUN: shard-run %s --verify --function=roll --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 8 * 4, r"
// RUN: shard-run %s --verify --function=patches --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 0, r"
// RUN: shard-run %s --verify --function=strided --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 3 * 5 * 4, r"
// RUN: shard-run %s --verify --function=one_row --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 16 * 4, r"

// Windows receive exactly the rows that a device reads and lacks. The
// report and the runtime agree.

shardir.mesh @m <["x"=4, "y"=2]>

// A 3x3 convolution with its zeros around, rows split: one row of 8 x 4 numbers
// from either side, straight from the operand, and no gather.
// CHECK-LABEL: func.func @same
// CHECK-NOT:     collective.
// CHECK:         collective.halo_exchange %arg0 {{.*}} halo {{\[\[}}0, 0], [1, 1], [0, 0], [0, 0]]
// CHECK-NOT:     collective.
// CHECK:         tensor.pad
// CHECK-NOT:     collective.
// CHECK:         linalg.conv_2d_nhwc_hwcf
// CHECK-NOT:     collective.
func.func @same(%x: tensor<1x8x8x4xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {}]>},
                %w: tensor<3x3x4x5xi32>) -> tensor<1x8x8x5xi32> {
  %c = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x8x8x5xi32>
  %z = linalg.fill ins(%c : i32) outs(%e : tensor<1x8x8x5xi32>) -> tensor<1x8x8x5xi32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %c : i32
  } : tensor<1x8x8x4xi32> to tensor<1x10x10x4xi32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x10x10x4xi32>, tensor<3x3x4x5xi32>)
                                outs(%z : tensor<1x8x8x5xi32>) -> tensor<1x8x8x5xi32>
  return %r : tensor<1x8x8x5xi32>
}

// A roll by one row: the row that changes devices, to the next one or, of the
// last, to the first.
// CHECK-LABEL: func.func @roll
// CHECK-COUNT-2: collective.halo_exchange %arg0
// CHECK-NOT:     collective.
func.func @roll(%x: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %a = tensor.extract_slice %x[31, 0] [1, 16] [1, 1] : tensor<32x16xf32> to tensor<1x16xf32>
  %b = tensor.extract_slice %x[0, 0] [31, 16] [1, 1] : tensor<32x16xf32> to tensor<31x16xf32>
  %r = tensor.concat dim(0) %a, %b : (tensor<1x16xf32>, tensor<31x16xf32>) -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// Windows that do not overlap, as of patches of an image, read their own blocks.
// CHECK-LABEL: func.func @patches
// CHECK-NOT:     collective.
func.func @patches(%x: tensor<2x16x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                   %w: tensor<4x3x5xf32>) -> tensor<2x4x5xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x5xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %r = linalg.conv_1d_nwc_wcf {strides = dense<4> : tensor<1xi64>}
      ins(%x, %w : tensor<2x16x3xf32>, tensor<4x3x5xf32>) outs(%z : tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// 17 rows are 5 + 5 + 5 + 2, and 8 outputs of every second row are 2 + 2 + 2 + 2:
// the last device reads rows 12 to 16 and lacks three of them.
// CHECK-LABEL: func.func @strided
// CHECK:         collective.halo_exchange {{.*}} halo {{\[\[}}0, 0], [0, 2, 8, 2, 1], [0, 0]]
func.func @strided(%x: tensor<1x17x5xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>},
                   %w: tensor<3x5x2xi32>) -> tensor<1x8x2xi32> {
  %c = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x8x2xi32>
  %z = linalg.fill ins(%c : i32) outs(%e : tensor<1x8x2xi32>) -> tensor<1x8x2xi32>
  %r = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>}
      ins(%x, %w : tensor<1x17x5xi32>, tensor<3x5x2xi32>) outs(%z : tensor<1x8x2xi32>) -> tensor<1x8x2xi32>
  return %r : tensor<1x8x2xi32>
}

// One row of a split dim, wanted everywhere.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT:     collective.all_gather
func.func @one_row(%x: tensor<8x16xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<16xi32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %r = tensor.extract_slice %x[5, 0] [1, 16] [1, 1] : tensor<8x16xi32> to tensor<16xi32>
  return %r : tensor<16xi32>
}
