// With reduce=result-type a partial sum passes truncf, on tensors and in bodies; products do not, and nothing else
// that rounds. Without, sums are reduced first.
//
// RUN: shard-opt %s --shardir-cast-partials | FileCheck %s --check-prefix=MARK
// RUN: shard-opt %s --shardir-to-redistributed="reduce=result-type" | FileCheck %s
// RUN: shard-opt %s --shardir-to-redistributed | FileCheck %s --check-prefix=EXACT
// RUN: shard-opt %s --shardir-to-propagated="reduce=result-type" | shard-opt --shardir-to-redistributed | FileCheck %s
// RUN: not shard-opt %s --shardir-to-redistributed="reduce=fast" 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: error: option reduce must be exact or result-type, found 'fast'
// RUN: shard-opt %s --shardir-cast-partials | sed 's/{shardir.partial_cast}/{shardir.partial_cast = 1}/' | not shard-opt 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: 'shardir.partial_cast' has no value

shardir.mesh @m <["x"=2]>

// MARK-LABEL: func.func @sum
// MARK:       arith.truncf %{{.*}} {shardir.partial_cast}
// CHECK-LABEL: func.func @sum
// CHECK-NEXT:  %[[T:.*]] = arith.truncf %arg0 {{.*}}partial = sum ["x"]
// CHECK-NEXT:  shardir.redistribute %[[T]]
// EXACT-LABEL: func.func @sum
// EXACT-NEXT:  %[[R:.*]] = shardir.redistribute %arg0
// EXACT-NEXT:  arith.truncf %[[R]]
func.func @sum(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) -> tensor<8xbf16> {
  %r = arith.truncf %x : tensor<8xf32> to tensor<8xbf16>
  return %r : tensor<8xbf16>
}

// CHECK-LABEL: func.func @body
// CHECK:       linalg.generic
// CHECK:       shardir.redistribute
// EXACT-LABEL: func.func @body
// EXACT:       shardir.redistribute
// EXACT:       linalg.generic
// MARK-LABEL: func.func @body
// MARK:       arith.truncf %{{.*}} {shardir.partial_cast} : f32 to f16
func.func @body(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) -> tensor<8xf16> {
  %e = tensor.empty() : tensor<8xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf16>) {
  ^bb0(%in: f32, %out: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8xf16>
  return %r : tensor<8xf16>
}

// CHECK-LABEL: func.func @product
// CHECK-NEXT:  %[[R:.*]] = shardir.redistribute %arg0
// CHECK-NEXT:  arith.truncf %[[R]]
func.func @product(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = prod ["x"]>}) -> tensor<8xbf16> {
  %r = arith.truncf %x : tensor<8xf32> to tensor<8xbf16>
  return %r : tensor<8xbf16>
}
