// Forms that entries may have: extents known only at run time, scalars, results
// that are arguments, constants, or returned twice, loops, branches and calls
// around collectives, strided operands.
// RUN: shard-run --compile-only %s -o %t.so
// RUN: shard-run %t.so --function=dynamic --input=5xi32=1,2,3,4,5 --input=5xi32=10,20,30,40,50 --expected_output=5xi32=11,22,33,44,55
// RUN: not shard-run %t.so --function=dynamic --input=5xi32=1,2,3,4,5 --input=4xi32=10,20,30,40 --expected_output=5xi32=0 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: shard-run %t.so --function=scalars --input=f32=1.5 --input=i32=7 --expected_output=f32=3 --expected_output=i32=7
// RUN: shard-run %t.so --function=same --input=2xi32=1,2 --expected_output=2xi32=1,2 --expected_output=2xi32=1,2 --expected_output=2xi32=1,5 --expected_output=2xi32=8,9
// RUN: shard-run %t.so --function=loop --input=2xi32=1,3 --expected_output=2xi32=8,24 --expected_output=2xi32=1,3
// RUN: shard-run %t.so --function=strided --input=3x4xi32=0,1,2,3,4,5,6,7,8,9,10,11 --expected_output=3x2xi32=2,4,10,12,18,20
// RUN: shard-run %t.so --function=checked --input=i32=1 --expected_output=i32=1
// RUN: not shard-run %t.so --function=checked --input=i32=-1 --expected_output=i32=1 2>&1 | FileCheck %s --check-prefix=ASSERT

// EXTENT: result 0 of @dynamic has another extent in dim 0 than the buffer for it
// ASSERT: the argument is negative

module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>

  func.func private @add(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %y, %c0 : tensor<?xi32>
    %empty = tensor.empty(%n) : tensor<?xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(r) -> (r)>, affine_map<(r) -> (r)>, affine_map<(r) -> (r)>],
                         iterator_types = ["parallel"]}
        ins(%x, %y : tensor<?xi32>, tensor<?xi32>) outs(%empty : tensor<?xi32>) {
    ^bb0(%a: i32, %b: i32, %c: i32):
      %sum = arith.addi %a, %b : i32
      linalg.yield %sum : i32
    } -> tensor<?xi32>
    return %r : tensor<?xi32>
  }

  func.func @dynamic(%x: tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                     %y: tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{}]>})
      -> (tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %y, %c0 : tensor<?xi32>
    %whole = collective.all_gather %x sizes [%n] dims [%n]
        from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{} ]> of tensor<?xi32>
        : tensor<?xi32> -> tensor<?xi32>
    %r = func.call @add(%whole, %y) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    return %r : tensor<?xi32>
  }

  func.func @scalars(%x: f32, %i: i32) -> (f32, i32) {
    %t = tensor.from_elements %x : tensor<f32>
    %sum = collective.all_reduce %t from #shardir.placement<@m, [], partial = sum ["x"]>
                                      to #shardir.placement<@m, []> of tensor<f32> : tensor<f32> -> tensor<f32>
    %r = tensor.extract %sum[] : tensor<f32>
    return %r, %i : f32, i32
  }

  func.func @same(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
    %c1 = arith.constant 1 : index
    %five = arith.constant 5 : i32
    %k = arith.constant dense<[8, 9]> : tensor<2xi32>
    // Must not write to the argument.
    %y = tensor.insert %five into %x[%c1] : tensor<2xi32>
    return %x, %x, %y, %k : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  }

  // Three times the sum of two equal terms.
  func.func @loop(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> tensor<2xi32> {
      %sum = collective.all_reduce %t from #shardir.placement<@m, [{}], partial = sum ["x"]>
                                        to #shardir.placement<@m, [{} ]> of tensor<2xi32>
          : tensor<2xi32> -> tensor<2xi32>
      scf.yield %sum : tensor<2xi32>
    }
    return %r, %x : tensor<2xi32>, tensor<2xi32>
  }

  // The operand is a view with gaps; the runtime takes contiguous buffers.
  func.func @strided(%x: tensor<3x4xi32>) -> tensor<3x2xi32> {
    %middle = tensor.extract_slice %x[0, 1] [3, 2] [1, 1] : tensor<3x4xi32> to tensor<3x2xi32>
    %r = collective.all_reduce %middle from #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
                                         to #shardir.placement<@m, [{}, {} ]> of tensor<3x2xi32>
        : tensor<3x2xi32> -> tensor<3x2xi32>
    return %r : tensor<3x2xi32>
  }

  func.func @checked(%i: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %holds = arith.cmpi sge, %i, %zero : i32
    cf.assert %holds, "the argument is negative"
    return %i : i32
  }
}
