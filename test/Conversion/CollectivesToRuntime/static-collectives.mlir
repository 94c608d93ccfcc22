// RUN: shard-opt %s --shardir-collectives-to-runtime="hash=abc" | FileCheck %s
// The metadata says which entries run the same collectives on all ranks,
// whatever the data: over MPI their ranks need not compare what they are in.

// CHECK:      @shardir_program_metadata(
// CHECK-SAME: \22name\22:\22straight\22,\22results\22:[],\22static_collectives\22:true
// CHECK-SAME: \22name\22:\22loop\22,\22results\22:[],\22static_collectives\22:true
// CHECK-SAME: \22name\22:\22extent\22,\22results\22:[],\22static_collectives\22:true
// CHECK-SAME: \22name\22:\22data\22,\22results\22:[],\22symbol\22
// CHECK-SAME: \22name\22:\22while\22,\22results\22:[],\22symbol\22
// CHECK-SAME: \22name\22:\22local\22,\22results\22:[],\22symbol\22
// CHECK-SAME: \22name\22:\22coordinate\22,\22results\22:[],\22symbol\22
// CHECK-SAME: \22name\22:\22root\22,\22results\22:[],\22symbol\22
// CHECK-SAME: \22name\22:\22called\22,\22results\22:[],\22symbol\22

#replicated = #shardir.placement<@m, [{}]>
#terms = #shardir.placement<@m, [{}], partial = sum ["x"]>
module attributes {shardir.stage = "bufferized", shardir.report = {version = 1 : i64}} {
  shardir.mesh @m <["x"=2]>
  func.func @straight(%x: memref<4xf32> {shardir.global_type = tensor<4xf32>}) {
    collective.all_reduce %x into %x from #terms to #replicated of tensor<4xf32> : memref<4xf32>, memref<4xf32>
    return
  }
  func.func @loop(%x: memref<4xf32> {shardir.global_type = tensor<4xf32>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %isFirst = arith.cmpi eq, %i, %c0 : index
      scf.if %isFirst {
        collective.all_reduce %x into %x from #terms to #replicated of tensor<4xf32> : memref<4xf32>, memref<4xf32>
      }
    }
    return
  }
  func.func @extent(%x: memref<?xf32> {shardir.global_type = tensor<?xf32>}) {
    %n = shardir.extent argument 0 dim 0
    collective.all_reduce %x into %x dims [%n] from #terms to #replicated of tensor<?xf32> : memref<?xf32>, memref<?xf32>
    return
  }
  func.func @data(%x: memref<4xf32> {shardir.global_type = tensor<4xf32>}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %value = memref.load %x[%c0] : memref<4xf32>
    %isPositive = arith.cmpf ogt, %value, %zero : f32
    scf.if %isPositive {
      collective.all_reduce %x into %x from #terms to #replicated of tensor<4xf32> : memref<4xf32>, memref<4xf32>
    }
    return
  }
  func.func @while(%x: memref<4xf32> {shardir.global_type = tensor<4xf32>}) {
    scf.while : () -> () {
      %go = arith.constant false
      scf.condition(%go)
    } do {
      collective.all_reduce %x into %x from #terms to #replicated of tensor<4xf32> : memref<4xf32>, memref<4xf32>
      scf.yield
    }
    return
  }
  // A shard's extent is another one on another rank.
  func.func @local(%x: memref<?xf32> {shardir.global_type = tensor<?xf32>}, %y: memref<4xf32> {shardir.global_type = tensor<4xf32>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 {
      collective.all_reduce %y into %y from #terms to #replicated of tensor<4xf32> : memref<4xf32>, memref<4xf32>
    }
    return
  }
  func.func @coordinate(%x: memref<4xf32> {shardir.global_type = tensor<4xf32>}) {
    %c0 = arith.constant 0 : index
    %i = shardir.axis_index @m "x"
    %isFirst = arith.cmpi eq, %i, %c0 : index
    scf.if %isFirst {
      collective.all_reduce %x into %x from #terms to #replicated of tensor<4xf32> : memref<4xf32>, memref<4xf32>
    }
    return
  }
  func.func @root(%x: memref<3xi8> {shardir.global_type = tensor<3xi8>}, %p: memref<index> {shardir.global_type = tensor<index>}) {
    %root = memref.load %p[] : memref<index>
    collective.broadcast %x into %x root %root on @m ["x"] : memref<3xi8>, memref<3xi8>
    return
  }
  func.func @called(%x: memref<4xf32> {shardir.global_type = tensor<4xf32>}) {
    call @reduce(%x) : (memref<4xf32>) -> ()
    return
  }
  func.func private @reduce(%x: memref<4xf32>) {
    collective.all_reduce %x into %x from #terms to #replicated of tensor<4xf32> : memref<4xf32>, memref<4xf32>
    return
  }
}
