// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s
// RUN: shard-run %s --options=cost=bytes --verify --input=8x8xf32=0.0625 --input=8xf32=1,2,3,4,5,6,7,8

// How often the loop runs nobody knows: the search counts 16 times, reports
// count once. By the report it is least to carry what a device multiplies by
// and to send each block of the sums on once; replicated operands in front of the
// loop would be 192 bytes.
// CHECK:     shardir.mesh
// CHECK-NOT: collective.
// CHECK:     scf.while
// CHECK:       collective.all_reduce
// CHECK:       linalg.matvec
// CHECK-NEXT:  collective.reduce_scatter
// CHECK-NEXT:  collective.exchange
// CHECK-NOT: collective.
shardir.mesh @m <["dp"=2, "tp"=2]>

func.func @main(%m: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {"dp"}]>},
                %p: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant dense<1.0> : tensor<f32>
  %least = arith.constant 1.0e-4 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %scalar = tensor.empty() : tensor<f32>
  %r:2 = scf.while (%q = %p, %d = %one) : (tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
    %now = tensor.extract %d[] : tensor<f32>
    %more = arith.cmpf ogt, %now, %least : f32
    scf.condition(%more) %q, %d : tensor<8xf32>, tensor<f32>
  } do {
  ^bb0(%q: tensor<8xf32>, %d: tensor<f32>):
    %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
    %next = linalg.matvec ins(%m, %q : tensor<8x8xf32>, tensor<8xf32>) outs(%z : tensor<8xf32>) -> tensor<8xf32>
    %change = arith.subf %next, %q : tensor<8xf32>
    %size = math.absf %change : tensor<8xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
    %sum = linalg.reduce ins(%size : tensor<8xf32>) outs(%z1 : tensor<f32>) dimensions = [0]
      (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32
        linalg.yield %s : f32 }
    scf.yield %next, %sum : tensor<8xf32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<f32>
}
