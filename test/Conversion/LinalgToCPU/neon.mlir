// RUN: shard-opt %s --shardir-to-cpu=target=neon | %llvm_bindir/mlir-translate --mlir-to-llvmir | %llvm_bindir/llc -O2 -mtriple=aarch64-unknown-linux-gnu -relocation-model=pic -o %t.s
// RUN: FileCheck %s < %t.s
// RUN: %llvm_bindir/llvm-mc -triple=aarch64-unknown-linux-gnu -filetype=obj %t.s -o %t.o
// RUN: shard-opt %s --shardir-to-cpu="target=neon-dot" | %llvm_bindir/mlir-translate --mlir-to-llvmir | %llvm_bindir/llc -O2 -mtriple=aarch64-unknown-linux-gnu -mattr=+dotprod -relocation-model=pic -o %t.dot.s
// RUN: FileCheck %s --check-prefix=DOT < %t.dot.s
// RUN: %llvm_bindir/llvm-mc -triple=aarch64-unknown-linux-gnu -mattr=+dotprod -filetype=obj %t.dot.s -o %t.o
// RUN: shard-opt %s --shardir-to-cpu=target=sve-256 | %llvm_bindir/mlir-translate --mlir-to-llvmir | %llvm_bindir/llc -O2 -mtriple=aarch64-unknown-linux-gnu -mattr=+sve -aarch64-sve-vector-bits-min=256 -aarch64-sve-vector-bits-max=256 -relocation-model=pic -o %t.sve.s
// RUN: FileCheck %s --check-prefix=SVE < %t.sve.s
// RUN: %llvm_bindir/llvm-mc -triple=aarch64-unknown-linux-gnu -mattr=+sve -filetype=obj %t.sve.s -o %t.o

// No machine with these instructions runs here: the code is assembled. A product
// of 6 x 16 results keeps 24 sums of four in registers, a row of softmax has no
// call of libm for its powers.

// CHECK-NOT:   bl expf
// CHECK-LABEL: program.softmax_kernel_{{[0-9]+}}:
// CHECK-NOT:   bl expf
// CHECK-LABEL: program.product_kernel_{{[0-9]+}}_body_2:
// CHECK-COUNT-24: fmla v{{[0-9]+}}.4s, v{{[0-9]+}}.4s, v{{[0-9]+}}
// CHECK-NOT:   bl expf

// Dot products of four bytes; SVE's registers of 256 bits, eight results each.
// DOT-LABEL: program.bytes_kernel_{{[0-9]+}}_body_2:
// DOT-COUNT-24: sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b, v{{[0-9]+}}
// SVE-LABEL: program.product_kernel_{{[0-9]+}}_body_2:
// SVE-COUNT-24: fmla z{{[0-9]+}}.s

func.func @product(%a: tensor<384x512xf32>, %b: tensor<512x256xf32>) -> tensor<384x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<384x256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<384x256xf32>) -> tensor<384x256xf32>
  %c = linalg.matmul ins(%a, %b : tensor<384x512xf32>, tensor<512x256xf32>) outs(%z : tensor<384x256xf32>) -> tensor<384x256xf32>
  return %c : tensor<384x256xf32>
}

func.func @softmax(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %e = tensor.empty() : tensor<64x512xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<64x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

func.func @bytes(%a: tensor<384x512xi8>, %b: tensor<512x256xi8>) -> tensor<384x256xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<384x256xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<384x256xi32>) -> tensor<384x256xi32>
  %c = linalg.matmul ins(%a, %b : tensor<384x512xi8>, tensor<512x256xi8>) outs(%z : tensor<384x256xi32>) -> tensor<384x256xi32>
  return %c : tensor<384x256xi32>
}
