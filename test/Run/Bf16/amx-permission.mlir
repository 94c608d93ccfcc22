// A program for AMX has its instructions, and a constant by which the runtime
// knows that it must ask the system for the registers; it is refused where the
// system refuses them.
// RUN: shard-compile %s -o %t.so --options=target=avx512-amx
// RUN: %llvm_bindir/llvm-objdump -d %t.so | FileCheck %s
// RUN: %llvm_bindir/llvm-nm -D --defined-only %t.so | FileCheck %s --check-prefix=SYMBOL
// RUN: %emulated_amx SHARDIR_EMULATED_AMX=refused not shard-run %t.so 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: shard-compile %s -o %t.dot.so --options=target=avx512-bf16
// RUN: %llvm_bindir/llvm-objdump -d %t.dot.so | FileCheck %s --check-prefix=DOT
// REQUIRES: avx512-bf16
// On a processor with AMX nothing refuses it.
// UNSUPPORTED: amx

// CHECK: ldtilecfg
// CHECK: tilezero
// CHECK: tileloadd
// CHECK: tdpbf16ps
// CHECK: tilestored
// CHECK: tilerelease
// SYMBOL: shardir_program_amx_tiles
// REFUSED: uses AMX's tile registers, which this machine refuses (Operation not permitted): compile it with target=avx512-bf16 or target=avx2
// DOT-NOT: tdpbf16ps
// DOT: vdpbf16ps
func.func @main(%a: tensor<64x75xbf16>, %b: tensor<75x48xbf16>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x75xbf16>, tensor<75x48xbf16>) outs(%z : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}
