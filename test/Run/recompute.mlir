// A training step whose activations exceed memory-limit computes some of them a
// second time: the peak that is counted in the buffers, and measured, falls below
// the limit, the collectives stay, and results are those of the unsharded program.
// Dims do not divide.
// RUN: shard-run %s --verify --report=%t.json | FileCheck %s --check-prefix=EQUAL
// RUN: %python %shardir_src/utils/print-report.py %t.json | FileCheck %s --check-prefix=KEPT
// RUN: shard-run %s --options=memory-limit=26K --verify --report=%t.json 2>%t.err | FileCheck %s --check-prefix=EQUAL
// RUN: %python %shardir_src/utils/print-report.py %t.json | FileCheck %s --check-prefix=AGAIN
// RUN: FileCheck %s --check-prefix=SAYS < %t.err
// Weights that are split as the batch is are gathered again for the backward
// pass. Recomputed products read those, so that the first ones are not kept. The
// first layer's weight, which the backward pass does not need, is gathered again
// for its product.
// RUN: sed 's/\[{}, {"tp"}\]/[{"dp"}, {}]/g; s/\[{"tp"}, {}\]/[{"dp"}, {}]/g; s/, "tp"=2//' %s > %t.fsdp.mlir
// RUN: shard-run %t.fsdp.mlir --options=memory-limit=28K --verify 2>/dev/null | FileCheck %s --check-prefix=EQUAL
// RUN: shard-opt %t.fsdp.mlir --shardir-to-collective=memory-limit=28K 2>/dev/null | FileCheck %s --check-prefix=FSDP
// A limit that recomputation cannot meet is an error.
// RUN: not shard-run %s --options=memory-limit=12K 2>&1 | FileCheck %s --check-prefix=ERROR

