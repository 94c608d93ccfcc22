// A collective between two meshes names both and counts the ranks of either; one
// that makes overlapping shards says by how much. Their bytes are what the rank
// that receives most lacks: a quarter of 16 elements, and two of a neighbour's.
//
// RUN: shard-opt %s --shardir-report=file=%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=CROSS < %t.json
// RUN: FileCheck %s --check-prefix=HALO < %t.json

shardir.mesh @a <["x"=2, "y"=2]>
shardir.mesh @b <["p"=4], devices = [2, 3, 4, 5]>

// CROSS:      "axes": [],
// CROSS-NEXT: "bytes_per_device": 16,
// CROSS:      "group_size": 6,
// CROSS:      "kind": "exchange",
// CROSS:      "mesh": "a",
// CROSS:      "operand_bytes": 32,
// CROSS:      "result_bytes": 16,
// CROSS-NEXT: "to_mesh": "b"

// HALO:       "axes": [{{$}}
// HALO-NEXT:    "x"
// HALO-NEXT:  ],
// HALO-NEXT:  "bytes_per_device": 8,
// HALO:       "group_size": 2,
// HALO:       "halo": [
// HALO-NEXT:    [
// HALO-NEXT:      1,
// HALO-NEXT:      2
// HALO:       "kind": "halo_exchange",
// HALO:       "result_bytes": 40
func.func @main(%x: tensor<16xf32> {shardir.placement = #shardir.placement<@a, [{"x"}]>})
    -> (tensor<16xf32> {shardir.placement = #shardir.placement<@b, [{"p"}]>}) {
  %0 = shardir.redistribute %x from #shardir.placement<@a, [{"x"}]> to #shardir.placement<@b, [{"p"}]> : tensor<16xf32>
  %1 = collective.halo_exchange %x from #shardir.placement<@a, [{"x"}]> to #shardir.placement<@a, [{"x"}]> halo [[1, 2]] : tensor<16xf32>
  return %0 : tensor<16xf32>
}
