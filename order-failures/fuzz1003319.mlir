shardir.mesh @m_r <["x"=2]>
func.func @p_r(%x1: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}]>}, %x2: tensor<4x10x4xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {}]>}, %x3: tensor<4x10x4xi32>, %x4: tensor<4x10x4xi8> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"x"}]>}) -> (tensor<1x1x10x4xi32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}, {"x"}, {}]>}, tensor<1x1x10x4xi32> {shardir.placement = #shardir.placement<@m_r, [{?}, {"x"}, {}, {?}]>}) {
  %e9 = tensor.empty() : tensor<4x1x10x4xi32>
  %v8 = linalg.broadcast ins(%x3 : tensor<4x10x4xi32>) outs(%e9 : tensor<4x1x10x4xi32>) dimensions = [1] loc("v8")
  %v10 = shardir.constrain %v8 to #shardir.placement<@m_r, [{}, {}, {5, "x", ?}, {}]> : tensor<4x1x10x4xi32> loc("v10")
  %v11l = arith.constant 0 : index
  %v11u = arith.constant 3 : index
  %v11s = arith.constant 1 : index
  %v11 = scf.for %v11i = %v11l to %v11u step %v11s iter_args(%v11c = %v10) -> (tensor<4x1x10x4xi32>) {
    %v11n = arith.addi %v11c, %v10 : tensor<4x1x10x4xi32>
    scf.yield %v11n : tensor<4x1x10x4xi32>
  } loc("v11")
  %v36l = arith.constant 0 : index
  %v36u = arith.constant 3 : index
  %v36s = arith.constant 1 : index
  %v36 = scf.for %v36i = %v36l to %v36u step %v36s iter_args(%v36c = %v11) -> (tensor<4x1x10x4xi32>) {
    %v36n = arith.subi %v36c, %v8 : tensor<4x1x10x4xi32>
    scf.yield %v36n : tensor<4x1x10x4xi32>
  } loc("v36")
  %v72 = tensor.extract_slice %v11[0, 0, 0, 0] [1, 1, 10, 4] [1, 2, 1, 1] : tensor<4x1x10x4xi32> to tensor<1x1x10x4xi32> loc("v72")
  return %v72, %v72 : tensor<1x1x10x4xi32>, tensor<1x1x10x4xi32>
}
func.func @p_r_0(%x1: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}]>}, %x2: tensor<4x10x4xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {}]>}, %x3: tensor<4x10x4xi32>, %x4: tensor<4x10x4xi8> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"x"}]>}) -> (tensor<1x1x10x4xi32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}, {"x"}, {}]>}, tensor<1x1x10x4xi32> {shardir.placement = #shardir.placement<@m_r, [{?}, {"x"}, {}, {?}]>}) {
  %e9 = tensor.empty() : tensor<4x1x10x4xi32>
  %v8 = linalg.broadcast ins(%x3 : tensor<4x10x4xi32>) outs(%e9 : tensor<4x1x10x4xi32>) dimensions = [1] loc("v8")
  %v10 = shardir.constrain %v8 to #shardir.placement<@m_r, [{}, {}, {5, "x", ?}, {}]> : tensor<4x1x10x4xi32> loc("v10")
  %v11l = arith.constant 0 : index
  %v11u = arith.constant 3 : index
  %v11s = arith.constant 1 : index
  %v11 = scf.for %v11i = %v11l to %v11u step %v11s iter_args(%v11c = %v10) -> (tensor<4x1x10x4xi32>) {
    %v11n = arith.addi %v11c, %v10 : tensor<4x1x10x4xi32>
    scf.yield %v11n : tensor<4x1x10x4xi32>
  } loc("v11")
  %v72 = tensor.extract_slice %v11[0, 0, 0, 0] [1, 1, 10, 4] [1, 2, 1, 1] : tensor<4x1x10x4xi32> to tensor<1x1x10x4xi32> loc("v72")
  %v36l = arith.constant 0 : index
  %v36u = arith.constant 3 : index
  %v36s = arith.constant 1 : index
  %v36 = scf.for %v36i = %v36l to %v36u step %v36s iter_args(%v36c = %v11) -> (tensor<4x1x10x4xi32>) {
    %v36n = arith.subi %v36c, %v8 : tensor<4x1x10x4xi32>
    scf.yield %v36n : tensor<4x1x10x4xi32>
  } loc("v36")
  return %v72, %v72 : tensor<1x1x10x4xi32>, tensor<1x1x10x4xi32>
}
func.func @p_r_1(%x1: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}]>}, %x2: tensor<4x10x4xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {}]>}, %x3: tensor<4x10x4xi32>, %x4: tensor<4x10x4xi8> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"x"}]>}) -> (tensor<1x1x10x4xi32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}, {"x"}, {}]>}, tensor<1x1x10x4xi32> {shardir.placement = #shardir.placement<@m_r, [{?}, {"x"}, {}, {?}]>}) {
  %e9 = tensor.empty() : tensor<4x1x10x4xi32>
  %v8 = linalg.broadcast ins(%x3 : tensor<4x10x4xi32>) outs(%e9 : tensor<4x1x10x4xi32>) dimensions = [1] loc("v8")
  %v10 = shardir.constrain %v8 to #shardir.placement<@m_r, [{}, {}, {5, "x", ?}, {}]> : tensor<4x1x10x4xi32> loc("v10")
  %v11l = arith.constant 0 : index
  %v11u = arith.constant 3 : index
  %v11s = arith.constant 1 : index
  %v11 = scf.for %v11i = %v11l to %v11u step %v11s iter_args(%v11c = %v10) -> (tensor<4x1x10x4xi32>) {
    %v11n = arith.addi %v11c, %v10 : tensor<4x1x10x4xi32>
    scf.yield %v11n : tensor<4x1x10x4xi32>
  } loc("v11")
  %v36l = arith.constant 0 : index
  %v36u = arith.constant 3 : index
  %v36s = arith.constant 1 : index
  %v36 = scf.for %v36i = %v36l to %v36u step %v36s iter_args(%v36c = %v11) -> (tensor<4x1x10x4xi32>) {
    %v36n = arith.subi %v36c, %v8 : tensor<4x1x10x4xi32>
    scf.yield %v36n : tensor<4x1x10x4xi32>
  } loc("v36")
  %v72 = tensor.extract_slice %v11[0, 0, 0, 0] [1, 1, 10, 4] [1, 2, 1, 1] : tensor<4x1x10x4xi32> to tensor<1x1x10x4xi32> loc("v72")
  return %v72, %v72 : tensor<1x1x10x4xi32>, tensor<1x1x10x4xi32>
}
func.func @p_r_2(%x1: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}]>}, %x2: tensor<4x10x4xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {}]>}, %x3: tensor<4x10x4xi32>, %x4: tensor<4x10x4xi8> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"x"}]>}) -> (tensor<1x1x10x4xi32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}, {"x"}, {}]>}, tensor<1x1x10x4xi32> {shardir.placement = #shardir.placement<@m_r, [{?}, {"x"}, {}, {?}]>}) {
  %e9 = tensor.empty() : tensor<4x1x10x4xi32>
  %v8 = linalg.broadcast ins(%x3 : tensor<4x10x4xi32>) outs(%e9 : tensor<4x1x10x4xi32>) dimensions = [1] loc("v8")
  %v10 = shardir.constrain %v8 to #shardir.placement<@m_r, [{}, {}, {5, "x", ?}, {}]> : tensor<4x1x10x4xi32> loc("v10")
  %v11l = arith.constant 0 : index
  %v11u = arith.constant 3 : index
  %v11s = arith.constant 1 : index
  %v11 = scf.for %v11i = %v11l to %v11u step %v11s iter_args(%v11c = %v10) -> (tensor<4x1x10x4xi32>) {
    %v11n = arith.addi %v11c, %v10 : tensor<4x1x10x4xi32>
    scf.yield %v11n : tensor<4x1x10x4xi32>
  } loc("v11")
  %v72 = tensor.extract_slice %v11[0, 0, 0, 0] [1, 1, 10, 4] [1, 2, 1, 1] : tensor<4x1x10x4xi32> to tensor<1x1x10x4xi32> loc("v72")
  %v36l = arith.constant 0 : index
  %v36u = arith.constant 3 : index
  %v36s = arith.constant 1 : index
  %v36 = scf.for %v36i = %v36l to %v36u step %v36s iter_args(%v36c = %v11) -> (tensor<4x1x10x4xi32>) {
    %v36n = arith.subi %v36c, %v8 : tensor<4x1x10x4xi32>
    scf.yield %v36n : tensor<4x1x10x4xi32>
  } loc("v36")
  return %v72, %v72 : tensor<1x1x10x4xi32>, tensor<1x1x10x4xi32>
}
