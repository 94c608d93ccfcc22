// Sums are added in the same order for any number of threads, and a run after the
// first few takes no memory from the system: results have equal bits with 1, 2, 3
// and 8 threads, and page faults of later runs are next to none.
//
// RUN: shard-run %s --compile-only -o %t.so
// RUN: %python %S/Inputs/thread-counts.py %shardir_build/lib/libShardIRRuntime.so %t.so | FileCheck %s
//
// CHECK-COUNT-16: equal bits, no new memory
// CHECK-NOT: {{.}}

func.func @square(%a: tensor<384x640xf32>, %b: tensor<640x512xf32>) -> tensor<384x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<384x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<384x512xf32>) -> tensor<384x512xf32>
  %c = linalg.matmul ins(%a, %b : tensor<384x640xf32>, tensor<640x512xf32>) outs(%f : tensor<384x512xf32>) -> tensor<384x512xf32>
  return %c : tensor<384x512xf32>
}

func.func @uneven(%a: tensor<257x1031xf32>, %b: tensor<1031x129xf32>) -> tensor<257x129xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<257x129xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<257x129xf32>) -> tensor<257x129xf32>
  %c = linalg.matmul ins(%a, %b : tensor<257x1031xf32>, tensor<1031x129xf32>) outs(%f : tensor<257x129xf32>) -> tensor<257x129xf32>
  return %c : tensor<257x129xf32>
}

func.func @doubles(%a: tensor<250x300xf64>, %b: tensor<300x260xf64>) -> tensor<250x260xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<250x260xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<250x260xf64>) -> tensor<250x260xf64>
  %c = linalg.matmul ins(%a, %b : tensor<250x300xf64>, tensor<300x260xf64>) outs(%f : tensor<250x260xf64>) -> tensor<250x260xf64>
  return %c : tensor<250x260xf64>
}

func.func @pairs(%a: tensor<384x640xbf16>, %b: tensor<640x512xbf16>) -> tensor<384x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<384x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<384x512xf32>) -> tensor<384x512xf32>
  %c = linalg.matmul ins(%a, %b : tensor<384x640xbf16>, tensor<640x512xbf16>) outs(%f : tensor<384x512xf32>) -> tensor<384x512xf32>
  return %c : tensor<384x512xf32>
}

func.func @one_row(%a: tensor<1x2048xf32>, %b: tensor<2048x4096xf32>) -> tensor<1x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  %c = linalg.matmul ins(%a, %b : tensor<1x2048xf32>, tensor<2048x4096xf32>) outs(%f : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  return %c : tensor<1x4096xf32>
}

func.func @few_rows(%a: tensor<7x2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<7x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x2048xf32>) -> tensor<7x2048xf32>
  %c = linalg.matmul ins(%a, %b : tensor<7x2048xf32>, tensor<2048x2048xf32>) outs(%f : tensor<7x2048xf32>) -> tensor<7x2048xf32>
  return %c : tensor<7x2048xf32>
}

func.func @one_row_transposed(%a: tensor<1x2048xf32>, %b: tensor<4096x2048xf32>) -> tensor<1x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  %c = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : tensor<1x2048xf32>, tensor<4096x2048xf32>) outs(%f : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  return %c : tensor<1x4096xf32>
}

func.func @few_rows_transposed(%a: tensor<5x2048xbf16>, %b: tensor<4096x2048xbf16>) -> tensor<5x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x4096xf32>) -> tensor<5x4096xf32>
  %c = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : tensor<5x2048xbf16>, tensor<4096x2048xbf16>) outs(%f : tensor<5x4096xf32>) -> tensor<5x4096xf32>
  return %c : tensor<5x4096xf32>
}

func.func @batch(%a: tensor<9x128x160xf32>, %b: tensor<9x160x96xf32>) -> tensor<9x128x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x128x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9x128x96xf32>) -> tensor<9x128x96xf32>
  %c = linalg.batch_matmul ins(%a, %b : tensor<9x128x160xf32>, tensor<9x160x96xf32>) outs(%f : tensor<9x128x96xf32>) -> tensor<9x128x96xf32>
  return %c : tensor<9x128x96xf32>
}

