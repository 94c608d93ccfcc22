// Slices that take all of a dim at an offset that is computed: it can only be 0,
// so the dim stays sharded, in a loop too, as JAX writes gathers' gradients.
// RUN: shard-run %s --verify --function=add_rows --mesh=tp=2 --options=strict
// RUN: shard-run %s --verify --function=add_rows --mesh=tp=4 --options=strict
// RUN: shard-run %s --verify --function=add_rows --mesh=tp=4 --options="cost=bytes conflicts=shardy"
// RUN: shard-run %s --verify --function=read --mesh=tp=3 --input=6x7xf32 --input=index=0 --options=strict
// RUN: shard-run %s --verify --function=read --mesh=tp=4
// RUN: shard-opt %s --shardir-to-collective | FileCheck %s --implicit-check-not=collective.
// RUN: shard-opt %s --shardir-to-local=mesh=tp=2 | FileCheck %s --check-prefix=LOCAL
shardir.mesh @m <["tp"=?2]>

// CHECK-LABEL: @add_rows
func.func @add_rows(%table: tensor<15x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                    %at: tensor<8x2xi32>,
                    %rows: tensor<8x1x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"tp"}]>})
    -> tensor<15x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c14 = arith.constant 14 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %table) -> (tensor<15x6xf32>) {
    %a = tensor.extract %at[%i, %c0] : tensor<8x2xi32>
    %b = tensor.extract %at[%i, %c1] : tensor<8x2xi32>
    %row = arith.index_cast %a : i32 to index
    %column = arith.index_cast %b : i32 to index
    %row0 = arith.maxsi %row, %c0 : index
    %row1 = arith.minsi %row0, %c14 : index
    // As JAX clamps the start of a window of all columns.
    %column0 = arith.maxsi %column, %c0 : index
    %column1 = arith.minsi %column0, %c0 : index
    %old = tensor.extract_slice %t[%row1, %column1] [1, 6] [1, 1] : tensor<15x6xf32> to tensor<1x6xf32>
    %new = tensor.extract_slice %rows[%i, %column1, %column1] [1, 1, 6] [1, 1, 1] : tensor<8x1x6xf32> to tensor<1x6xf32>
    %sum = arith.addf %old, %new : tensor<1x6xf32>
    %u = tensor.insert_slice %sum into %t[%row1, %column1] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<15x6xf32>
    scf.yield %u : tensor<15x6xf32>
  }
  return %r : tensor<15x6xf32>
}

// The local form reads its own columns from the first on; all of a tensor is the tensor.
// LOCAL-LABEL: @add_rows
// LOCAL: tensor.insert_slice {{.*}}, 0] [1, 3]
// CHECK-LABEL: @read
func.func @read(%x: tensor<6x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, %at: index)
    -> tensor<6x7xf32> {
  %c0 = arith.constant 0 : index
  %i = arith.minui %at, %c0 : index
  %s = tensor.extract_slice %x[%i, %i] [6, 7] [1, 1] : tensor<6x7xf32> to tensor<6x7xf32>
  %r = math.exp %s : tensor<6x7xf32>
  return %r : tensor<6x7xf32>
}
