// Products of signed and unsigned bytes, of operands of different signs and of few rows, which chunks pack by
// themselves, are those of a loop that subtracts negated products, for which no schedule has instructions. Elements are
// -128 to 127 or 0 to 255. Ranks have uneven and empty shards.
// REQUIRES: avx512-bf16
// RUN: shard-run %s --function=plain --mesh=x=1,y=1 --options=target=avx2 --output=@%t.0.npy --output=@%t.1.npy --output=@%t.2.npy --output=@%t.3.npy --output=@%t.4.npy --output=@%t.5.npy --output=@%t.6.npy
// DEFINE: %{expected} = --function=main --expected_output=@%t.0.npy --expected_output=@%t.1.npy --expected_output=@%t.2.npy --expected_output=@%t.3.npy --expected_output=@%t.4.npy --expected_output=@%t.5.npy --expected_output=@%t.6.npy --tolerance=0
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=x86-64 %{expected}
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx2 %{expected}
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512 %{expected}
// RUN: shard-run %s --mesh=x=1,y=1 --options=target=avx512-vnni %{expected}
// RUN: shard-run %s --mesh=x=2,y=2 --options=target=avx512-vnni %{expected}
// RUN: shard-run %s --mesh=x=5,y=1 --options=target=avx512-vnni %{expected}
// RUN: %emulated_amx shard-run %s --mesh=x=1,y=1 --options=target=avx512-amx %{expected}
shardir.mesh @m <["x"=?2, "y"=?2]>