func.func @convolution(%x: tensor<2x30x30x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<2x28x28x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x28x28x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x28x28x64xf32>) -> tensor<2x28x28x64xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x30x30x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<2x28x28x64xf32>) -> tensor<2x28x28x64xf32>
  return %c : tensor<2x28x28x64xf32>
}

func.func @sums(%x: tensor<1500x1100xf32>) -> (tensor<f32>, tensor<1100xf32>, tensor<1500xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %all = linalg.reduce { arith.addf } ins(%x : tensor<1500x1100xf32>) outs(%f0 : tensor<f32>) dimensions = [0, 1]
  %e1 = tensor.empty() : tensor<1100xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1100xf32>) -> tensor<1100xf32>
  %columns = linalg.reduce { arith.addf } ins(%x : tensor<1500x1100xf32>) outs(%f1 : tensor<1100xf32>) dimensions = [0]
  %e2 = tensor.empty() : tensor<1500xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1500xf32>) -> tensor<1500xf32>
  %rows = linalg.reduce { arith.addf } ins(%x : tensor<1500x1100xf32>) outs(%f2 : tensor<1500xf32>) dimensions = [1]
  return %all, %columns, %rows : tensor<f32>, tensor<1100xf32>, tensor<1500xf32>
}

func.func @softmax(%x: tensor<700x1500xf32>) -> tensor<700x1500xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %mx_z_e = tensor.empty() : tensor<700xf32>
  %mx_z = linalg.fill ins(%low : f32) outs(%mx_z_e : tensor<700xf32>) -> tensor<700xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<700x1500xf32>) outs(%mx_z : tensor<700xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %a0, %o : f32
    linalg.yield %r : f32
  } -> tensor<700xf32>
  %s_e = tensor.empty() : tensor<700x1500xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mx : tensor<700x1500xf32>, tensor<700xf32>) outs(%s_e : tensor<700x1500xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<700x1500xf32>
  %sum_z_e = tensor.empty() : tensor<700xf32>
  %sum_z = linalg.fill ins(%zero : f32) outs(%sum_z_e : tensor<700xf32>) -> tensor<700xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<700x1500xf32>) outs(%sum_z : tensor<700xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %a0, %o : f32
    linalg.yield %r : f32
  } -> tensor<700xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %sum : tensor<700x1500xf32>, tensor<700xf32>) outs(%s_e : tensor<700x1500xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<700x1500xf32>
  return %y : tensor<700x1500xf32>
}

func.func @layer_norm(%x: tensor<700x1500xbf16>, %g: tensor<1500xbf16>, %b: tensor<1500xbf16>) -> tensor<700x1500xbf16> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1500.0 : f32
  %small = arith.constant 1.0e-05 : f32
  %wide_e = tensor.empty() : tensor<700x1500xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<700x1500xbf16>) outs(%wide_e : tensor<700x1500xf32>) {
  ^bb0(%a0: bf16, %o: f32):
    %r = arith.extf %a0 : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<700x1500xf32>
  %z_e = tensor.empty() : tensor<700xf32>
  %z = linalg.fill ins(%zero : f32) outs(%z_e : tensor<700xf32>) -> tensor<700xf32>
  %row = tensor.empty() : tensor<700xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%wide : tensor<700x1500xf32>) outs(%z : tensor<700xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %a0, %o : f32
    linalg.yield %r : f32
  } -> tensor<700xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%sum : tensor<700xf32>) outs(%row : tensor<700xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.divf %a0, %count : f32
    linalg.yield %r : f32
  } -> tensor<700xf32>
  %squares = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%wide, %mean : tensor<700x1500xf32>, tensor<700xf32>) outs(%z : tensor<700xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<700xf32>
  %scale = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%squares : tensor<700xf32>) outs(%row : tensor<700xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %v = arith.divf %a0, %count : f32
    %w = arith.addf %v, %small : f32
    %r = math.rsqrt %w : f32
    linalg.yield %r : f32
  } -> tensor<700xf32>
  %y_e = tensor.empty() : tensor<700x1500xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%wide, %mean, %scale, %g, %b : tensor<700x1500xf32>, tensor<700xf32>, tensor<700xf32>, tensor<1500xbf16>, tensor<1500xbf16>) outs(%y_e : tensor<700x1500xbf16>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: bf16, %a4: bf16, %o: bf16):
    %d = arith.subf %a0, %a1 : f32
    %e = arith.mulf %d, %a2 : f32
    %w3 = arith.extf %a3 : bf16 to f32
    %w4 = arith.extf %a4 : bf16 to f32
    %f = arith.mulf %e, %w3 : f32
    %h = arith.addf %f, %w4 : f32
    %r = arith.truncf %h : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<700x1500xbf16>
  return %y : tensor<700x1500xbf16>
}

