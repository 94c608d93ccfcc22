// Gathers of arguments are repeated per region of use: a weight does not stay
// gathered from the forward to the backward pass, unless share-gathers says so,
// and with a memory limit only while the predicted peak stays within it.
//
// RUN: shard-opt %S/Inputs/fsdp.mlir --shardir-to-redistributed -o %t.each
// RUN: FileCheck %s --check-prefixes=CHECK,EACH --input-file=%t.each
// RUN: shard-opt %t.each --shardir-to-redistributed | diff %t.each -
// CSE does not merge what was repeated, here or later.
// RUN: shard-opt %t.each -cse | FileCheck %s --check-prefixes=CHECK,EACH
// RUN: shard-opt %t.each --shardir-to-collective="mesh=x=4" -cse -o %t.coll
// RUN: shard-opt %t.coll --shardir-to-local | FileCheck %s --check-prefix=LOCAL
//
// RUN: shard-opt %S/Inputs/fsdp.mlir --shardir-to-redistributed="share-gathers" -o %t.all
// RUN: FileCheck %s --check-prefixes=CHECK,ALL --input-file=%t.all
// RUN: shard-opt %t.all --shardir-to-redistributed="share-gathers" | diff %t.all -
// RUN: shard-opt %t.each --shardir-to-redistributed="share-gathers" | FileCheck %s --check-prefixes=CHECK,ALL
//
// The peaks are 2816 bytes with repeated gathers and 4608 with shared ones.
// RUN: shard-opt %S/Inputs/fsdp.mlir --shardir-to-redistributed="share-gathers memory-limit=4608" | diff %t.all -
// RUN: shard-opt %S/Inputs/fsdp.mlir --shardir-to-redistributed="share-gathers memory-limit=4607" -o %t.fits
// RUN: FileCheck %s --check-prefixes=CHECK,FITS --input-file=%t.fits
// RUN: shard-opt %t.fits --shardir-to-redistributed="share-gathers memory-limit=4607" | diff %t.fits -

// LOCAL-COUNT-5: collective.all_gather
// LOCAL-NOT:     collective.all_gather

// CHECK-LABEL: func.func @main
// CHECK:         %[[W1:.+]] = shardir.redistribute %arg1 from
// CHECK-NEXT:    linalg.matmul {{.*}} ins(%arg0, %[[W1]]
// CHECK:         %[[W2:.+]] = shardir.redistribute %arg2 from
// CHECK-NEXT:    linalg.matmul {{.*}} ins(%{{.+}}, %[[W2]]
// CHECK:         %[[W3:.+]] = shardir.redistribute %arg3 from
// CHECK-NEXT:    linalg.matmul {{.*}} ins(%{{.+}}, %[[W3]]

// Gradients are reduced and scattered as soon as they are there.
// CHECK:         %[[G3:.+]] = linalg.matmul {{.*}}partial = sum ["x"]
// CHECK-NEXT:    shardir.redistribute %[[G3]] {{.*}}partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]>

// Backward. The last layer's weight is used by two products in a row, but they
// contract other dims of it.
// EACH-NEXT:     %[[V3:.+]] = shardir.redistribute %arg3 {{.*}} {reason = #shardir.reason<operand 1 of "linalg.matmul", region 2>}
// EACH-NEXT:     linalg.matmul {{.*}} ins(%{{.+}}, %[[V3]]
// ALL-NEXT:      linalg.matmul {{.*}} ins(%{{.+}}, %[[W3]]
// FITS-NEXT:     shardir.redistribute %arg3 {{.*}} region 2>
// FITS-NEXT:     linalg.matmul

// CHECK:         %[[G2:.+]] = linalg.matmul {{.*}}partial = sum ["x"]
// CHECK-NEXT:    shardir.redistribute %[[G2]] {{.*}}partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]>
// EACH-NEXT:     %[[V2:.+]] = shardir.redistribute %arg2 {{.*}} region 2>
// EACH-NEXT:     linalg.matmul {{.*}} ins(%{{.+}}, %[[V2]]
// ALL-NEXT:      linalg.matmul {{.*}} ins(%{{.+}}, %[[W2]]
// FITS-NEXT:     linalg.matmul {{.*}} ins(%{{.+}}, %[[W2]]

// CHECK:         %[[G1:.+]] = linalg.matmul {{.*}}partial = sum ["x"]
// CHECK-NEXT:    shardir.redistribute %[[G1]] {{.*}}partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]>
// CHECK-NOT:     shardir.redistribute
// CHECK:         return
