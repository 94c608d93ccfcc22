// A slice that no axis reaches is made again for its user, which is split: it and
// what is cut for it are there for the user's reason, in the report too.
//
// RUN: shard-opt %s --shardir-to-collective --shardir-report=file=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json

// JSON-NOT: "decided_by": "collective.
// JSON-NOT: "decided_by": "annotation

// CHECK-LABEL: func.func @roll
// CHECK:         collective.slice
// CHECK-NEXT:    tensor.extract_slice %{{.*}}[0, 23] [16, 1] {{.*}}shardir.decided_by = [#shardir.provenance<argument 1 of @roll, through ["arith.mulf"]>]
shardir.mesh @m <["tp"=2]>
func.func @roll(%x: tensor<16x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                %w: tensor<16x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}) -> tensor<16x24xf32> {
  %last = tensor.extract_slice %x[0, 23] [16, 1] [1, 1] : tensor<16x24xf32> to tensor<16x1xf32>
  %rest = tensor.extract_slice %x[0, 0] [16, 23] [1, 1] : tensor<16x24xf32> to tensor<16x23xf32>
  %r = tensor.concat dim(1) %last, %rest : (tensor<16x1xf32>, tensor<16x23xf32>) -> tensor<16x24xf32>
  %y = arith.mulf %r, %w : tensor<16x24xf32>
  return %y : tensor<16x24xf32>
}
