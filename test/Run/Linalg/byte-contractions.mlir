// Products of bytes with sums in i32, of uneven sizes and transposed operands, are
// those of a loop that subtracts negated products, for which no schedule has
// instructions. The first seven have enough rows to be packed; three are of
// unsigned bytes. Elements are -128 to 124, or 0 to 252. Ranks have uneven and empty
// shards. Where the processor has no AMX, testing/EmulatedAmx executes its
// instructions.
// REQUIRES: avx512-bf16
// RUN: shard-run %s --function=plain --mesh=x=1,y=1 --options=target=avx2 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy --output=@%t.4.npy --output=@%t.5.npy --output=@%t.6.npy --output=@%t.7.npy --output=@%t.8.npy --output=@%t.9.npy
// DEFINE: %{expected} = --function=main --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy --expected_output=@%t.4.npy --expected_output=@%t.5.npy --expected_output=@%t.6.npy --expected_output=@%t.7.npy --expected_output=@%t.8.npy --expected_output=@%t.9.npy --tolerance=0
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=x86-64 %{expected}
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx2 %{expected}
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512 %{expected}
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512-vnni %{expected}
// RUN: shard-run %s --mesh=x=2,y=2 --options=target=avx512-vnni %{expected}
// RUN: shard-run %s --mesh=x=5,y=1 --options=target=avx512-vnni %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=1,y=1 --options=target=avx512-amx %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=2,y=2 --options=target=avx512-amx %{expected}
shardir.mesh @m <["x"=?2, "y"=?2]>

