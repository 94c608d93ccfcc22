// A result in an argument's place: two annotations that differ are named both.
//
// RUN: shard-opt %s -split-input-file -verify-diagnostics -shardir-propagate

shardir.mesh @m <["a"=2]>
// expected-error @+3 {{'func.func' op result 0 takes the place of argument 0, but their annotations differ; drop one or drop 'shardir.alias'}}
// expected-note @+2 {{result 0 is annotated #shardir.placement<@m, [{}, {"a"}]>}}
// expected-note @+1 {{argument 0 is annotated #shardir.placement<@m, [{"a"}, {}]>}}
func.func @differ(%w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<8x8xf32> {shardir.alias = 0 : i64, shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %0 = math.exp %w : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// The same place, said twice.
shardir.mesh @m <["a"=2]>
func.func @agree(%w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<8x8xf32> {shardir.alias = 0 : i64, shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  return %w : tensor<8x8xf32>
}