// EQUAL-COUNT-4: equal to the unsharded program
// KEPT:  bytes received per device: 6440
// Processors differ in what products pack.
// KEPT:  peak bytes per device: [[#PEAK:]]
// KEPT:  measured: 6440 bytes received, [[#PEAK]] bytes at the peak
// AGAIN: bytes received per device: 6440
// AGAIN: peak bytes per device: [[#PEAK:]]
// AGAIN-NEXT: {{[0-9]+}} values are computed a second time to fit memory-limit
// AGAIN: measured: 6440 bytes received, [[#PEAK]] bytes at the peak
// SAYS:  remark: @main computes {{[0-9]+}} values a second time
// FSDP:     %[[FIRST:.+]] = collective.all_gather %arg2
// FSDP-NOT: shardir.optimization_barrier %[[FIRST]] {
// FSDP:     collective.all_gather %arg3 {{.*}}region 2
// FSDP:     %[[LATER:.+]] = collective.all_gather %arg2 {{.*}}region 2
// FSDP:     %[[SHARD:.+]] = shardir.optimization_barrier %arg1 {
// FSDP:     collective.all_gather %[[SHARD]]
// FSDP:     linalg.matmul {{.*}}ins(%{{.+}}, %[[LATER]] :
// FSDP-NOT: shardir.optimization_barrier %[[FIRST]] {
// ERROR: error: {{.*}}above the memory limit of 12000
shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @main(%v0: tensor<131x7xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}, %v1: tensor<7x15xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, %v2: tensor<15x7xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %v3: tensor<7x15xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, %v4: tensor<15x7xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, %v5: tensor<131x7xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) -> (tensor<7x15xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, tensor<15x7xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}, tensor<7x15xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, tensor<15x7xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<131x15xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v6 = linalg.matmul ins(%v0, %v1 : tensor<131x7xf32>, tensor<7x15xf32>) outs(%s2 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v7 = linalg.tanh ins(%v6 : tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v8 = linalg.tanh ins(%v7 : tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v9 = linalg.mul ins(%v7, %v8 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %s3 = tensor.empty() : tensor<131x7xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v10 = linalg.matmul ins(%v9, %v2 : tensor<131x15xf32>, tensor<15x7xf32>) outs(%s4 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v11 = linalg.tanh ins(%v10 : tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v12 = linalg.tanh ins(%v11 : tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v13 = linalg.mul ins(%v11, %v12 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v14 = linalg.matmul ins(%v13, %v3 : tensor<131x7xf32>, tensor<7x15xf32>) outs(%s2 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v15 = linalg.tanh ins(%v14 : tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v16 = linalg.tanh ins(%v15 : tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v17 = linalg.mul ins(%v15, %v16 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v18 = linalg.matmul ins(%v17, %v4 : tensor<131x15xf32>, tensor<15x7xf32>) outs(%s4 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v19 = linalg.tanh ins(%v18 : tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v20 = linalg.tanh ins(%v19 : tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v21 = linalg.mul ins(%v19, %v20 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v22 = linalg.mul ins(%v5, %v20 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v23 = linalg.mul ins(%v5, %v19 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v24 = linalg.mul ins(%v20, %v20 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v25 = linalg.mul ins(%v23, %v24 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v26 = linalg.sub ins(%v23, %v25 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v27 = linalg.add ins(%v22, %v26 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v28 = linalg.mul ins(%v19, %v19 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v29 = linalg.mul ins(%v27, %v28 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v30 = linalg.sub ins(%v27, %v29 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v30, %v4 : tensor<131x7xf32>, tensor<15x7xf32>) outs(%s2 : tensor<131x15xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<131x15xf32>
  %s5 = tensor.empty() : tensor<7x15xf32>
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<7x15xf32>) -> tensor<7x15xf32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v30, %v17 : tensor<131x7xf32>, tensor<131x15xf32>) outs(%s6 : tensor<7x15xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<7x15xf32>
  %s7 = tensor.empty() : tensor<15x7xf32>
  %v33 = linalg.transpose ins(%v32 : tensor<7x15xf32>) outs(%s7 : tensor<15x7xf32>) permutation = [1, 0]
  %v34 = linalg.mul ins(%v31, %v16 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v35 = linalg.mul ins(%v31, %v15 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v36 = linalg.mul ins(%v16, %v16 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v37 = linalg.mul ins(%v35, %v36 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v38 = linalg.sub ins(%v35, %v37 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v39 = linalg.add ins(%v34, %v38 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v40 = linalg.mul ins(%v15, %v15 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v41 = linalg.mul ins(%v39, %v40 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v42 = linalg.sub ins(%v39, %v41 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v43 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v42, %v3 : tensor<131x15xf32>, tensor<7x15xf32>) outs(%s4 : tensor<131x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<131x7xf32>
  %s8 = linalg.fill ins(%s0 : f32) outs(%s7 : tensor<15x7xf32>) -> tensor<15x7xf32>
  %v44 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v42, %v13 : tensor<131x15xf32>, tensor<131x7xf32>) outs(%s8 : tensor<15x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<15x7xf32>
  %v45 = linalg.transpose ins(%v44 : tensor<15x7xf32>) outs(%s5 : tensor<7x15xf32>) permutation = [1, 0]
  %v46 = linalg.mul ins(%v43, %v12 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v47 = linalg.mul ins(%v43, %v11 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v48 = linalg.mul ins(%v12, %v12 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v49 = linalg.mul ins(%v47, %v48 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v50 = linalg.sub ins(%v47, %v49 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v51 = linalg.add ins(%v46, %v50 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v52 = linalg.mul ins(%v11, %v11 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v53 = linalg.mul ins(%v51, %v52 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v54 = linalg.sub ins(%v51, %v53 : tensor<131x7xf32>, tensor<131x7xf32>) outs(%s3 : tensor<131x7xf32>) -> tensor<131x7xf32>
  %v55 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v54, %v2 : tensor<131x7xf32>, tensor<15x7xf32>) outs(%s2 : tensor<131x15xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<131x15xf32>
  %v56 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v54, %v9 : tensor<131x7xf32>, tensor<131x15xf32>) outs(%s6 : tensor<7x15xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<7x15xf32>
  %v57 = linalg.transpose ins(%v56 : tensor<7x15xf32>) outs(%s7 : tensor<15x7xf32>) permutation = [1, 0]
  %v58 = linalg.mul ins(%v55, %v8 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v59 = linalg.mul ins(%v55, %v7 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v60 = linalg.mul ins(%v8, %v8 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v61 = linalg.mul ins(%v59, %v60 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v62 = linalg.sub ins(%v59, %v61 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v63 = linalg.add ins(%v58, %v62 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v64 = linalg.mul ins(%v7, %v7 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v65 = linalg.mul ins(%v63, %v64 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v66 = linalg.sub ins(%v63, %v65 : tensor<131x15xf32>, tensor<131x15xf32>) outs(%s1 : tensor<131x15xf32>) -> tensor<131x15xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v66, %v1 : tensor<131x15xf32>, tensor<7x15xf32>) outs(%s4 : tensor<131x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<131x7xf32>
  %v68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v66, %v0 : tensor<131x15xf32>, tensor<131x7xf32>) outs(%s8 : tensor<15x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<15x7xf32>
  %v69 = linalg.transpose ins(%v68 : tensor<15x7xf32>) outs(%s5 : tensor<7x15xf32>) permutation = [1, 0]
  return %v69, %v57, %v45, %v33 : tensor<7x15xf32>, tensor<15x7xf32>, tensor<7x15xf32>, tensor<15x7xf32>
}
