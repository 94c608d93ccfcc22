// Products of bf16 with sums in f32, of uneven sizes and transposed operands, are
// those of code that has no instruction for them: elements are small integers, so
// that every sum is exact. Ranks have uneven and empty shards. Where the
// processor has no AMX, testing/EmulatedAmx executes its instructions.
// REQUIRES: avx512-bf16
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy --output=@%t.4.npy --output=@%t.5.npy --output=@%t.6.npy --output=@%t.7.npy --output=@%t.8.npy --output=@%t.9.npy --output=@%t.10.npy
// DEFINE: %{expected} = --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy --expected_output=@%t.4.npy --expected_output=@%t.5.npy --expected_output=@%t.6.npy --expected_output=@%t.7.npy --expected_output=@%t.8.npy --expected_output=@%t.9.npy --expected_output=@%t.10.npy --tolerance=0
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512-bf16 %{expected}
// RUN: shard-run %s --mesh=x=2,y=2 --options=target=avx512-bf16 %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=1,y=1 --options=target=avx512-amx %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=2,y=1 --options=target=avx512-amx %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=2,y=2 --options=target=avx512-amx %{expected}
shardir.mesh @m <["x"=?2, "y"=?2]>

func.func @main(%a0: tensor<100x75xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b0: tensor<75x90xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a1: tensor<101x70xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %b1: tensor<101x50xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a2: tensor<65x67xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b2: tensor<97x67xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>},
                %a3: tensor<1093x49xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b3: tensor<33x1093xi8> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                %a4: tensor<200x64xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b4: tensor<64x20xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a5: tensor<130x66xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b5: tensor<66x16xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a6: tensor<130x67xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b6: tensor<67x9xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a7: tensor<3x26x40xi8> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}, %b7: tensor<3x48x40xi8> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>},
                %a8: tensor<3x41x26xi8> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}, %b8: tensor<3x41x48xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {}]>})
    -> (tensor<100x90xf32>, tensor<70x50xf32>, tensor<65x97xf32>, tensor<49x33xf32>, tensor<200x20xbf16>, tensor<130x16xf32>, tensor<130x9xf32>, tensor<3x26x48xbf16>, tensor<3x26x48xf32>, tensor<100x90xf32>, tensor<100x90xbf16>) {
  %zero = arith.constant 0.0 : f32
  %zerob = arith.constant 0.0 : bf16
  %three = arith.constant 3.0 : bf16
  // 100x75 by 75x90.
  %ae0 = tensor.empty() : tensor<100x75xbf16>
  %af0 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%a0 : tensor<100x75xi8>) outs(%ae0 : tensor<100x75xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<100x75xbf16>
  %be0 = tensor.empty() : tensor<75x90xbf16>
  %bf0 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%b0 : tensor<75x90xi8>) outs(%be0 : tensor<75x90xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<75x90xbf16>
  %e0 = tensor.empty() : tensor<100x90xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<100x90xf32>) -> tensor<100x90xf32>
  %c0 = linalg.generic {indexing_maps = [affine_map<(d1, d2, d3) -> (d1, d3)>, affine_map<(d1, d2, d3) -> (d3, d2)>, affine_map<(d1, d2, d3) -> (d1, d2)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%af0, %bf0 : tensor<100x75xbf16>, tensor<75x90xbf16>) outs(%z0 : tensor<100x90xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<100x90xf32>
  // 70x101 by 101x50.
  %ae1 = tensor.empty() : tensor<101x70xbf16>
  %af1 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%a1 : tensor<101x70xi8>) outs(%ae1 : tensor<101x70xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<101x70xbf16>
  %be1 = tensor.empty() : tensor<101x50xbf16>
  %bf1 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%b1 : tensor<101x50xi8>) outs(%be1 : tensor<101x50xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<101x50xbf16>
  %e1 = tensor.empty() : tensor<70x50xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<70x50xf32>) -> tensor<70x50xf32>
  %c1 = linalg.generic {indexing_maps = [affine_map<(d1, d2, d3) -> (d3, d1)>, affine_map<(d1, d2, d3) -> (d3, d2)>, affine_map<(d1, d2, d3) -> (d1, d2)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%af1, %bf1 : tensor<101x70xbf16>, tensor<101x50xbf16>) outs(%z1 : tensor<70x50xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<70x50xf32>
  // 65x67 by 67x97.
  %ae2 = tensor.empty() : tensor<65x67xbf16>
  %af2 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%a2 : tensor<65x67xi8>) outs(%ae2 : tensor<65x67xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<65x67xbf16>
  %be2 = tensor.empty() : tensor<97x67xbf16>
  %bf2 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%b2 : tensor<97x67xi8>) outs(%be2 : tensor<97x67xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<97x67xbf16>
  %e2 = tensor.empty() : tensor<65x97xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<65x97xf32>) -> tensor<65x97xf32>
  %c2 = linalg.generic {indexing_maps = [affine_map<(d1, d2, d3) -> (d1, d3)>, affine_map<(d1, d2, d3) -> (d2, d3)>, affine_map<(d1, d2, d3) -> (d1, d2)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%af2, %bf2 : tensor<65x67xbf16>, tensor<97x67xbf16>) outs(%z2 : tensor<65x97xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<65x97xf32>
  // 49x1093 by 1093x33.
  %ae3 = tensor.empty() : tensor<1093x49xbf16>
  %af3 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%a3 : tensor<1093x49xi8>) outs(%ae3 : tensor<1093x49xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<1093x49xbf16>
  %be3 = tensor.empty() : tensor<33x1093xbf16>
  %bf3 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%b3 : tensor<33x1093xi8>) outs(%be3 : tensor<33x1093xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<33x1093xbf16>
  %e3 = tensor.empty() : tensor<49x33xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<49x33xf32>) -> tensor<49x33xf32>
  %c3 = linalg.generic {indexing_maps = [affine_map<(d1, d2, d3) -> (d3, d1)>, affine_map<(d1, d2, d3) -> (d2, d3)>, affine_map<(d1, d2, d3) -> (d1, d2)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%af3, %bf3 : tensor<1093x49xbf16>, tensor<33x1093xbf16>) outs(%z3 : tensor<49x33xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<49x33xf32>
  // 200x64 by 64x20.
  %ae4 = tensor.empty() : tensor<200x64xbf16>
  %af4 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%a4 : tensor<200x64xi8>) outs(%ae4 : tensor<200x64xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<200x64xbf16>
  %be4 = tensor.empty() : tensor<64x20xbf16>
  %bf4 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%b4 : tensor<64x20xi8>) outs(%be4 : tensor<64x20xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<64x20xbf16>
  %e4 = tensor.empty() : tensor<200x20xf32>
  %z4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<200x20xf32>) -> tensor<200x20xf32>
  %c4 = linalg.generic {indexing_maps = [affine_map<(d1, d2, d3) -> (d1, d3)>, affine_map<(d1, d2, d3) -> (d3, d2)>, affine_map<(d1, d2, d3) -> (d1, d2)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%af4, %bf4 : tensor<200x64xbf16>, tensor<64x20xbf16>) outs(%z4 : tensor<200x20xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<200x20xf32>
  %r4 = arith.truncf %c4 : tensor<200x20xf32> to tensor<200x20xbf16>
  // 130x66 by 66x16.
  %ae5 = tensor.empty() : tensor<130x66xbf16>
  %af5 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%a5 : tensor<130x66xi8>) outs(%ae5 : tensor<130x66xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<130x66xbf16>
  %be5 = tensor.empty() : tensor<66x16xbf16>
  %bf5 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%b5 : tensor<66x16xi8>) outs(%be5 : tensor<66x16xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<66x16xbf16>
  %e5 = tensor.empty() : tensor<130x16xf32>
  %z5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<130x16xf32>) -> tensor<130x16xf32>
  %c5 = linalg.generic {indexing_maps = [affine_map<(d1, d2, d3) -> (d1, d3)>, affine_map<(d1, d2, d3) -> (d3, d2)>, affine_map<(d1, d2, d3) -> (d1, d2)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%af5, %bf5 : tensor<130x66xbf16>, tensor<66x16xbf16>) outs(%z5 : tensor<130x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<130x16xf32>
  // 130x67 by 67x9.
  %ae6 = tensor.empty() : tensor<130x67xbf16>
  %af6 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%a6 : tensor<130x67xi8>) outs(%ae6 : tensor<130x67xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<130x67xbf16>
  %be6 = tensor.empty() : tensor<67x9xbf16>
  %bf6 = linalg.generic {indexing_maps = [affine_map<(e0, e1) -> (e0, e1)>, affine_map<(e0, e1) -> (e0, e1)>], iterator_types = ["parallel", "parallel"]} ins(%b6 : tensor<67x9xi8>) outs(%be6 : tensor<67x9xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<67x9xbf16>
  %e6 = tensor.empty() : tensor<130x9xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<130x9xf32>) -> tensor<130x9xf32>
  %c6 = linalg.generic {indexing_maps = [affine_map<(d1, d2, d3) -> (d1, d3)>, affine_map<(d1, d2, d3) -> (d3, d2)>, affine_map<(d1, d2, d3) -> (d1, d2)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%af6, %bf6 : tensor<130x67xbf16>, tensor<67x9xbf16>) outs(%z6 : tensor<130x9xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<130x9xf32>
  // 26x40 by 40x48, 3 of them.
  %ae7 = tensor.empty() : tensor<3x26x40xbf16>
  %af7 = linalg.generic {indexing_maps = [affine_map<(e0, e1, e2) -> (e0, e1, e2)>, affine_map<(e0, e1, e2) -> (e0, e1, e2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a7 : tensor<3x26x40xi8>) outs(%ae7 : tensor<3x26x40xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<3x26x40xbf16>
  %be7 = tensor.empty() : tensor<3x48x40xbf16>
  %bf7 = linalg.generic {indexing_maps = [affine_map<(e0, e1, e2) -> (e0, e1, e2)>, affine_map<(e0, e1, e2) -> (e0, e1, e2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%b7 : tensor<3x48x40xi8>) outs(%be7 : tensor<3x48x40xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<3x48x40xbf16>
  %e7 = tensor.empty() : tensor<3x26x48xf32>
  %z7 = linalg.fill ins(%zero : f32) outs(%e7 : tensor<3x26x48xf32>) -> tensor<3x26x48xf32>
  %c7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%af7, %bf7 : tensor<3x26x40xbf16>, tensor<3x48x40xbf16>) outs(%z7 : tensor<3x26x48xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x26x48xf32>
  %r7 = arith.truncf %c7 : tensor<3x26x48xf32> to tensor<3x26x48xbf16>
  // 26x41 by 41x48, 3 of them.
  %ae8 = tensor.empty() : tensor<3x41x26xbf16>
  %af8 = linalg.generic {indexing_maps = [affine_map<(e0, e1, e2) -> (e0, e1, e2)>, affine_map<(e0, e1, e2) -> (e0, e1, e2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a8 : tensor<3x41x26xi8>) outs(%ae8 : tensor<3x41x26xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<3x41x26xbf16>
  %be8 = tensor.empty() : tensor<3x41x48xbf16>
  %bf8 = linalg.generic {indexing_maps = [affine_map<(e0, e1, e2) -> (e0, e1, e2)>, affine_map<(e0, e1, e2) -> (e0, e1, e2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%b8 : tensor<3x41x48xi8>) outs(%be8 : tensor<3x41x48xbf16>) {
  ^bb0(%x: i8, %o: bf16):
    %f = arith.sitofp %x : i8 to bf16
    %g = arith.subf %f, %three : bf16
    linalg.yield %g : bf16
  } -> tensor<3x41x48xbf16>
  %e8 = tensor.empty() : tensor<3x26x48xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<3x26x48xf32>) -> tensor<3x26x48xf32>
  %c8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%af8, %bf8 : tensor<3x41x26xbf16>, tensor<3x41x48xbf16>) outs(%z8 : tensor<3x26x48xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x26x48xf32>
  // A sum that starts at another one, and one that is rounded at its end.
  %more = linalg.matmul ins(%af0, %bf0 : tensor<100x75xbf16>, tensor<75x90xbf16>) outs(%c0 : tensor<100x90xf32>) -> tensor<100x90xf32>
  %empty = tensor.empty() : tensor<100x90xbf16>
  %zb = linalg.fill ins(%zerob : bf16) outs(%empty : tensor<100x90xbf16>) -> tensor<100x90xbf16>
  %rounded = linalg.matmul ins(%af0, %bf0 : tensor<100x75xbf16>, tensor<75x90xbf16>) outs(%zb : tensor<100x90xbf16>) -> tensor<100x90xbf16>
  return %c0, %c1, %c2, %c3, %r4, %c5, %c6, %r7, %c8, %more, %rounded : tensor<100x90xf32>, tensor<70x50xf32>, tensor<65x97xf32>, tensor<49x33xf32>, tensor<200x20xbf16>, tensor<130x16xf32>, tensor<130x9xf32>, tensor<3x26x48xbf16>, tensor<3x26x48xf32>, tensor<100x90xf32>, tensor<100x90xbf16>
}
