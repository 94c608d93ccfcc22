// Conversions from and to floats of eight bits give the bits that the runtime gives the same numbers: ties, the smallest and
// largest numbers, what is too large, NaN.
// RUN: shard-run %s --function=to_e4m3 --input=22xf32=0,-0.0,1,-1.0625,1.1875,0.001953125,0.0009765625,0.0029296875,447,448,463,464,-460,0.0146,15.5,-17,3.3,2.0625,465,inf,-inf,nan --expected_output=22xf8E4M3FN=0,-0.0,1,-1.0625,1.1875,0.001953125,0.0009765625,0.0029296875,447,448,463,464,-460,0.0146,15.5,-17,3.3,2.0625,nan,nan,nan,nan
// RUN: shard-run %s --function=to_e5m2 --input=22xf32=0,-0.0,1,-1.125,1.375,0.0000152587890625,0.00000762939453125,0.000022888183593750,57344,61439,-60000,3.3,0.0000610,100,-7.5,2.25,2.5,0.1,61440,1e30,-inf,nan --expected_output=22xf8E5M2=0,-0.0,1,-1.125,1.375,0.0000152587890625,0.00000762939453125,0.000022888183593750,57344,61439,-60000,3.3,0.0000610,100,-7.5,2.25,2.5,0.1,inf,inf,-inf,nan
// RUN: shard-run %s --function=from_e4m3 --input=9xf8E4M3FN=0,-0.0,0.001953125,0.015625,-0.0078125,1.125,-448,nan,240 --expected_output=9xf32=0,-0.0,0.001953125,0.015625,-0.0078125,1.125,-448,nan,240
// RUN: shard-run %s --function=from_e5m2 --input=9xf8E5M2=0,-0.0,0.0000152587890625,0.00006103515625,-1.25,57344,inf,-inf,nan --expected_output=9xf32=0,-0.0,0.0000152587890625,0.00006103515625,-1.25,57344,inf,-inf,nan
// The emulated GPU's kernels are the same arithmetic.
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --function=to_e4m3 --device=cuda-local --options=arch=host --input=22xf32=0,-0.0,1,-1.0625,1.1875,0.001953125,0.0009765625,0.0029296875,447,448,463,464,-460,0.0146,15.5,-17,3.3,2.0625,465,inf,-inf,nan --expected_output=22xf8E4M3FN=0,-0.0,1,-1.0625,1.1875,0.001953125,0.0009765625,0.0029296875,447,448,463,464,-460,0.0146,15.5,-17,3.3,2.0625,nan,nan,nan,nan
// Sums of such numbers are those of f32, rounded.
// RUN: shard-run %s --function=sum --input=4xf8E5M2=1,2,3,-4 --input=4xf8E5M2=0.5,0.25,100,4 --expected_output=4xf8E5M2=1.5,2.25,103,0

#map = affine_map<(i) -> (i)>

func.func @to_e4m3(%x: tensor<22xf32>) -> tensor<22xf8E4M3FN> {
  %e = tensor.empty() : tensor<22xf8E4M3FN>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<22xf32>) outs(%e : tensor<22xf8E4M3FN>) {
  ^bb0(%a: f32, %o: f8E4M3FN):
    %1 = arith.truncf %a : f32 to f8E4M3FN
    linalg.yield %1 : f8E4M3FN
  } -> tensor<22xf8E4M3FN>
  return %0 : tensor<22xf8E4M3FN>
}

func.func @to_e5m2(%x: tensor<22xf32>) -> tensor<22xf8E5M2> {
  %e = tensor.empty() : tensor<22xf8E5M2>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<22xf32>) outs(%e : tensor<22xf8E5M2>) {
  ^bb0(%a: f32, %o: f8E5M2):
    %1 = arith.truncf %a : f32 to f8E5M2
    linalg.yield %1 : f8E5M2
  } -> tensor<22xf8E5M2>
  return %0 : tensor<22xf8E5M2>
}

func.func @from_e4m3(%x: tensor<9xf8E4M3FN>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<9xf8E4M3FN>) outs(%e : tensor<9xf32>) {
  ^bb0(%a: f8E4M3FN, %o: f32):
    %1 = arith.extf %a : f8E4M3FN to f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

func.func @from_e5m2(%x: tensor<9xf8E5M2>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<9xf8E5M2>) outs(%e : tensor<9xf32>) {
  ^bb0(%a: f8E5M2, %o: f32):
    %1 = arith.extf %a : f8E5M2 to f32
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

func.func @sum(%x: tensor<4xf8E5M2>, %y: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  %e = tensor.empty() : tensor<4xf8E5M2>
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%x, %y : tensor<4xf8E5M2>, tensor<4xf8E5M2>) outs(%e : tensor<4xf8E5M2>) {
  ^bb0(%a: f8E5M2, %b: f8E5M2, %o: f8E5M2):
    %1 = arith.addf %a, %b : f8E5M2
    linalg.yield %1 : f8E5M2
  } -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}
