// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-sorts-to-keys))' | FileCheck %s

// A key of floats is their bits, in the order of integers.
// CHECK-LABEL: func.func @floats
// CHECK-SAME:    %[[K:.+]]: tensor<4x9xf32>, %[[V:.+]]: tensor<4x9xf64>
// CHECK:         %[[KEYS:.+]] = linalg.generic {{.+}} ins(%[[K]] : tensor<4x9xf32>)
// CHECK:           arith.bitcast %{{.+}} : f32 to i32
// CHECK:         %[[PLACES:.+]] = linalg.generic
// CHECK:           linalg.index 1
// CHECK:         %[[SORTED:.+]]:2 = shardir.sort %[[KEYS]], %[[PLACES]] : tensor<4x9xi32>, tensor<4x9xi32> dim = 1
// CHECK-NEXT:    ^bb0(%[[A:.+]]: i32, %[[B:.+]]: i32, %{{.+}}: i32, %{{.+}}: i32):
// CHECK-NEXT:      arith.cmpi slt, %[[A]], %[[B]] : i32
// CHECK:         linalg.generic {{.+}} ins(%[[SORTED]]#1 : tensor<4x9xi32>)
// CHECK:           tensor.extract %[[K]]
// CHECK:         linalg.generic {{.+}} ins(%[[SORTED]]#1 : tensor<4x9xi32>)
// CHECK:           tensor.extract %[[V]]
func.func @floats(%k: tensor<4x9xf32>, %v: tensor<4x9xf64>) -> (tensor<4x9xf32>, tensor<4x9xf64>) {
  %0:2 = shardir.sort %k, %v : tensor<4x9xf32>, tensor<4x9xf64> dim = 1 {
  ^bb0(%a: f32, %b: f32, %c: f64, %d: f64):
    %1 = arith.cmpf ole, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<4x9xf32>, tensor<4x9xf64>
}

// What both sides compute is computed once for each element, in as many bytes as
// a sort by bytes takes. Only what slices read is put together again.
// CHECK-LABEL: func.func @computed
// CHECK-SAME:    %[[K:.+]]: tensor<9xi8>, %[[V:.+]]: tensor<9xi8>
// CHECK:         %[[KEYS:.+]] = linalg.generic {{.+}} ins(%[[K]], %[[V]] : tensor<9xi8>, tensor<9xi8>)
// CHECK:           arith.muli
// CHECK-NOT:       arith.muli
// CHECK:           arith.extsi %{{.+}} : i8 to i16
// CHECK:         %[[SORTED:.+]]:2 = shardir.sort %[[KEYS]], %{{.+}} : tensor<9xi16>, tensor<9xi32>
// CHECK:         %[[FIRST:.+]] = tensor.extract_slice %[[SORTED]]#1[0] [3] [1]
// CHECK:         %[[RESULT:.+]] = linalg.generic {{.+}} ins(%[[FIRST]] : tensor<3xi32>)
// CHECK:         tensor.extract_slice %[[RESULT]][1] [2] [1] : tensor<3xi8> to tensor<2xi8>
func.func @computed(%k: tensor<9xi8>, %v: tensor<9xi8>) -> tensor<2xi8> {
  %0:2 = shardir.sort %k, %v : tensor<9xi8>, tensor<9xi8> dim = 0 {
  ^bb0(%a: i8, %b: i8, %c: i8, %d: i8):
    %1 = arith.muli %b, %d : i8
    %2 = arith.muli %a, %c : i8
    %3 = arith.cmpi ugt, %1, %2 : i8
    shardir.yield %3 : i1
  }
  %1 = tensor.extract_slice %0#1[1] [2] [1] : tensor<9xi8> to tensor<2xi8>
  return %1 : tensor<2xi8>
}

// Two keys, sides that differ, and integers that `<` compares stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     linalg.generic
func.func @others(%k: tensor<9xi32>, %l: tensor<9xi32>) -> (tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>) {
  %0:2 = shardir.sort %k, %l : tensor<9xi32>, tensor<9xi32> dim = 0 {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %same = arith.cmpi eq, %a, %b : i32
    %then = arith.cmpi sgt, %c, %d : i32
    %both = arith.andi %same, %then : i1
    %1 = arith.ori %less, %both : i1
    shardir.yield %1 : i1
  }
  %1 = shardir.sort %k : tensor<9xi32> dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %2 = arith.addi %b, %b : i32
    %3 = arith.cmpi slt, %a, %2 : i32
    shardir.yield %3 : i1
  }
  %2:2 = shardir.sort %k, %l : tensor<9xi32>, tensor<9xi32> dim = 0 {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %3 = arith.cmpi slt, %a, %b : i32
    shardir.yield %3 : i1
  }
  return %0#0, %0#1, %1, %2#1 : tensor<9xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9xi32>
}