func.func @attention(%q: tensor<4x512x64xf32>, %k: tensor<4x512x64xf32>, %v: tensor<4x512x64xf32>) -> tensor<4x512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %root = arith.constant 0.125 : f32
  %qk_z_e = tensor.empty() : tensor<4x512x512xf32>
  %qk_z = linalg.fill ins(%zero : f32) outs(%qk_z_e : tensor<4x512x512xf32>) -> tensor<4x512x512xf32>
  %qk = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x512x64xf32>, tensor<4x512x64xf32>) outs(%qk_z : tensor<4x512x512xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %p = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x512x512xf32>
  %masked_e = tensor.empty() : tensor<4x512x512xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qk : tensor<4x512x512xf32>) outs(%masked_e : tensor<4x512x512xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi ule, %j, %i : index
    %s = arith.mulf %a0, %root : f32
    %r = arith.select %c, %s, %low : f32
    linalg.yield %r : f32
  } -> tensor<4x512x512xf32>
  %mx_z_e = tensor.empty() : tensor<4x512xf32>
  %mx_z = linalg.fill ins(%low : f32) outs(%mx_z_e : tensor<4x512xf32>) -> tensor<4x512xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%masked : tensor<4x512x512xf32>) outs(%mx_z : tensor<4x512xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %a0, %o : f32
    linalg.yield %r : f32
  } -> tensor<4x512xf32>
  %s_e = tensor.empty() : tensor<4x512x512xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %mx : tensor<4x512x512xf32>, tensor<4x512xf32>) outs(%s_e : tensor<4x512x512xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x512x512xf32>
  %sum_z_e = tensor.empty() : tensor<4x512xf32>
  %sum_z = linalg.fill ins(%zero : f32) outs(%sum_z_e : tensor<4x512xf32>) -> tensor<4x512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<4x512x512xf32>) outs(%sum_z : tensor<4x512xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %a0, %o : f32
    linalg.yield %r : f32
  } -> tensor<4x512xf32>
  %probs = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum : tensor<4x512x512xf32>, tensor<4x512xf32>) outs(%s_e : tensor<4x512x512xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<4x512x512xf32>
  %pv_z_e = tensor.empty() : tensor<4x512x64xf32>
  %pv_z = linalg.fill ins(%zero : f32) outs(%pv_z_e : tensor<4x512x64xf32>) -> tensor<4x512x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%probs, %v : tensor<4x512x512xf32>, tensor<4x512x64xf32>) outs(%pv_z : tensor<4x512x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %p = arith.mulf %a0, %a1 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x512x64xf32>
  return %y : tensor<4x512x64xf32>
}

