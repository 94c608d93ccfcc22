// A row at a place that is known only at run time, of a tensor whose rows lie in turns,
// {2, "x"}: the rows go into blocks first, and the device that has the row gives it.
// RUN: shard-run %s --verify --options=conflicts=greedy --mesh=x=3 --input=12x3xf32 --input=index=7
// RUN: shard-run %s --verify --options="conflicts=shardy cost=bytes" --mesh=x=2 --input=12x3xf32 --input=index=0
// RUN: shard-run %s --verify --mesh=x=2 --input=12x3xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36 --input=index=11 --expected_output=1x3xf32=34,35,36
// RUN: shard-run %s --verify --mesh=x=3 --input=12x3xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36 --input=index=4 --expected_output=1x3xf32=13,14,15
shardir.mesh @m <["x"=?]>

func.func @main(%rows: tensor<12x3xf32> {shardir.placement = #shardir.placement<@m, [{2, "x"}, {}]>}, %at: index)
    -> tensor<1x3xf32> {
  %r = tensor.extract_slice %rows[%at, 0] [1, 3] [1, 1]
      {shardir.placements = [#shardir.placement<@m, [{}, {}], partial = sum ["x"]>]} : tensor<12x3xf32> to tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}
