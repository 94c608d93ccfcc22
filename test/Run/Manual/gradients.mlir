// Data parallelism by hand, tensor parallelism by annotation, in one program: a
// manual region over "dp" computes the loss and the gradients of its own rows and
// reduces them, and "tp" goes through it from the annotation of one weight. It is
// compared with the same step written for one device.
// RUN: split-file %s %t
// RUN: shard-run %t/plain.mlir --output=@%t/0.npy --output=@%t/1.npy --output=@%t/2.npy --output=@%t/3.npy
// DEFINE: %{expected} = --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --expected_output=@%t/3.npy
// RUN: shard-run %t/manual.mlir %{expected} --report=%t/r.json
// RUN: FileCheck %s --check-prefix=REPORT < %t/r.json
// RUN: shard-run %t/manual.mlir %{expected} --options="cost=bytes"
// RUN: shard-opt %t/manual.mlir --shardir-to-local | FileCheck %s

// The reductions over "dp" are the program's, the one over "tp" ours; weights and
// their gradients are split over "tp".
// CHECK-LABEL: func.func @main
// CHECK-SAME:    tensor<4x6xf32> {shardir.global_type = tensor<8x6xf32>
// CHECK-SAME:    tensor<6x5xf32> {shardir.global_type = tensor<6x10xf32>
// CHECK-SAME:    tensor<5x3xf32> {shardir.global_type = tensor<10x3xf32>
// CHECK-DAG:     collective.all_reduce {{.*}}partial = sum ["tp"]{{.*}} of tensor<4x3xf32>
// CHECK-DAG:     collective.all_reduce {{.*}} from #shardir.placement<@m, [{}, {"tp"}], partial = sum ["dp"]> to #shardir.placement<@m, [{}, {"tp"}]> of tensor<6x10xf32>
// CHECK-DAG:     collective.all_reduce {{.*}} from #shardir.placement<@m, [{"tp"}, {}], partial = sum ["dp"]> to #shardir.placement<@m, [{"tp"}, {}]> of tensor<10x3xf32>
// CHECK-DAG:     collective.all_reduce {{.*}} from #shardir.placement<@m, [], partial = sum ["dp"]> to #shardir.placement<@m, []> of tensor<f32>

// Of 2 devices each receives the other's half: 6 x 5 and 5 x 3 gradients, 4 x 3
// activations and the loss, of 4 bytes.
// REPORT: "bytes_per_device": 240
// REPORT: "measured"
// REPORT-NEXT: "bytes_per_device": 240

//--- plain.mlir
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<8x6xf32>, %w1: tensor<6x10xf32>, %w2: tensor<10x3xf32>, %t: tensor<8x3xf32>)
    -> (tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>, tensor<8x3xf32>) {
  %zh = arith.constant dense<0.0> : tensor<8x10xf32>
  %zy = arith.constant dense<0.0> : tensor<8x3xf32>
  %zw1 = arith.constant dense<0.0> : tensor<6x10xf32>
  %zw2 = arith.constant dense<0.0> : tensor<10x3xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x6xf32>, tensor<6x10xf32>) outs(%zh : tensor<8x10xf32>) -> tensor<8x10xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<8x10xf32>, tensor<10x3xf32>) outs(%zy : tensor<8x3xf32>) -> tensor<8x3xf32>
  %e = arith.subf %y, %t : tensor<8x3xf32>
  %s = arith.mulf %e, %e : tensor<8x3xf32>
  %l = linalg.reduce { arith.addf } ins(%s : tensor<8x3xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
  %g2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%h, %e : tensor<8x10xf32>, tensor<8x3xf32>) outs(%zw2 : tensor<10x3xf32>) -> tensor<10x3xf32>
  %gh = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%e, %w2 : tensor<8x3xf32>, tensor<10x3xf32>) outs(%zh : tensor<8x10xf32>) -> tensor<8x10xf32>
  %g1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %gh : tensor<8x6xf32>, tensor<8x10xf32>) outs(%zw1 : tensor<6x10xf32>) -> tensor<6x10xf32>
  return %l, %g1, %g2, %y : tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>, tensor<8x3xf32>
}

