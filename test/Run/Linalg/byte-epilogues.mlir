// Products of bytes with what follows them in the same loops: scales, bias, residual and activation, a result of bytes,
// several blocks of k, rows of two dims and a batch. They are compared with a loop that subtracts negated products, for
// which no schedule has instructions. Ranks have uneven and empty shards.
// REQUIRES: avx512-bf16
// RUN: shard-run %s --function=plain --mesh=x=1,y=1 --options=target=avx2 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy
// DEFINE: %{expected} = --function=main --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=x86-64 %{expected}
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx2 %{expected}
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512-vnni %{expected}
// RUN: shard-run %s --mesh=x=2,y=2 --options=target=avx512-vnni %{expected}
// RUN: shard-run %s --mesh=x=5,y=1 --options=target=avx512-vnni %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=1,y=1 --options=target=avx512-amx %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=2,y=2 --options=target=avx512-amx %{expected}
shardir.mesh @m <["x"=?2, "y"=?2]>

func.func @main(%a0: tensor<37x75xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b0: tensor<75x90xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, %q0_0: tensor<90xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>}, %q0_1: tensor<90xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>},
    %a1: tensor<2x9x600xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %b1: tensor<600x130xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, %q1_0: tensor<2x9xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %q1_1: tensor<2x9x130xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>},
    %a2: tensor<65x2100xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b2: tensor<2100x97xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, %q2_0: tensor<97xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>},
    %a3: tensor<3x20x70xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %b3: tensor<3x70x33xi8> {shardir.placement = #shardir.placement<@m, [{}, {}, {"y"}]>}, %q3_0: tensor<3x33xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>})
    -> (tensor<37x90xf32>, tensor<2x9x130xf32>, tensor<65x97xi8>, tensor<3x20x33xbf16>) {
  %zero = arith.constant 0 : i32
  %fzero = arith.constant 0.0 : f32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %fa0 = arith.constant dense<36> : tensor<37x75xi8>
  %ma0 = arith.muli %a0, %fa0 : tensor<37x75xi8>
  %ha0 = arith.constant dense<-128> : tensor<37x75xi8>
  %xa0 = arith.addi %ma0, %ha0 : tensor<37x75xi8>
  %fb0 = arith.constant dense<36> : tensor<75x90xi8>
  %mb0 = arith.muli %b0, %fb0 : tensor<75x90xi8>
  %hb0 = arith.constant dense<-128> : tensor<75x90xi8>
  %xb0 = arith.addi %mb0, %hb0 : tensor<75x90xi8>
  %e0 = tensor.empty() : tensor<37x90xi32>
  %z0 = linalg.fill ins(%zero : i32) outs(%e0 : tensor<37x90xi32>) -> tensor<37x90xi32>
  %c0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xa0, %xb0 : tensor<37x75xi8>, tensor<75x90xi8>) outs(%z0 : tensor<37x90xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %p = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<37x90xi32>
  %d0 = tensor.empty() : tensor<37x90xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c0, %q0_0, %q0_1 : tensor<37x90xi32>, tensor<90xf32>, tensor<90xf32>) outs(%d0 : tensor<37x90xf32>) {
  ^bb0(%c: i32, %p0: f32, %p1: f32, %o: f32):
    %f = arith.sitofp %c : i32 to f32
    %g = arith.mulf %f, %p0 : f32
    %h = arith.addf %g, %p1 : f32
    %r = arith.maximumf %h, %fzero : f32
    linalg.yield %r : f32
  } -> tensor<37x90xf32>
  %fa1 = arith.constant dense<36> : tensor<2x9x600xi8>
  %ma1 = arith.muli %a1, %fa1 : tensor<2x9x600xi8>
  %ha1 = arith.constant dense<-128> : tensor<2x9x600xi8>
  %xa1 = arith.addi %ma1, %ha1 : tensor<2x9x600xi8>
  %fb1 = arith.constant dense<36> : tensor<600x130xi8>
  %mb1 = arith.muli %b1, %fb1 : tensor<600x130xi8>
  %hb1 = arith.constant dense<-128> : tensor<600x130xi8>
  %xb1 = arith.addi %mb1, %hb1 : tensor<600x130xi8>
  %e1 = tensor.empty() : tensor<2x9x130xi32>
  %z1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<2x9x130xi32>) -> tensor<2x9x130xi32>
  %c1 = linalg.generic {indexing_maps = [affine_map<(s, i, j, k) -> (s, i, k)>, affine_map<(s, i, j, k) -> (k, j)>, affine_map<(s, i, j, k) -> (s, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%xa1, %xb1 : tensor<2x9x600xi8>, tensor<600x130xi8>) outs(%z1 : tensor<2x9x130xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %p = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<2x9x130xi32>
  %d1 = tensor.empty() : tensor<2x9x130xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (s, i)>, affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (s, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c1, %q1_0, %q1_1 : tensor<2x9x130xi32>, tensor<2x9xf32>, tensor<2x9x130xf32>) outs(%d1 : tensor<2x9x130xf32>) {
  ^bb0(%c: i32, %p0: f32, %p1: f32, %o: f32):
    %f = arith.sitofp %c : i32 to f32
    %g = arith.mulf %f, %p0 : f32
    %r = arith.addf %g, %p1 : f32
    linalg.yield %r : f32
  } -> tensor<2x9x130xf32>
  %fa2 = arith.constant dense<36> : tensor<65x2100xi8>
  %ma2 = arith.muli %a2, %fa2 : tensor<65x2100xi8>
  %ha2 = arith.constant dense<-128> : tensor<65x2100xi8>
  %xa2 = arith.addi %ma2, %ha2 : tensor<65x2100xi8>
  %fb2 = arith.constant dense<36> : tensor<2100x97xi8>
  %mb2 = arith.muli %b2, %fb2 : tensor<2100x97xi8>
  %hb2 = arith.constant dense<-128> : tensor<2100x97xi8>
  %xb2 = arith.addi %mb2, %hb2 : tensor<2100x97xi8>
  %e2 = tensor.empty() : tensor<65x97xi32>
  %z2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<65x97xi32>) -> tensor<65x97xi32>
  %c2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xa2, %xb2 : tensor<65x2100xi8>, tensor<2100x97xi8>) outs(%z2 : tensor<65x97xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %p = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<65x97xi32>
  %d2 = tensor.empty() : tensor<65x97xi8>
  %r2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c2, %q2_0 : tensor<65x97xi32>, tensor<97xf32>) outs(%d2 : tensor<65x97xi8>) {
  ^bb0(%c: i32, %p0: f32, %o: i8):
    %f = arith.sitofp %c : i32 to f32
    %g = arith.mulf %f, %p0 : f32
    %lo = arith.maximumf %g, %least : f32
    %hi = arith.minimumf %lo, %most : f32
    %r = arith.fptosi %hi : f32 to i8
    linalg.yield %r : i8
  } -> tensor<65x97xi8>
  %fa3 = arith.constant dense<36> : tensor<3x20x70xi8>
  %ma3 = arith.muli %a3, %fa3 : tensor<3x20x70xi8>
  %ha3 = arith.constant dense<-128> : tensor<3x20x70xi8>
  %xa3 = arith.addi %ma3, %ha3 : tensor<3x20x70xi8>
  %fb3 = arith.constant dense<36> : tensor<3x70x33xi8>
  %mb3 = arith.muli %b3, %fb3 : tensor<3x70x33xi8>
  %hb3 = arith.constant dense<-128> : tensor<3x70x33xi8>
  %xb3 = arith.addi %mb3, %hb3 : tensor<3x70x33xi8>
  %e3 = tensor.empty() : tensor<3x20x33xi32>
  %z3 = linalg.fill ins(%zero : i32) outs(%e3 : tensor<3x20x33xi32>) -> tensor<3x20x33xi32>
  %c3 = linalg.generic {indexing_maps = [affine_map<(s, i, j, k) -> (s, i, k)>, affine_map<(s, i, j, k) -> (s, k, j)>, affine_map<(s, i, j, k) -> (s, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%xa3, %xb3 : tensor<3x20x70xi8>, tensor<3x70x33xi8>) outs(%z3 : tensor<3x20x33xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %p = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x20x33xi32>
  %d3 = tensor.empty() : tensor<3x20x33xbf16>
  %r3 = linalg.generic {indexing_maps = [affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (s, j)>, affine_map<(s, i, j) -> (s, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c3, %q3_0 : tensor<3x20x33xi32>, tensor<3x33xf32>) outs(%d3 : tensor<3x20x33xbf16>) {
  ^bb0(%c: i32, %p0: f32, %o: bf16):
    %f = arith.sitofp %c : i32 to f32
    %g = arith.mulf %f, %p0 : f32
    %r = arith.truncf %g : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<3x20x33xbf16>
  return %r0, %r1, %r2, %r3 : tensor<37x90xf32>, tensor<2x9x130xf32>, tensor<65x97xi8>, tensor<3x20x33xbf16>
}
func.func @plain(%a0: tensor<37x75xi8>, %b0: tensor<75x90xi8>, %q0_0: tensor<90xf32>, %q0_1: tensor<90xf32>,
    %a1: tensor<2x9x600xi8>, %b1: tensor<600x130xi8>, %q1_0: tensor<2x9xf32>, %q1_1: tensor<2x9x130xf32>,
    %a2: tensor<65x2100xi8>, %b2: tensor<2100x97xi8>, %q2_0: tensor<97xf32>,
    %a3: tensor<3x20x70xi8>, %b3: tensor<3x70x33xi8>, %q3_0: tensor<3x33xf32>)
    -> (tensor<37x90xf32>, tensor<2x9x130xf32>, tensor<65x97xi8>, tensor<3x20x33xbf16>) {
  %zero = arith.constant 0 : i32
  %fzero = arith.constant 0.0 : f32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %fa0 = arith.constant dense<36> : tensor<37x75xi8>
  %ma0 = arith.muli %a0, %fa0 : tensor<37x75xi8>
  %ha0 = arith.constant dense<-128> : tensor<37x75xi8>
  %xa0 = arith.addi %ma0, %ha0 : tensor<37x75xi8>
  %fb0 = arith.constant dense<36> : tensor<75x90xi8>
  %mb0 = arith.muli %b0, %fb0 : tensor<75x90xi8>
  %hb0 = arith.constant dense<-128> : tensor<75x90xi8>
  %xb0 = arith.addi %mb0, %hb0 : tensor<75x90xi8>
  %e0 = tensor.empty() : tensor<37x90xi32>
  %z0 = linalg.fill ins(%zero : i32) outs(%e0 : tensor<37x90xi32>) -> tensor<37x90xi32>
  %c0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xa0, %xb0 : tensor<37x75xi8>, tensor<75x90xi8>) outs(%z0 : tensor<37x90xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<37x90xi32>
  %d0 = tensor.empty() : tensor<37x90xf32>
  %r0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c0, %q0_0, %q0_1 : tensor<37x90xi32>, tensor<90xf32>, tensor<90xf32>) outs(%d0 : tensor<37x90xf32>) {
  ^bb0(%c: i32, %p0: f32, %p1: f32, %o: f32):
    %f = arith.sitofp %c : i32 to f32
    %g = arith.mulf %f, %p0 : f32
    %h = arith.addf %g, %p1 : f32
    %r = arith.maximumf %h, %fzero : f32
    linalg.yield %r : f32
  } -> tensor<37x90xf32>
  %fa1 = arith.constant dense<36> : tensor<2x9x600xi8>
  %ma1 = arith.muli %a1, %fa1 : tensor<2x9x600xi8>
  %ha1 = arith.constant dense<-128> : tensor<2x9x600xi8>
  %xa1 = arith.addi %ma1, %ha1 : tensor<2x9x600xi8>
  %fb1 = arith.constant dense<36> : tensor<600x130xi8>
  %mb1 = arith.muli %b1, %fb1 : tensor<600x130xi8>
  %hb1 = arith.constant dense<-128> : tensor<600x130xi8>
  %xb1 = arith.addi %mb1, %hb1 : tensor<600x130xi8>
  %e1 = tensor.empty() : tensor<2x9x130xi32>
  %z1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<2x9x130xi32>) -> tensor<2x9x130xi32>
  %c1 = linalg.generic {indexing_maps = [affine_map<(s, i, j, k) -> (s, i, k)>, affine_map<(s, i, j, k) -> (k, j)>, affine_map<(s, i, j, k) -> (s, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%xa1, %xb1 : tensor<2x9x600xi8>, tensor<600x130xi8>) outs(%z1 : tensor<2x9x130xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<2x9x130xi32>
  %d1 = tensor.empty() : tensor<2x9x130xf32>
  %r1 = linalg.generic {indexing_maps = [affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (s, i)>, affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (s, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c1, %q1_0, %q1_1 : tensor<2x9x130xi32>, tensor<2x9xf32>, tensor<2x9x130xf32>) outs(%d1 : tensor<2x9x130xf32>) {
  ^bb0(%c: i32, %p0: f32, %p1: f32, %o: f32):
    %f = arith.sitofp %c : i32 to f32
    %g = arith.mulf %f, %p0 : f32
    %r = arith.addf %g, %p1 : f32
    linalg.yield %r : f32
  } -> tensor<2x9x130xf32>
  %fa2 = arith.constant dense<36> : tensor<65x2100xi8>
  %ma2 = arith.muli %a2, %fa2 : tensor<65x2100xi8>
  %ha2 = arith.constant dense<-128> : tensor<65x2100xi8>
  %xa2 = arith.addi %ma2, %ha2 : tensor<65x2100xi8>
  %fb2 = arith.constant dense<36> : tensor<2100x97xi8>
  %mb2 = arith.muli %b2, %fb2 : tensor<2100x97xi8>
  %hb2 = arith.constant dense<-128> : tensor<2100x97xi8>
  %xb2 = arith.addi %mb2, %hb2 : tensor<2100x97xi8>
  %e2 = tensor.empty() : tensor<65x97xi32>
  %z2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<65x97xi32>) -> tensor<65x97xi32>
  %c2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xa2, %xb2 : tensor<65x2100xi8>, tensor<2100x97xi8>) outs(%z2 : tensor<65x97xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<65x97xi32>
  %d2 = tensor.empty() : tensor<65x97xi8>
  %r2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c2, %q2_0 : tensor<65x97xi32>, tensor<97xf32>) outs(%d2 : tensor<65x97xi8>) {
  ^bb0(%c: i32, %p0: f32, %o: i8):
    %f = arith.sitofp %c : i32 to f32
    %g = arith.mulf %f, %p0 : f32
    %lo = arith.maximumf %g, %least : f32
    %hi = arith.minimumf %lo, %most : f32
    %r = arith.fptosi %hi : f32 to i8
    linalg.yield %r : i8
  } -> tensor<65x97xi8>
  %fa3 = arith.constant dense<36> : tensor<3x20x70xi8>
  %ma3 = arith.muli %a3, %fa3 : tensor<3x20x70xi8>
  %ha3 = arith.constant dense<-128> : tensor<3x20x70xi8>
  %xa3 = arith.addi %ma3, %ha3 : tensor<3x20x70xi8>
  %fb3 = arith.constant dense<36> : tensor<3x70x33xi8>
  %mb3 = arith.muli %b3, %fb3 : tensor<3x70x33xi8>
  %hb3 = arith.constant dense<-128> : tensor<3x70x33xi8>
  %xb3 = arith.addi %mb3, %hb3 : tensor<3x70x33xi8>
  %e3 = tensor.empty() : tensor<3x20x33xi32>
  %z3 = linalg.fill ins(%zero : i32) outs(%e3 : tensor<3x20x33xi32>) -> tensor<3x20x33xi32>
  %c3 = linalg.generic {indexing_maps = [affine_map<(s, i, j, k) -> (s, i, k)>, affine_map<(s, i, j, k) -> (s, k, j)>, affine_map<(s, i, j, k) -> (s, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%xa3, %xb3 : tensor<3x20x70xi8>, tensor<3x70x33xi8>) outs(%z3 : tensor<3x20x33xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x20x33xi32>
  %d3 = tensor.empty() : tensor<3x20x33xbf16>
  %r3 = linalg.generic {indexing_maps = [affine_map<(s, i, j) -> (s, i, j)>, affine_map<(s, i, j) -> (s, j)>, affine_map<(s, i, j) -> (s, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c3, %q3_0 : tensor<3x20x33xi32>, tensor<3x33xf32>) outs(%d3 : tensor<3x20x33xbf16>) {
  ^bb0(%c: i32, %p0: f32, %o: bf16):
    %f = arith.sitofp %c : i32 to f32
    %g = arith.mulf %f, %p0 : f32
    %r = arith.truncf %g : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<3x20x33xbf16>
  return %r0, %r1, %r2, %r3 : tensor<37x90xf32>, tensor<2x9x130xf32>, tensor<65x97xi8>, tensor<3x20x33xbf16>
}
