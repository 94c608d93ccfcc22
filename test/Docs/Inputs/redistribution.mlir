shardir.mesh @m <["a"=2, "b"=4]>

// Rows over "a" and "b", wanted over "b" alone.
func.func @rows(%x: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>})
    -> (tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) {
  return %x : tensor<16x6xf32>
}

// Rows over "a", wanted: columns over "a", in shards that "b" cuts once more.
func.func @columns(%x: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) {
  return %x : tensor<16x6xf32>
}

// A sum owed over both axes; wanted: rows over "b", whole over "a".
func.func @owed(%x: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["a", "b"]>})
    -> (tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}) {
  return %x : tensor<16x6xf32>
}
