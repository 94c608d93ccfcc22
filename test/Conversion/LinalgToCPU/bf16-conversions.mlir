// Roundings to bf16 are left to LLVM where the CPU has an instruction for them,
// and written out in integers where it has none.
// RUN: shard-opt %s --pass-pipeline="builtin.module(shardir-linalg-to-cpu{target=avx512-bf16})" | FileCheck %s --check-prefix=NATIVE
// RUN: shard-opt %s --pass-pipeline="builtin.module(shardir-linalg-to-cpu{target=avx512})" | FileCheck %s

// NATIVE-LABEL: llvm.func @sum
// NATIVE-NOT:   lshr
// NATIVE:       llvm.fpext {{.*}} : vector<16xbf16> to vector<16xf32>
// NATIVE:       llvm.fptrunc {{.*}} : vector<16xf32> to vector<16xbf16>
// NATIVE-NOT:   lshr
// CHECK-LABEL: llvm.func @sum
// CHECK-NOT:   llvm.fptrunc
// CHECK:       llvm.lshr {{.*}} : vector<16xi32>
// CHECK-NOT:   llvm.fptrunc
#id = affine_map<(i) -> (i)>
func.func @sum(%a: memref<1024xbf16>, %b: memref<1024xbf16>, %c: memref<1024xbf16>) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : memref<1024xbf16>, memref<1024xbf16>) outs(%c : memref<1024xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %z: bf16):
    %s = arith.addf %x, %y : bf16
    linalg.yield %s : bf16
  }
  return
}