//--- manual.mlir
shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @main(%x: tensor<8x6xf32>, %w1: tensor<6x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %w2: tensor<10x3xf32>, %t: tensor<8x3xf32>)
    -> (tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>, tensor<8x3xf32>) {
  %l, %g1, %g2, %y = shardir.manual (%x, %w1, %w2, %t)
      in [#shardir.placement<@m, [{"dp"}, {?}]>, #shardir.placement<@m, [{?}, {?}]>, #shardir.placement<@m, [{?}, {?}]>, #shardir.placement<@m, [{"dp"}, {?}]>]
      out [#shardir.placement<@m, []>, #shardir.placement<@m, [{?}, {?}]>, #shardir.placement<@m, [{?}, {?}]>, #shardir.placement<@m, [{"dp"}, {?}]>]
      manual = ["dp"] {
  ^bb0(%xl: tensor<4x6xf32>, %a: tensor<6x10xf32>, %b: tensor<10x3xf32>, %tl: tensor<4x3xf32>):
    %zh = arith.constant dense<0.0> : tensor<4x10xf32>
    %zy = arith.constant dense<0.0> : tensor<4x3xf32>
    %zw1 = arith.constant dense<0.0> : tensor<6x10xf32>
    %zw2 = arith.constant dense<0.0> : tensor<10x3xf32>
    %z = arith.constant dense<0.0> : tensor<f32>
    %h = linalg.matmul ins(%xl, %a : tensor<4x6xf32>, tensor<6x10xf32>) outs(%zh : tensor<4x10xf32>) -> tensor<4x10xf32>
    %yl = linalg.matmul ins(%h, %b : tensor<4x10xf32>, tensor<10x3xf32>) outs(%zy : tensor<4x3xf32>) -> tensor<4x3xf32>
    %e = arith.subf %yl, %tl : tensor<4x3xf32>
    %s = arith.mulf %e, %e : tensor<4x3xf32>
    %ll = linalg.reduce { arith.addf } ins(%s : tensor<4x3xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
    %g2l = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%h, %e : tensor<4x10xf32>, tensor<4x3xf32>) outs(%zw2 : tensor<10x3xf32>) -> tensor<10x3xf32>
    %gh = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%e, %b : tensor<4x3xf32>, tensor<10x3xf32>) outs(%zh : tensor<4x10xf32>) -> tensor<4x10xf32>
    %g1l = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%xl, %gh : tensor<4x6xf32>, tensor<4x10xf32>) outs(%zw1 : tensor<6x10xf32>) -> tensor<6x10xf32>
    %l0 = collective.all_reduce %ll from #shardir.placement<@m, [], partial = sum ["dp"]> to #shardir.placement<@m, []> of tensor<f32> : tensor<f32> -> tensor<f32>
    %g10 = collective.all_reduce %g1l from #shardir.placement<@m, [{}, {}], partial = sum ["dp"]> to #shardir.placement<@m, [{}, {}]> of tensor<6x10xf32> : tensor<6x10xf32> -> tensor<6x10xf32>
    %g20 = collective.all_reduce %g2l from #shardir.placement<@m, [{}, {}], partial = sum ["dp"]> to #shardir.placement<@m, [{}, {}]> of tensor<10x3xf32> : tensor<10x3xf32> -> tensor<10x3xf32>
    shardir.yield %l0, %g10, %g20, %yl : tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>, tensor<4x3xf32>
  } : (tensor<8x6xf32>, tensor<6x10xf32>, tensor<10x3xf32>, tensor<8x3xf32>)
      -> (tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>, tensor<8x3xf32>)
  return %l, %g1, %g2, %y : tensor<f32>, tensor<6x10xf32>, tensor<10x3xf32>, tensor<8x3xf32>
}