func.func @attention_bf16(%q: tensor<4x512x64xbf16>, %k: tensor<4x512x64xbf16>, %v: tensor<4x512x64xbf16>) -> tensor<4x512x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %root = arith.constant 0.125 : f32
  %qk_z_e = tensor.empty() : tensor<4x512x512xf32>
  %qk_z = linalg.fill ins(%zero : f32) outs(%qk_z_e : tensor<4x512x512xf32>) -> tensor<4x512x512xf32>
  %qk = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x512x64xbf16>, tensor<4x512x64xbf16>) outs(%qk_z : tensor<4x512x512xf32>) {
  ^bb0(%a0: bf16, %a1: bf16, %o: f32):
    %w0 = arith.extf %a0 : bf16 to f32
    %w1 = arith.extf %a1 : bf16 to f32
    %p = arith.mulf %w0, %w1 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x512x512xf32>
  %masked_e = tensor.empty() : tensor<4x512x512xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%qk : tensor<4x512x512xf32>) outs(%masked_e : tensor<4x512x512xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi ule, %j, %i : index
    %s = arith.mulf %a0, %root : f32
    %r = arith.select %c, %s, %low : f32
    linalg.yield %r : f32
  } -> tensor<4x512x512xf32>
  %mx_z_e = tensor.empty() : tensor<4x512xf32>
  %mx_z = linalg.fill ins(%low : f32) outs(%mx_z_e : tensor<4x512xf32>) -> tensor<4x512xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%masked : tensor<4x512x512xf32>) outs(%mx_z : tensor<4x512xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %a0, %o : f32
    linalg.yield %r : f32
  } -> tensor<4x512xf32>
  %s_e = tensor.empty() : tensor<4x512x512xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%masked, %mx : tensor<4x512x512xf32>, tensor<4x512xf32>) outs(%s_e : tensor<4x512x512xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<4x512x512xf32>
  %sum_z_e = tensor.empty() : tensor<4x512xf32>
  %sum_z = linalg.fill ins(%zero : f32) outs(%sum_z_e : tensor<4x512xf32>) -> tensor<4x512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<4x512x512xf32>) outs(%sum_z : tensor<4x512xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %a0, %o : f32
    linalg.yield %r : f32
  } -> tensor<4x512xf32>
  %probs = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %sum : tensor<4x512x512xf32>, tensor<4x512xf32>) outs(%s_e : tensor<4x512x512xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<4x512x512xf32>
  %rounded_e = tensor.empty() : tensor<4x512x512xbf16>
  %rounded = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%probs : tensor<4x512x512xf32>) outs(%rounded_e : tensor<4x512x512xbf16>) {
  ^bb0(%a0: f32, %o: bf16):
    %r = arith.truncf %a0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x512x512xbf16>
  %pv_z_e = tensor.empty() : tensor<4x512x64xf32>
  %pv_z = linalg.fill ins(%zero : f32) outs(%pv_z_e : tensor<4x512x64xf32>) -> tensor<4x512x64xf32>
  %pv = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%rounded, %v : tensor<4x512x512xbf16>, tensor<4x512x64xbf16>) outs(%pv_z : tensor<4x512x64xf32>) {
  ^bb0(%a0: bf16, %a1: bf16, %o: f32):
    %w0 = arith.extf %a0 : bf16 to f32
    %w1 = arith.extf %a1 : bf16 to f32
    %p = arith.mulf %w0, %w1 : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x512x64xf32>
  %y_e = tensor.empty() : tensor<4x512x64xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pv : tensor<4x512x64xf32>) outs(%y_e : tensor<4x512x64xbf16>) {
  ^bb0(%a0: f32, %o: bf16):
    %r = arith.truncf %a0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<4x512x64xbf16>
  return %y : tensor<4x512x64xbf16>
}

// Rows that are stored past the caches.
func.func @large(%x: tensor<2048x4096xf32>) -> tensor<2048x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2048xf32>) -> tensor<2048xf32>
  %sums = linalg.reduce { arith.addf } ins(%x : tensor<2048x4096xf32>) outs(%f : tensor<2048xf32>) dimensions = [1]
  %y_e = tensor.empty() : tensor<2048x4096xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<2048x4096xf32>, tensor<2048xf32>) outs(%y_e : tensor<2048x4096xf32>) {
  ^bb0(%a: f32, %sum: f32, %o: f32):
    %r = arith.subf %a, %sum : f32
    linalg.yield %r : f32
  } -> tensor<2048x4096xf32>
  return %y : tensor<2048x4096xf32>
}