func.func @main(%a0: tensor<100x75xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b0: tensor<75x90xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a1: tensor<101x70xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %b1: tensor<101x50xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a2: tensor<65x67xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b2: tensor<97x67xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>},
                %a3: tensor<2093x49xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %b3: tensor<33x2093xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>},
                %a4: tensor<200x64xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b4: tensor<64x20xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a5: tensor<130x66xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b5: tensor<66x66xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>},
                %a6: tensor<259x61xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %b6: tensor<259x48xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a7: tensor<5x200xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b7: tensor<200x130xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                %a8: tensor<8x260xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b8: tensor<96x260xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>},
                %a9: tensor<130x3xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %b9: tensor<70x130xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>})
    -> (tensor<100x90xi32>, tensor<70x50xi32>, tensor<65x97xi32>, tensor<49x33xi32>, tensor<200x20xi32>, tensor<130x66xi32>, tensor<61x48xi32>, tensor<5x130xi32>, tensor<8x96xi32>, tensor<3x70xi32>) {
  %zero = arith.constant 0 : i32
  %af0 = arith.constant dense<36> : tensor<100x75xi8>
  %am0 = arith.muli %a0, %af0 : tensor<100x75xi8>
  %al0 = arith.constant dense<-128> : tensor<100x75xi8>
  %ax0 = arith.addi %am0, %al0 : tensor<100x75xi8>
  %bf0 = arith.constant dense<36> : tensor<75x90xi8>
  %bm0 = arith.muli %b0, %bf0 : tensor<75x90xi8>
  %bl0 = arith.constant dense<-128> : tensor<75x90xi8>
  %bx0 = arith.addi %bm0, %bl0 : tensor<75x90xi8>
  %e0 = tensor.empty() : tensor<100x90xi32>
  %z0 = linalg.fill ins(%zero : i32) outs(%e0 : tensor<100x90xi32>) -> tensor<100x90xi32>
  %c0 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%ax0, %bx0 : tensor<100x75xi8>, tensor<75x90xi8>) outs(%z0 : tensor<100x90xi32>) -> tensor<100x90xi32>
  %af1 = arith.constant dense<36> : tensor<101x70xi8>
  %am1 = arith.muli %a1, %af1 : tensor<101x70xi8>
  %al1 = arith.constant dense<-128> : tensor<101x70xi8>
  %ax1 = arith.addi %am1, %al1 : tensor<101x70xi8>
  %bf1 = arith.constant dense<36> : tensor<101x50xi8>
  %bm1 = arith.muli %b1, %bf1 : tensor<101x50xi8>
  %bl1 = arith.constant dense<-128> : tensor<101x50xi8>
  %bx1 = arith.addi %bm1, %bl1 : tensor<101x50xi8>
  %e1 = tensor.empty() : tensor<70x50xi32>
  %z1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<70x50xi32>) -> tensor<70x50xi32>
  %c1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%ax1, %bx1 : tensor<101x70xi8>, tensor<101x50xi8>) outs(%z1 : tensor<70x50xi32>) -> tensor<70x50xi32>
  %af2 = arith.constant dense<36> : tensor<65x67xi8>
  %am2 = arith.muli %a2, %af2 : tensor<65x67xi8>
  %al2 = arith.constant dense<-128> : tensor<65x67xi8>
  %ax2 = arith.addi %am2, %al2 : tensor<65x67xi8>
  %bf2 = arith.constant dense<36> : tensor<97x67xi8>
  %bm2 = arith.muli %b2, %bf2 : tensor<97x67xi8>
  %bl2 = arith.constant dense<-128> : tensor<97x67xi8>
  %bx2 = arith.addi %bm2, %bl2 : tensor<97x67xi8>
  %e2 = tensor.empty() : tensor<65x97xi32>
  %z2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<65x97xi32>) -> tensor<65x97xi32>
  %c2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%ax2, %bx2 : tensor<65x67xi8>, tensor<97x67xi8>) outs(%z2 : tensor<65x97xi32>) -> tensor<65x97xi32>
  %af3 = arith.constant dense<36> : tensor<2093x49xi8>
  %am3 = arith.muli %a3, %af3 : tensor<2093x49xi8>
  %al3 = arith.constant dense<-128> : tensor<2093x49xi8>
  %ax3 = arith.addi %am3, %al3 : tensor<2093x49xi8>
  %bf3 = arith.constant dense<36> : tensor<33x2093xi8>
  %bm3 = arith.muli %b3, %bf3 : tensor<33x2093xi8>
  %bl3 = arith.constant dense<-128> : tensor<33x2093xi8>
  %bx3 = arith.addi %bm3, %bl3 : tensor<33x2093xi8>
  %e3 = tensor.empty() : tensor<49x33xi32>
  %z3 = linalg.fill ins(%zero : i32) outs(%e3 : tensor<49x33xi32>) -> tensor<49x33xi32>
  %c3 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%ax3, %bx3 : tensor<2093x49xi8>, tensor<33x2093xi8>) outs(%z3 : tensor<49x33xi32>) -> tensor<49x33xi32>
  %af4 = arith.constant dense<36> : tensor<200x64xi8>
  %ax4 = arith.muli %a4, %af4 : tensor<200x64xi8>
  %bf4 = arith.constant dense<36> : tensor<64x20xi8>
  %bx4 = arith.muli %b4, %bf4 : tensor<64x20xi8>
  %e4 = tensor.empty() : tensor<200x20xi32>
  %z4 = linalg.fill ins(%zero : i32) outs(%e4 : tensor<200x20xi32>) -> tensor<200x20xi32>
  %c4 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] {cast = #linalg.type_fn<cast_unsigned>} ins(%ax4, %bx4 : tensor<200x64xi8>, tensor<64x20xi8>) outs(%z4 : tensor<200x20xi32>) -> tensor<200x20xi32>
  %af5 = arith.constant dense<36> : tensor<130x66xi8>
  %ax5 = arith.muli %a5, %af5 : tensor<130x66xi8>
  %bf5 = arith.constant dense<36> : tensor<66x66xi8>
  %bx5 = arith.muli %b5, %bf5 : tensor<66x66xi8>
  %e5 = tensor.empty() : tensor<130x66xi32>
  %z5 = linalg.fill ins(%zero : i32) outs(%e5 : tensor<130x66xi32>) -> tensor<130x66xi32>
  %c5 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] {cast = #linalg.type_fn<cast_unsigned>} ins(%ax5, %bx5 : tensor<130x66xi8>, tensor<66x66xi8>) outs(%z5 : tensor<130x66xi32>) -> tensor<130x66xi32>
  %af6 = arith.constant dense<36> : tensor<259x61xi8>
  %ax6 = arith.muli %a6, %af6 : tensor<259x61xi8>
  %bf6 = arith.constant dense<36> : tensor<259x48xi8>
  %bx6 = arith.muli %b6, %bf6 : tensor<259x48xi8>
  %e6 = tensor.empty() : tensor<61x48xi32>
  %z6 = linalg.fill ins(%zero : i32) outs(%e6 : tensor<61x48xi32>) -> tensor<61x48xi32>
  %c6 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] {cast = #linalg.type_fn<cast_unsigned>} ins(%ax6, %bx6 : tensor<259x61xi8>, tensor<259x48xi8>) outs(%z6 : tensor<61x48xi32>) -> tensor<61x48xi32>
  %af7 = arith.constant dense<36> : tensor<5x200xi8>
  %am7 = arith.muli %a7, %af7 : tensor<5x200xi8>
  %al7 = arith.constant dense<-128> : tensor<5x200xi8>
  %ax7 = arith.addi %am7, %al7 : tensor<5x200xi8>
  %bf7 = arith.constant dense<36> : tensor<200x130xi8>
  %bm7 = arith.muli %b7, %bf7 : tensor<200x130xi8>
  %bl7 = arith.constant dense<-128> : tensor<200x130xi8>
  %bx7 = arith.addi %bm7, %bl7 : tensor<200x130xi8>
  %e7 = tensor.empty() : tensor<5x130xi32>
  %z7 = linalg.fill ins(%zero : i32) outs(%e7 : tensor<5x130xi32>) -> tensor<5x130xi32>
  %c7 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%ax7, %bx7 : tensor<5x200xi8>, tensor<200x130xi8>) outs(%z7 : tensor<5x130xi32>) -> tensor<5x130xi32>
  %af8 = arith.constant dense<36> : tensor<8x260xi8>
  %am8 = arith.muli %a8, %af8 : tensor<8x260xi8>
  %al8 = arith.constant dense<-128> : tensor<8x260xi8>
  %ax8 = arith.addi %am8, %al8 : tensor<8x260xi8>
  %bf8 = arith.constant dense<36> : tensor<96x260xi8>
  %bm8 = arith.muli %b8, %bf8 : tensor<96x260xi8>
  %bl8 = arith.constant dense<-128> : tensor<96x260xi8>
  %bx8 = arith.addi %bm8, %bl8 : tensor<96x260xi8>
  %e8 = tensor.empty() : tensor<8x96xi32>
  %z8 = linalg.fill ins(%zero : i32) outs(%e8 : tensor<8x96xi32>) -> tensor<8x96xi32>
  %c8 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%ax8, %bx8 : tensor<8x260xi8>, tensor<96x260xi8>) outs(%z8 : tensor<8x96xi32>) -> tensor<8x96xi32>
  %af9 = arith.constant dense<36> : tensor<130x3xi8>
  %ax9 = arith.muli %a9, %af9 : tensor<130x3xi8>
  %bf9 = arith.constant dense<36> : tensor<70x130xi8>
  %bx9 = arith.muli %b9, %bf9 : tensor<70x130xi8>
  %e9 = tensor.empty() : tensor<3x70xi32>
  %z9 = linalg.fill ins(%zero : i32) outs(%e9 : tensor<3x70xi32>) -> tensor<3x70xi32>
  %c9 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] {cast = #linalg.type_fn<cast_unsigned>} ins(%ax9, %bx9 : tensor<130x3xi8>, tensor<70x130xi8>) outs(%z9 : tensor<3x70xi32>) -> tensor<3x70xi32>
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9 : tensor<100x90xi32>, tensor<70x50xi32>, tensor<65x97xi32>, tensor<49x33xi32>, tensor<200x20xi32>, tensor<130x66xi32>, tensor<61x48xi32>, tensor<5x130xi32>, tensor<8x96xi32>, tensor<3x70xi32>
}
func.func @plain(%a0: tensor<100x75xi8>, %b0: tensor<75x90xi8>,
                 %a1: tensor<101x70xi8>, %b1: tensor<101x50xi8>,
                 %a2: tensor<65x67xi8>, %b2: tensor<97x67xi8>,
                 %a3: tensor<2093x49xi8>, %b3: tensor<33x2093xi8>,
                 %a4: tensor<200x64xi8>, %b4: tensor<64x20xi8>,
                 %a5: tensor<130x66xi8>, %b5: tensor<66x66xi8>,
                 %a6: tensor<259x61xi8>, %b6: tensor<259x48xi8>,
                 %a7: tensor<5x200xi8>, %b7: tensor<200x130xi8>,
                 %a8: tensor<8x260xi8>, %b8: tensor<96x260xi8>,
                 %a9: tensor<130x3xi8>, %b9: tensor<70x130xi8>)
    -> (tensor<100x90xi32>, tensor<70x50xi32>, tensor<65x97xi32>, tensor<49x33xi32>, tensor<200x20xi32>, tensor<130x66xi32>, tensor<61x48xi32>, tensor<5x130xi32>, tensor<8x96xi32>, tensor<3x70xi32>) {
  %zero = arith.constant 0 : i32
  %af0 = arith.constant dense<36> : tensor<100x75xi8>
  %am0 = arith.muli %a0, %af0 : tensor<100x75xi8>
  %al0 = arith.constant dense<-128> : tensor<100x75xi8>
  %ax0 = arith.addi %am0, %al0 : tensor<100x75xi8>
  %bf0 = arith.constant dense<36> : tensor<75x90xi8>
  %bm0 = arith.muli %b0, %bf0 : tensor<75x90xi8>
  %bl0 = arith.constant dense<-128> : tensor<75x90xi8>
  %bx0 = arith.addi %bm0, %bl0 : tensor<75x90xi8>
  %e0 = tensor.empty() : tensor<100x90xi32>
  %z0 = linalg.fill ins(%zero : i32) outs(%e0 : tensor<100x90xi32>) -> tensor<100x90xi32>
  %c0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax0, %bx0 : tensor<100x75xi8>, tensor<75x90xi8>) outs(%z0 : tensor<100x90xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<100x90xi32>
  %af1 = arith.constant dense<36> : tensor<101x70xi8>
  %am1 = arith.muli %a1, %af1 : tensor<101x70xi8>
  %al1 = arith.constant dense<-128> : tensor<101x70xi8>
  %ax1 = arith.addi %am1, %al1 : tensor<101x70xi8>
  %bf1 = arith.constant dense<36> : tensor<101x50xi8>
  %bm1 = arith.muli %b1, %bf1 : tensor<101x50xi8>
  %bl1 = arith.constant dense<-128> : tensor<101x50xi8>
  %bx1 = arith.addi %bm1, %bl1 : tensor<101x50xi8>
  %e1 = tensor.empty() : tensor<70x50xi32>
  %z1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<70x50xi32>) -> tensor<70x50xi32>
  %c1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax1, %bx1 : tensor<101x70xi8>, tensor<101x50xi8>) outs(%z1 : tensor<70x50xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<70x50xi32>
  %af2 = arith.constant dense<36> : tensor<65x67xi8>
  %am2 = arith.muli %a2, %af2 : tensor<65x67xi8>
  %al2 = arith.constant dense<-128> : tensor<65x67xi8>
  %ax2 = arith.addi %am2, %al2 : tensor<65x67xi8>
  %bf2 = arith.constant dense<36> : tensor<97x67xi8>
  %bm2 = arith.muli %b2, %bf2 : tensor<97x67xi8>
  %bl2 = arith.constant dense<-128> : tensor<97x67xi8>
  %bx2 = arith.addi %bm2, %bl2 : tensor<97x67xi8>
  %e2 = tensor.empty() : tensor<65x97xi32>
  %z2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<65x97xi32>) -> tensor<65x97xi32>
  %c2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax2, %bx2 : tensor<65x67xi8>, tensor<97x67xi8>) outs(%z2 : tensor<65x97xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<65x97xi32>
  %af3 = arith.constant dense<36> : tensor<2093x49xi8>
  %am3 = arith.muli %a3, %af3 : tensor<2093x49xi8>
  %al3 = arith.constant dense<-128> : tensor<2093x49xi8>
  %ax3 = arith.addi %am3, %al3 : tensor<2093x49xi8>
  %bf3 = arith.constant dense<36> : tensor<33x2093xi8>
  %bm3 = arith.muli %b3, %bf3 : tensor<33x2093xi8>
  %bl3 = arith.constant dense<-128> : tensor<33x2093xi8>
  %bx3 = arith.addi %bm3, %bl3 : tensor<33x2093xi8>
  %e3 = tensor.empty() : tensor<49x33xi32>
  %z3 = linalg.fill ins(%zero : i32) outs(%e3 : tensor<49x33xi32>) -> tensor<49x33xi32>
  %c3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax3, %bx3 : tensor<2093x49xi8>, tensor<33x2093xi8>) outs(%z3 : tensor<49x33xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<49x33xi32>
  %af4 = arith.constant dense<36> : tensor<200x64xi8>
  %ax4 = arith.muli %a4, %af4 : tensor<200x64xi8>
  %bf4 = arith.constant dense<36> : tensor<64x20xi8>
  %bx4 = arith.muli %b4, %bf4 : tensor<64x20xi8>
  %e4 = tensor.empty() : tensor<200x20xi32>
  %z4 = linalg.fill ins(%zero : i32) outs(%e4 : tensor<200x20xi32>) -> tensor<200x20xi32>
  %c4 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax4, %bx4 : tensor<200x64xi8>, tensor<64x20xi8>) outs(%z4 : tensor<200x20xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<200x20xi32>
  %af5 = arith.constant dense<36> : tensor<130x66xi8>
  %ax5 = arith.muli %a5, %af5 : tensor<130x66xi8>
  %bf5 = arith.constant dense<36> : tensor<66x66xi8>
  %bx5 = arith.muli %b5, %bf5 : tensor<66x66xi8>
  %e5 = tensor.empty() : tensor<130x66xi32>
  %z5 = linalg.fill ins(%zero : i32) outs(%e5 : tensor<130x66xi32>) -> tensor<130x66xi32>
  %c5 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax5, %bx5 : tensor<130x66xi8>, tensor<66x66xi8>) outs(%z5 : tensor<130x66xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<130x66xi32>
  %af6 = arith.constant dense<36> : tensor<259x61xi8>
  %ax6 = arith.muli %a6, %af6 : tensor<259x61xi8>
  %bf6 = arith.constant dense<36> : tensor<259x48xi8>
  %bx6 = arith.muli %b6, %bf6 : tensor<259x48xi8>
  %e6 = tensor.empty() : tensor<61x48xi32>
  %z6 = linalg.fill ins(%zero : i32) outs(%e6 : tensor<61x48xi32>) -> tensor<61x48xi32>
  %c6 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax6, %bx6 : tensor<259x61xi8>, tensor<259x48xi8>) outs(%z6 : tensor<61x48xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<61x48xi32>
  %af7 = arith.constant dense<36> : tensor<5x200xi8>
  %am7 = arith.muli %a7, %af7 : tensor<5x200xi8>
  %al7 = arith.constant dense<-128> : tensor<5x200xi8>
  %ax7 = arith.addi %am7, %al7 : tensor<5x200xi8>
  %bf7 = arith.constant dense<36> : tensor<200x130xi8>
  %bm7 = arith.muli %b7, %bf7 : tensor<200x130xi8>
  %bl7 = arith.constant dense<-128> : tensor<200x130xi8>
  %bx7 = arith.addi %bm7, %bl7 : tensor<200x130xi8>
  %e7 = tensor.empty() : tensor<5x130xi32>
  %z7 = linalg.fill ins(%zero : i32) outs(%e7 : tensor<5x130xi32>) -> tensor<5x130xi32>
  %c7 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax7, %bx7 : tensor<5x200xi8>, tensor<200x130xi8>) outs(%z7 : tensor<5x130xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<5x130xi32>
  %af8 = arith.constant dense<36> : tensor<8x260xi8>
  %am8 = arith.muli %a8, %af8 : tensor<8x260xi8>
  %al8 = arith.constant dense<-128> : tensor<8x260xi8>
  %ax8 = arith.addi %am8, %al8 : tensor<8x260xi8>
  %bf8 = arith.constant dense<36> : tensor<96x260xi8>
  %bm8 = arith.muli %b8, %bf8 : tensor<96x260xi8>
  %bl8 = arith.constant dense<-128> : tensor<96x260xi8>
  %bx8 = arith.addi %bm8, %bl8 : tensor<96x260xi8>
  %e8 = tensor.empty() : tensor<8x96xi32>
  %z8 = linalg.fill ins(%zero : i32) outs(%e8 : tensor<8x96xi32>) -> tensor<8x96xi32>
  %c8 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax8, %bx8 : tensor<8x260xi8>, tensor<96x260xi8>) outs(%z8 : tensor<8x96xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<8x96xi32>
  %af9 = arith.constant dense<36> : tensor<130x3xi8>
  %ax9 = arith.muli %a9, %af9 : tensor<130x3xi8>
  %bf9 = arith.constant dense<36> : tensor<70x130xi8>
  %bx9 = arith.muli %b9, %bf9 : tensor<70x130xi8>
  %e9 = tensor.empty() : tensor<3x70xi32>
  %z9 = linalg.fill ins(%zero : i32) outs(%e9 : tensor<3x70xi32>) -> tensor<3x70xi32>
  %c9 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%ax9, %bx9 : tensor<130x3xi8>, tensor<70x130xi8>) outs(%z9 : tensor<3x70xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %p = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<3x70xi32>
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9 : tensor<100x90xi32>, tensor<70x50xi32>, tensor<65x97xi32>, tensor<49x33xi32>, tensor<200x20xi32>, tensor<130x66xi32>, tensor<61x48xi32>, tensor<5x130xi32>, tensor<8x96xi32>, tensor<3x70xi32>
}
