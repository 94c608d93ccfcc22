// RUN: shard-opt %s -split-input-file -verify-diagnostics --shardir-collectives-to-runtime

module attributes {shardir.stage = "bufferized"} {
  // expected-error @+1 {{has axis "x" of unknown size; give it with mesh="x=N" to compile the program}}
  shardir.mesh @m <["x"=?]>
}

// -----

// expected-error @+1 {{'shardir.gpu' is not JSON: }}
module attributes {shardir.stage = "bufferized", shardir.gpu = "{"} {
}

// -----

module attributes {shardir.stage = "bufferized"} {
  shardir.mesh @m <["x"=2]>
  func.func @main(%x: memref<2x2xf32, strided<[4, 1]>>) {
    // expected-error @+1 {{needs contiguous buffers, found 'memref<2x2xf32, strided<[4, 1]>>'}}
    collective.all_reduce %x into %x from #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
        to #shardir.placement<@m, [{}, {} ]> of tensor<2x2xf32> : memref<2x2xf32, strided<[4, 1]>>, memref<2x2xf32, strided<[4, 1]>>
    return
  }
}

// -----

module attributes {shardir.stage = "bufferized"} {
  shardir.mesh @m <["x"=2]>
  func.func private @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{is still on tensors; run shardir-bufferize first}}
    %r = collective.all_reduce %x from #shardir.placement<@m, [{}], partial = sum ["x"]>
        to #shardir.placement<@m, [{} ]> of tensor<2xf32> : tensor<2xf32> -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
}

// -----

module attributes {shardir.stage = "bufferized"} {
  shardir.mesh @m <["x"=2]>
  func.func private @main(%x: memref<?xf32>, %y: memref<2xf32>, %n: index) {
    // expected-error @+1 {{of a bucket needs a global tensor of known extents; drop 'collective.bucket'}}
    collective.all_reduce %x into %x dims [%n] from #shardir.placement<@m, [{}], partial = sum ["x"]>
        to #shardir.placement<@m, [{} ]> of tensor<?xf32> {collective.bucket = 0 : i64} : memref<?xf32>, memref<?xf32>
    collective.all_reduce %y into %y from #shardir.placement<@m, [{}], partial = sum ["x"]>
        to #shardir.placement<@m, [{} ]> of tensor<2xf32> {collective.bucket = 0 : i64} : memref<2xf32>, memref<2xf32>
    return
  }
}
