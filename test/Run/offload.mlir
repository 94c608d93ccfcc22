// A training step whose activations exceed memory-limit has some of them on the
// host meanwhile, where the machine describes a link to it: the peak that is counted
// in the buffers, and measured, falls below the limit, and results are those of the
// unsharded program. Dims do not divide.
// RUN: mkdir -p %t
// RUN: echo '{"flops": {"f32": 1e8}, "memory_bandwidth": 1e10, "host": {"bandwidth": 1e12, "latency": 1e-9}}' > %t/host.json
// RUN: shard-run %s --options="memory-limit=26K machine=%t/host.json" --verify --report=%t/r.json 2>%t/err | FileCheck %s --check-prefix=EQUAL
// RUN: FileCheck %s --check-prefix=SAYS < %t/err
// RUN: %python %shardir_src/utils/print-report.py %t/r.json | FileCheck %s --check-prefix=HOST
// Beside work, too.
// RUN: shard-run %s --options="memory-limit=26K machine=%t/host.json overlap=true" --verify 2>/dev/null | FileCheck %s --check-prefix=EQUAL
// RUN: shard-opt %s --shardir-to-cpu="memory-limit=26K machine=%t/host.json overlap=true" -o - 2>/dev/null | FileCheck %s --check-prefix=STARTS
// Some values are dropped, others copied, where that is the better bargain for each.
// RUN: echo '{"flops": {"f32": 1e8}, "memory_bandwidth": 1e10, "host": {"bandwidth": 1e9, "latency": 1e-6}}' > %t/both.json
// RUN: shard-run %s --options="memory-limit=26K machine=%t/both.json" --verify 2>/dev/null | FileCheck %s --check-prefix=EQUAL

// EQUAL-COUNT-4: equal to the unsharded program
// SAYS: remark: @main keeps {{[0-9]+}} values on the host
// HOST: peak bytes per device: [[#PEAK:]]
// HOST: values are on the host meanwhile to fit memory-limit
// HOST: bytes on the host per device: {{[1-9][0-9]*}}
// HOST: measured: 6440 bytes received, [[#PEAK]] bytes at the peak
// STARTS: call @shardir_host_copy_start
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
