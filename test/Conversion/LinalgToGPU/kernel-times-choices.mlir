// Measured times decide what a kernel takes along, and between numbers of warps. The times here are made up.
// DEFINE: %{program} = %s
// DEFINE: %{function} =
// DEFINE: %{options} =
// DEFINE: %{report} = shard-compile %{program} --gpu --function=%{function} --options="arch=sm_80 ptxas=none %{options}" -o %t/program.so --report=-
// DEFINE: %{table} = %python %S/Inputs/table-of.py sm_80
// RUN: rm -rf %t && mkdir %t

// The model has the weights made where they are read; measured, that is slower than two kernels.
// REDEFINE: %{function} = dequantised
// RUN: %{report} > %t/fused.json
// RUN: FileCheck %s --check-prefix=FUSED < %t/fused.json
// FUSED: "fused_operand": 2
// REDEFINE: %{options} = plan=fused_operand=0
// RUN: %{report} > %t/apart.json
// REDEFINE: %{options} = kernel-times=%t/times.json
// RUN: %{table} %t/fused.json 100 %t/apart.json 1 > %t/times.json
// RUN: %{report} | FileCheck %s --check-prefix=APART
// APART: "fused_operand": 0
// APART-NOT: "fused_operand": 2
// RUN: %{table} %t/fused.json 1 %t/apart.json 1 > %t/times.json
// RUN: %{report} | FileCheck %s --check-prefix=FUSED

// Fewer warps are chosen where they were measured to be faster, and no others.
// REDEFINE: %{program} = %S/../../../benchmarks/gpu/attention-backward.mlir
// REDEFINE: %{function} = backward64
// REDEFINE: %{options} =
// RUN: %{report} > %t/four.json
// RUN: FileCheck %s --check-prefix=FOUR < %t/four.json
// FOUR: "tile_m": 64
// REDEFINE: %{options} = plan=tile_m=32
// RUN: %{report} > %t/two.json
// REDEFINE: %{options} = kernel-times=%t/times.json
// RUN: %{table} %t/four.json 1 %t/two.json 0.01 > %t/times.json
// RUN: %{report} | FileCheck %s --check-prefix=TWO
// TWO: "tile_m": 32
// RUN: %{table} %t/four.json 100 > %t/times.json
// RUN: %{report} | FileCheck %s --check-prefix=FOUR

// Chains over rows that begin alike are different problems.
// REDEFINE: %{program} = %s
// REDEFINE: %{options} =
// REDEFINE: %{function} = shifted
// RUN: %{report} > %t/chains.txt
// REDEFINE: %{function} = shifted_exp
// RUN: %{report} >> %t/chains.txt
// RUN: FileCheck %s --check-prefix=CHAIN < %t/chains.txt
// CHAIN: "problem": "[[CHAIN:linalg.reduce[^"]* with 2 ops [^"]*]]"
// CHAIN-NOT: "[[CHAIN]]"
// CHAIN: "problem": "linalg.reduce{{.*}} with 2 ops

func.func @dequantised(%a: tensor<16x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096xf32>) -> tensor<16x4096xf32> {
  %e = tensor.empty() : tensor<4096x4096xbf16>
  %b = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (n)>, affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<4096x4096xi8>, tensor<4096xf32>) outs(%e : tensor<4096x4096xbf16>) {
  ^bb0(%x: i8, %y: f32, %o: bf16):
    %1 = arith.sitofp %x : i8 to f32
    %2 = arith.mulf %1, %y : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<4096x4096xbf16>
  %z = arith.constant 0.0 : f32
  %c = tensor.empty() : tensor<16x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<16x4096xf32>) -> tensor<16x4096xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<16x4096xf32>) -> tensor<16x4096xf32>
  return %0 : tensor<16x4096xf32>
}

func.func @shifted(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %c = tensor.empty() : tensor<512xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%c : tensor<512xf32>) -> tensor<512xf32>
  %max = linalg.reduce ins(%x : tensor<512x1024xf32>) outs(%f : tensor<512xf32>) dimensions = [1]
    (%a: f32, %o: f32) {
      %0 = arith.maximumf %a, %o : f32
      linalg.yield %0 : f32
    }
  %e = tensor.empty() : tensor<512x1024xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<512x1024xf32>, tensor<512xf32>) outs(%e : tensor<512x1024xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %1 = arith.subf %a, %m : f32
    linalg.yield %1 : f32
  } -> tensor<512x1024xf32>
  return %r : tensor<512x1024xf32>
}

func.func @shifted_exp(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %c = tensor.empty() : tensor<512xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%c : tensor<512xf32>) -> tensor<512xf32>
  %max = linalg.reduce ins(%x : tensor<512x1024xf32>) outs(%f : tensor<512xf32>) dimensions = [1]
    (%a: f32, %o: f32) {
      %0 = arith.maximumf %a, %o : f32
      linalg.yield %0 : f32
    }
  %e = tensor.empty() : tensor<512x1024xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<512x1024xf32>, tensor<512xf32>) outs(%e : tensor<512x1024xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %1 = arith.subf %a, %m : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<512x1024xf32>
  return %r : tensor<512x1024xf32>
}
