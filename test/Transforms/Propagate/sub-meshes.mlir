// Each clause of R10, one function each: a value's mesh is its annotation's, else
// its producer's; unannotated arguments, constants and rematerializable values take their
// users'; an op over two meshes uses its result's, with a remark.
// RUN: shard-opt %s -split-input-file --shardir-to-redistributed -verify-diagnostics | FileCheck %s

// The annotation of an op, of a result, and a constraint, each against a producer
// on another mesh.
// CHECK-LABEL: func.func @annotation(
// CHECK-SAME:    -> (tensor<8xf32> {{.*}}<@b, [{"q"}]>}, tensor<8xf32> {{.*}}<@b, [{"q"}]>}, tensor<8xf32> {{.*}}<@b, [{"q"}]>})
// CHECK:         %[[M:.+]] = shardir.redistribute %{{.+}} from #shardir.placement<@a, [{"p"}]> to #shardir.placement<@b, [{"q"}]>
// CHECK:         math.exp {{.*}}@b, [{"q"}]
shardir.mesh @a <["p"=2]>
shardir.mesh @b <["q"=2], devices = [2, 3]>
func.func @annotation(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"p"}]>})
    -> (tensor<8xf32>, tensor<8xf32> {shardir.placement = #shardir.placement<@b, [{"q"}]>}, tensor<8xf32>) {
  // expected-remark @+1 {{runs on mesh @b, the one of its result; operands on mesh @a move there}}
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@b, [{"q"}]>]} : tensor<8xf32>
  %1 = shardir.constrain %x to #shardir.placement<@b, [{"q"}]> : tensor<8xf32>
  %2 = math.sin %1 : tensor<8xf32>
  return %0, %x, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Producers: along a chain, and through several operands of one mesh.
// CHECK-LABEL: func.func @producer(
// CHECK-COUNT-3: shardir.placements = [#shardir.placement<@b, [{"q"}]>]
// CHECK-NOT:     redistribute
shardir.mesh @a <["p"=2]>
shardir.mesh @b <["q"=2], devices = [2, 3]>
func.func @producer(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@b, [{"q"}]>}, %other: tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"p"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %x : tensor<8xf32>
  %1 = math.sin %x : tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  return %2, %other : tensor<8xf32>, tensor<8xf32>
}

// -----

// Arguments that nobody has annotated are where they are used: the weight of the
// second stage there, though it stands before the other's.
// CHECK-LABEL: func.func @arguments(
// CHECK-SAME:    %[[W2:[a-z0-9]+]]: tensor<6x4xf32> {{{.*}}#shardir.placement<@b, [{}, {}]>}
// CHECK-SAME:    %[[W1:[a-z0-9]+]]: tensor<6x6xf32> {{{.*}}#shardir.placement<@a, [{}, {}]>}
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8x6xf32> {{{.*}}#shardir.placement<@a, [{"p"}, {}]>}
shardir.mesh @a <["p"=2]>
shardir.mesh @b <["q"=2], devices = [2, 3]>
func.func @arguments(%w2: tensor<6x4xf32>, %w1: tensor<6x6xf32>, %x: tensor<8x6xf32> {shardir.placement = #shardir.placement<@a, [{"p"}, {}]>}) -> tensor<8x4xf32> {
  %z1 = arith.constant dense<0.0> : tensor<8x6xf32>
  %z2 = arith.constant dense<0.0> : tensor<8x4xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x6xf32>, tensor<6x6xf32>) outs(%z1 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %m = shardir.constrain %h to #shardir.placement<@b, [{"q"}, {}]> : tensor<8x6xf32>
  %y = linalg.matmul ins(%m, %w2 : tensor<8x6xf32>, tensor<6x4xf32>) outs(%z2 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A constant and a fill that both stages use are made on both: nothing moves but
// what the first stage gives.
// CHECK-LABEL: func.func @rematerializable(
// CHECK-DAG:     arith.constant {{.*}}<@a, [{"p"}]>
// CHECK-DAG:     arith.constant {{.*}}<@b, [{"q"}]>
// CHECK-DAG:     linalg.fill {{.*}}<@a, [{"p"}]>
// CHECK-DAG:     linalg.fill {{.*}}<@b, [{"q"}]>
// CHECK:         return
shardir.mesh @a <["p"=2]>
shardir.mesh @b <["q"=2], devices = [2, 3]>
func.func @rematerializable(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"p"}]>}) -> tensor<8xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%half : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = arith.addf %x, %c : tensor<8xf32>
  %1 = arith.mulf %0, %f : tensor<8xf32>
  %m = shardir.constrain %1 to #shardir.placement<@b, [{"q"}]> : tensor<8xf32>
  %2 = arith.addf %m, %c : tensor<8xf32>
  %3 = arith.mulf %2, %f : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// An op over two meshes runs on that of its result where its users tell it, also
// where both operands' are others.
// CHECK-LABEL: func.func @two(
// CHECK-DAG:     shardir.redistribute %{{.+}} from #shardir.placement<@a, [{"p"}]> to #shardir.placement<@c, [{"r"}]>
// CHECK-DAG:     shardir.redistribute %{{.+}} from #shardir.placement<@b, [{"q"}]> to #shardir.placement<@c, [{"r"}]>
// CHECK:         arith.addf {{.*}}<@c, [{"r"}]>
shardir.mesh @a <["p"=2]>
shardir.mesh @b <["q"=2], devices = [2, 3]>
shardir.mesh @c <["r"=2], devices = [1, 2]>
func.func @two(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"p"}]>}, %y: tensor<8xf32> {shardir.placement = #shardir.placement<@b, [{"q"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@c, [{"r"}]>}) {
  // expected-remark @+1 {{runs on mesh @c, the one of its result; operands on meshes @a, @b move there}}
  %0 = arith.addf %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}
