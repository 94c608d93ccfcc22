// RUN: shard-opt %s -split-input-file --shardir-bufferize | FileCheck %s

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>

  // CHECK-LABEL: func.func @gather
  // CHECK-SAME:    %[[X:.+]]: memref<?xf32> {{.*}}, %[[R:.+]]: memref<5xf32>
  // CHECK-NEXT:    collective.all_gather %[[X]] into %[[R]] from {{.+}} to {{.+}} of tensor<5xf32> : memref<?xf32>, memref<5xf32>
  // CHECK-NEXT:    return
  func.func @gather(%x: tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>, shardir.global_type = tensor<5xf32>}) -> tensor<5xf32> {
    %r = collective.all_gather %x from #shardir.placement<@m, [{"x"} ]> to #shardir.placement<@m, [{} ]> of tensor<5xf32>
        : tensor<?xf32> -> tensor<5xf32>
    return %r : tensor<5xf32>
  }

  // The argument may not be overwritten: from one buffer to another.
  // CHECK-LABEL: func.func @reduce_argument
  // CHECK-SAME:    %[[X:.+]]: memref<4xf32> {{.*}}, %[[R:.+]]: memref<4xf32>
  // CHECK-NEXT:    collective.all_reduce %[[X]] into %[[R]]
  // CHECK-NEXT:    return
  func.func @reduce_argument(%x: tensor<4xf32>) -> tensor<4xf32> {
    %r = collective.all_reduce %x from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{} ]> of tensor<4xf32>
        : tensor<4xf32> -> tensor<4xf32>
    return %r : tensor<4xf32>
  }

  // Of a bucket, allocations, copies and frees come in front and behind.
  // CHECK-LABEL: func.func @bucket
  // CHECK:         collective.all_gather {{.*}} {collective.bucket = 0 : i64}
  // CHECK-NEXT:    collective.all_gather {{.*}} {collective.bucket = 0 : i64}
  // CHECK-DAG:     memref.dealloc
  // CHECK-DAG:     memref.dealloc
  // CHECK:         return
  func.func @bucket(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<2xf32>
    %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %b = linalg.exp ins(%y : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %r = collective.all_gather %a from #shardir.placement<@m, [{"x"} ]> to #shardir.placement<@m, [{} ]> of tensor<4xf32>
        {collective.bucket = 0 : i64} : tensor<2xf32> -> tensor<4xf32>
    %s = collective.all_gather %b from #shardir.placement<@m, [{"x"} ]> to #shardir.placement<@m, [{} ]> of tensor<4xf32>
        {collective.bucket = 0 : i64} : tensor<2xf32> -> tensor<4xf32>
    return %r, %s : tensor<4xf32>, tensor<4xf32>
  }

  // One reads what the other one would overwrite: they do not move at one time.
  // CHECK-LABEL: func.func @dependent
  // CHECK-NOT:     collective.bucket
  // CHECK:         return
  func.func @dependent(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %e = tensor.empty() : tensor<2xf32>
    %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %r = collective.all_reduce %a from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{} ]> of tensor<2xf32>
        {collective.bucket = 0 : i64} : tensor<2xf32> -> tensor<2xf32>
    %s = collective.all_reduce %a from #shardir.placement<@m, [{}], partial = max ["x"]> to #shardir.placement<@m, [{} ]> of tensor<2xf32>
        {collective.bucket = 0 : i64} : tensor<2xf32> -> tensor<2xf32>
    return %r, %s : tensor<2xf32>, tensor<2xf32>
  }

  // A temporary may: in place.
  // CHECK-LABEL: func.func @reduce_temporary
  // CHECK-SAME:    %[[R:[^ ]+]]: memref<4xf32> {shardir.global_type = tensor<4xf32>, shardir.result}
  // CHECK-NOT:     memref.alloc
  // CHECK:         collective.all_reduce %[[R]] into %[[R]]
  // CHECK-NEXT:    return
  func.func @reduce_temporary(%x: tensor<4xf32>) -> tensor<4xf32> {
    %empty = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    %r = collective.all_reduce %y from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{} ]> of tensor<4xf32>
        : tensor<4xf32> -> tensor<4xf32>
    return %r : tensor<4xf32>
  }

  // A view with gaps is copied first; the copy is freed.
  // CHECK-LABEL: func.func @strided
  // CHECK:         %[[VIEW:.+]] = memref.subview
  // CHECK:         %[[COPY:.+]] = memref.alloc() {{.*}}: memref<2x2xf32>
  // CHECK:         memref.copy %[[VIEW]], %[[COPY]]
  // CHECK:         collective.all_gather %[[COPY]] into
  // CHECK:         memref.dealloc %[[COPY]]
  func.func @strided(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
    %s = tensor.extract_slice %x[0, 1] [2, 2] [1, 1] : tensor<2x4xf32> to tensor<2x2xf32>
    %r = collective.all_gather %s from #shardir.placement<@m, [{"x"}, {} ]> to #shardir.placement<@m, [{}, {} ]> of tensor<4x2xf32>
        : tensor<2x2xf32> -> tensor<4x2xf32>
    return %r : tensor<4x2xf32>
  }

  // Unknown extents of the result come with the op.
  // CHECK-LABEL: func.func @sizes
  // CHECK:         memref.alloc(%[[N:.+]]) {{.*}}: memref<?xf32>
  // CHECK:         collective.all_gather %{{.+}} into %{{.+}} dims [%[[N]]] from
  func.func @sizes(%x: tensor<?xf32>, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %r = collective.all_gather %x sizes [%n] dims [%n] from #shardir.placement<@m, [{"x"} ]> to #shardir.placement<@m, [{} ]> of tensor<?xf32>
        : tensor<?xf32> -> tensor<?xf32>
    %f = tensor.extract %r[%c0] : tensor<?xf32>
    return %f : f32
  }

  // CHECK-LABEL: func.func @rooted
  // CHECK-SAME:    %[[X:.+]]: memref<3xf32> {{.*}}, %[[R:.+]]: memref<6xf32>
  // CHECK:         collective.send %[[X]] to %{{.+}} on @m ["x"] : memref<3xf32>
  // CHECK:         collective.recv into %[[GOT:.+]] from %{{.+}} on @m ["x"] : memref<3xf32>
  // CHECK:         collective.gather %[[GOT]] into %[[R]] root
  func.func @rooted(%x: tensor<3xf32>) -> tensor<6xf32> {
    %c0 = arith.constant 0 : index
    collective.send %x to %c0 on @m ["x"] : tensor<3xf32>
    %got = collective.recv from %c0 on @m ["x"] -> tensor<3xf32>
    %r = collective.gather %got root %c0 on @m ["x"] : tensor<3xf32> -> tensor<6xf32>
    return %r : tensor<6xf32>
  }
}