func.func @main(%a0: tensor<9x600xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b0: tensor<600x700xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
    %a1: tensor<9x600xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b1: tensor<600x700xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
    %a2: tensor<9x600xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b2: tensor<600x700xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
    %a3: tensor<9x600xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b3: tensor<600x700xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
    %a4: tensor<270x7xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %b4: tensor<300x270xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>},
    %a5: tensor<75x101xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %b5: tensor<75x90xi8> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
    %a6: tensor<65x67xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b6: tensor<97x67xi8> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>})
    -> (tensor<9x700xi32>, tensor<9x700xi32>, tensor<9x700xi32>, tensor<9x700xi32>, tensor<7x300xi32>, tensor<101x90xi32>, tensor<65x97xi32>) {
  %zero = arith.constant 0 : i32
  %fa0 = arith.constant dense<37> : tensor<9x600xi8>
  %ma0 = arith.muli %a0, %fa0 : tensor<9x600xi8>
  %ha0 = arith.constant dense<-128> : tensor<9x600xi8>
  %xa0 = arith.addi %ma0, %ha0 : tensor<9x600xi8>
  %fb0 = arith.constant dense<37> : tensor<600x700xi8>
  %mb0 = arith.muli %b0, %fb0 : tensor<600x700xi8>
  %hb0 = arith.constant dense<-128> : tensor<600x700xi8>
  %xb0 = arith.addi %mb0, %hb0 : tensor<600x700xi8>
  %e0 = tensor.empty() : tensor<9x700xi32>
  %z0 = linalg.fill ins(%zero : i32) outs(%e0 : tensor<9x700xi32>) -> tensor<9x700xi32>
  %c0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa0, %xb0 : tensor<9x600xi8>, tensor<600x700xi8>) outs(%z0 : tensor<9x700xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %pr = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<9x700xi32>
  %fa1 = arith.constant dense<37> : tensor<9x600xi8>
  %ma1 = arith.muli %a1, %fa1 : tensor<9x600xi8>
  %ha1 = arith.constant dense<-128> : tensor<9x600xi8>
  %xa1 = arith.addi %ma1, %ha1 : tensor<9x600xi8>
  %fb1 = arith.constant dense<37> : tensor<600x700xi8>
  %mb1 = arith.muli %b1, %fb1 : tensor<600x700xi8>
  %hb1 = arith.constant dense<-128> : tensor<600x700xi8>
  %xb1 = arith.addi %mb1, %hb1 : tensor<600x700xi8>
  %e1 = tensor.empty() : tensor<9x700xi32>
  %z1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<9x700xi32>) -> tensor<9x700xi32>
  %c1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa1, %xb1 : tensor<9x600xi8>, tensor<600x700xi8>) outs(%z1 : tensor<9x700xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %pr = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<9x700xi32>
  %fa2 = arith.constant dense<37> : tensor<9x600xi8>
  %ma2 = arith.muli %a2, %fa2 : tensor<9x600xi8>
  %ha2 = arith.constant dense<-128> : tensor<9x600xi8>
  %xa2 = arith.addi %ma2, %ha2 : tensor<9x600xi8>
  %fb2 = arith.constant dense<37> : tensor<600x700xi8>
  %mb2 = arith.muli %b2, %fb2 : tensor<600x700xi8>
  %hb2 = arith.constant dense<-128> : tensor<600x700xi8>
  %xb2 = arith.addi %mb2, %hb2 : tensor<600x700xi8>
  %e2 = tensor.empty() : tensor<9x700xi32>
  %z2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<9x700xi32>) -> tensor<9x700xi32>
  %c2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa2, %xb2 : tensor<9x600xi8>, tensor<600x700xi8>) outs(%z2 : tensor<9x700xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %pr = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<9x700xi32>
  %fa3 = arith.constant dense<37> : tensor<9x600xi8>
  %ma3 = arith.muli %a3, %fa3 : tensor<9x600xi8>
  %ha3 = arith.constant dense<-128> : tensor<9x600xi8>
  %xa3 = arith.addi %ma3, %ha3 : tensor<9x600xi8>
  %fb3 = arith.constant dense<37> : tensor<600x700xi8>
  %mb3 = arith.muli %b3, %fb3 : tensor<600x700xi8>
  %hb3 = arith.constant dense<-128> : tensor<600x700xi8>
  %xb3 = arith.addi %mb3, %hb3 : tensor<600x700xi8>
  %e3 = tensor.empty() : tensor<9x700xi32>
  %z3 = linalg.fill ins(%zero : i32) outs(%e3 : tensor<9x700xi32>) -> tensor<9x700xi32>
  %c3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa3, %xb3 : tensor<9x600xi8>, tensor<600x700xi8>) outs(%z3 : tensor<9x700xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %pr = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<9x700xi32>
  %fa4 = arith.constant dense<37> : tensor<270x7xi8>
  %ma4 = arith.muli %a4, %fa4 : tensor<270x7xi8>
  %ha4 = arith.constant dense<-128> : tensor<270x7xi8>
  %xa4 = arith.addi %ma4, %ha4 : tensor<270x7xi8>
  %fb4 = arith.constant dense<37> : tensor<300x270xi8>
  %mb4 = arith.muli %b4, %fb4 : tensor<300x270xi8>
  %hb4 = arith.constant dense<-128> : tensor<300x270xi8>
  %xb4 = arith.addi %mb4, %hb4 : tensor<300x270xi8>
  %e4 = tensor.empty() : tensor<7x300xi32>
  %z4 = linalg.fill ins(%zero : i32) outs(%e4 : tensor<7x300xi32>) -> tensor<7x300xi32>
  %c4 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa4, %xb4 : tensor<270x7xi8>, tensor<300x270xi8>) outs(%z4 : tensor<7x300xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %pr = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<7x300xi32>
  %fa5 = arith.constant dense<37> : tensor<75x101xi8>
  %ma5 = arith.muli %a5, %fa5 : tensor<75x101xi8>
  %ha5 = arith.constant dense<-128> : tensor<75x101xi8>
  %xa5 = arith.addi %ma5, %ha5 : tensor<75x101xi8>
  %fb5 = arith.constant dense<37> : tensor<75x90xi8>
  %mb5 = arith.muli %b5, %fb5 : tensor<75x90xi8>
  %hb5 = arith.constant dense<-128> : tensor<75x90xi8>
  %xb5 = arith.addi %mb5, %hb5 : tensor<75x90xi8>
  %e5 = tensor.empty() : tensor<101x90xi32>
  %z5 = linalg.fill ins(%zero : i32) outs(%e5 : tensor<101x90xi32>) -> tensor<101x90xi32>
  %c5 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa5, %xb5 : tensor<75x101xi8>, tensor<75x90xi8>) outs(%z5 : tensor<101x90xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %pr = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<101x90xi32>
  %fa6 = arith.constant dense<37> : tensor<65x67xi8>
  %ma6 = arith.muli %a6, %fa6 : tensor<65x67xi8>
  %ha6 = arith.constant dense<-128> : tensor<65x67xi8>
  %xa6 = arith.addi %ma6, %ha6 : tensor<65x67xi8>
  %fb6 = arith.constant dense<37> : tensor<97x67xi8>
  %mb6 = arith.muli %b6, %fb6 : tensor<97x67xi8>
  %hb6 = arith.constant dense<-128> : tensor<97x67xi8>
  %xb6 = arith.addi %mb6, %hb6 : tensor<97x67xi8>
  %e6 = tensor.empty() : tensor<65x97xi32>
  %z6 = linalg.fill ins(%zero : i32) outs(%e6 : tensor<65x97xi32>) -> tensor<65x97xi32>
  %c6 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa6, %xb6 : tensor<65x67xi8>, tensor<97x67xi8>) outs(%z6 : tensor<65x97xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %pr = arith.muli %xe, %ye : i32
    %s = arith.addi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<65x97xi32>
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6 : tensor<9x700xi32>, tensor<9x700xi32>, tensor<9x700xi32>, tensor<9x700xi32>, tensor<7x300xi32>, tensor<101x90xi32>, tensor<65x97xi32>
}
func.func @plain(%a0: tensor<9x600xi8>, %b0: tensor<600x700xi8>,
    %a1: tensor<9x600xi8>, %b1: tensor<600x700xi8>,
    %a2: tensor<9x600xi8>, %b2: tensor<600x700xi8>,
    %a3: tensor<9x600xi8>, %b3: tensor<600x700xi8>,
    %a4: tensor<270x7xi8>, %b4: tensor<300x270xi8>,
    %a5: tensor<75x101xi8>, %b5: tensor<75x90xi8>,
    %a6: tensor<65x67xi8>, %b6: tensor<97x67xi8>)
    -> (tensor<9x700xi32>, tensor<9x700xi32>, tensor<9x700xi32>, tensor<9x700xi32>, tensor<7x300xi32>, tensor<101x90xi32>, tensor<65x97xi32>) {
  %zero = arith.constant 0 : i32
  %fa0 = arith.constant dense<37> : tensor<9x600xi8>
  %ma0 = arith.muli %a0, %fa0 : tensor<9x600xi8>
  %ha0 = arith.constant dense<-128> : tensor<9x600xi8>
  %xa0 = arith.addi %ma0, %ha0 : tensor<9x600xi8>
  %fb0 = arith.constant dense<37> : tensor<600x700xi8>
  %mb0 = arith.muli %b0, %fb0 : tensor<600x700xi8>
  %hb0 = arith.constant dense<-128> : tensor<600x700xi8>
  %xb0 = arith.addi %mb0, %hb0 : tensor<600x700xi8>
  %e0 = tensor.empty() : tensor<9x700xi32>
  %z0 = linalg.fill ins(%zero : i32) outs(%e0 : tensor<9x700xi32>) -> tensor<9x700xi32>
  %c0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa0, %xb0 : tensor<9x600xi8>, tensor<600x700xi8>) outs(%z0 : tensor<9x700xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %pr = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<9x700xi32>
  %fa1 = arith.constant dense<37> : tensor<9x600xi8>
  %ma1 = arith.muli %a1, %fa1 : tensor<9x600xi8>
  %ha1 = arith.constant dense<-128> : tensor<9x600xi8>
  %xa1 = arith.addi %ma1, %ha1 : tensor<9x600xi8>
  %fb1 = arith.constant dense<37> : tensor<600x700xi8>
  %mb1 = arith.muli %b1, %fb1 : tensor<600x700xi8>
  %hb1 = arith.constant dense<-128> : tensor<600x700xi8>
  %xb1 = arith.addi %mb1, %hb1 : tensor<600x700xi8>
  %e1 = tensor.empty() : tensor<9x700xi32>
  %z1 = linalg.fill ins(%zero : i32) outs(%e1 : tensor<9x700xi32>) -> tensor<9x700xi32>
  %c1 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa1, %xb1 : tensor<9x600xi8>, tensor<600x700xi8>) outs(%z1 : tensor<9x700xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %pr = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<9x700xi32>
  %fa2 = arith.constant dense<37> : tensor<9x600xi8>
  %ma2 = arith.muli %a2, %fa2 : tensor<9x600xi8>
  %ha2 = arith.constant dense<-128> : tensor<9x600xi8>
  %xa2 = arith.addi %ma2, %ha2 : tensor<9x600xi8>
  %fb2 = arith.constant dense<37> : tensor<600x700xi8>
  %mb2 = arith.muli %b2, %fb2 : tensor<600x700xi8>
  %hb2 = arith.constant dense<-128> : tensor<600x700xi8>
  %xb2 = arith.addi %mb2, %hb2 : tensor<600x700xi8>
  %e2 = tensor.empty() : tensor<9x700xi32>
  %z2 = linalg.fill ins(%zero : i32) outs(%e2 : tensor<9x700xi32>) -> tensor<9x700xi32>
  %c2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa2, %xb2 : tensor<9x600xi8>, tensor<600x700xi8>) outs(%z2 : tensor<9x700xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %pr = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<9x700xi32>
  %fa3 = arith.constant dense<37> : tensor<9x600xi8>
  %ma3 = arith.muli %a3, %fa3 : tensor<9x600xi8>
  %ha3 = arith.constant dense<-128> : tensor<9x600xi8>
  %xa3 = arith.addi %ma3, %ha3 : tensor<9x600xi8>
  %fb3 = arith.constant dense<37> : tensor<600x700xi8>
  %mb3 = arith.muli %b3, %fb3 : tensor<600x700xi8>
  %hb3 = arith.constant dense<-128> : tensor<600x700xi8>
  %xb3 = arith.addi %mb3, %hb3 : tensor<600x700xi8>
  %e3 = tensor.empty() : tensor<9x700xi32>
  %z3 = linalg.fill ins(%zero : i32) outs(%e3 : tensor<9x700xi32>) -> tensor<9x700xi32>
  %c3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa3, %xb3 : tensor<9x600xi8>, tensor<600x700xi8>) outs(%z3 : tensor<9x700xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %pr = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<9x700xi32>
  %fa4 = arith.constant dense<37> : tensor<270x7xi8>
  %ma4 = arith.muli %a4, %fa4 : tensor<270x7xi8>
  %ha4 = arith.constant dense<-128> : tensor<270x7xi8>
  %xa4 = arith.addi %ma4, %ha4 : tensor<270x7xi8>
  %fb4 = arith.constant dense<37> : tensor<300x270xi8>
  %mb4 = arith.muli %b4, %fb4 : tensor<300x270xi8>
  %hb4 = arith.constant dense<-128> : tensor<300x270xi8>
  %xb4 = arith.addi %mb4, %hb4 : tensor<300x270xi8>
  %e4 = tensor.empty() : tensor<7x300xi32>
  %z4 = linalg.fill ins(%zero : i32) outs(%e4 : tensor<7x300xi32>) -> tensor<7x300xi32>
  %c4 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa4, %xb4 : tensor<270x7xi8>, tensor<300x270xi8>) outs(%z4 : tensor<7x300xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %pr = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<7x300xi32>
  %fa5 = arith.constant dense<37> : tensor<75x101xi8>
  %ma5 = arith.muli %a5, %fa5 : tensor<75x101xi8>
  %ha5 = arith.constant dense<-128> : tensor<75x101xi8>
  %xa5 = arith.addi %ma5, %ha5 : tensor<75x101xi8>
  %fb5 = arith.constant dense<37> : tensor<75x90xi8>
  %mb5 = arith.muli %b5, %fb5 : tensor<75x90xi8>
  %hb5 = arith.constant dense<-128> : tensor<75x90xi8>
  %xb5 = arith.addi %mb5, %hb5 : tensor<75x90xi8>
  %e5 = tensor.empty() : tensor<101x90xi32>
  %z5 = linalg.fill ins(%zero : i32) outs(%e5 : tensor<101x90xi32>) -> tensor<101x90xi32>
  %c5 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa5, %xb5 : tensor<75x101xi8>, tensor<75x90xi8>) outs(%z5 : tensor<101x90xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extsi %x : i8 to i32
    %ye = arith.extui %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %pr = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<101x90xi32>
  %fa6 = arith.constant dense<37> : tensor<65x67xi8>
  %ma6 = arith.muli %a6, %fa6 : tensor<65x67xi8>
  %ha6 = arith.constant dense<-128> : tensor<65x67xi8>
  %xa6 = arith.addi %ma6, %ha6 : tensor<65x67xi8>
  %fb6 = arith.constant dense<37> : tensor<97x67xi8>
  %mb6 = arith.muli %b6, %fb6 : tensor<97x67xi8>
  %hb6 = arith.constant dense<-128> : tensor<97x67xi8>
  %xb6 = arith.addi %mb6, %hb6 : tensor<97x67xi8>
  %e6 = tensor.empty() : tensor<65x97xi32>
  %z6 = linalg.fill ins(%zero : i32) outs(%e6 : tensor<65x97xi32>) -> tensor<65x97xi32>
  %c6 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%xa6, %xb6 : tensor<65x67xi8>, tensor<97x67xi8>) outs(%z6 : tensor<65x97xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xe = arith.extui %x : i8 to i32
    %ye = arith.extsi %y : i8 to i32
    %xn = arith.subi %zero, %xe : i32
    %pr = arith.muli %xn, %ye : i32
    %s = arith.subi %o, %pr : i32
    linalg.yield %s : i32
  } -> tensor<65x97xi32>
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6 : tensor<9x700xi32>, tensor<9x700xi32>, tensor<9x700xi32>, tensor<9x700xi32>, tensor<7x300xi32>, tensor<101x90xi32>, tensor<65x97xi32>
}
