// Sizes of memory have suffixes; a misspelled option is answered with its name.
//
// RUN: shard-opt %s --shardir-to-collective="memory-limit=1K" -o /dev/null
// RUN: shard-opt %s --shardir-to-collective="memory-limit=256" -o /dev/null
// RUN: not shard-opt %s --shardir-to-collective="memory-limit=255" 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: shard-opt %s --shardir-to-collective="memory-limit=1Ki" -o /dev/null
// RUN: not shard-opt %s --shardir-to-collective="memory-limit=1KiB" 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not shard-opt %s --shardir-to-collective="memory-limits=1G" 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not shard-opt %s --shardir-to-collective="strict=maybe" 2>&1 | FileCheck %s --check-prefix=VALUE
// BYTES: error: {{.*}}255
// RUN: not shard-opt %s --shardir-to-scheduled="combine-threshold=many" 2>&1 | FileCheck %s --check-prefix=BUCKET
// BUCKET: error: option combine-threshold must be a number of bytes, with K, M, G, T, Ki, Mi, Gi or Ti after it or not, found 'many'
// SIZE: error: option memory-limit must be a number of bytes, with K, M, G, T, Ki, Mi, Gi or Ti after it or not, found '1KiB'
// NEAR: error: unknown option 'memory-limits'; did you mean 'memory-limit'?
// VALUE: error: cannot read 'strict=maybe'

shardir.mesh @m <["x"=2]>
func.func @main(%a: tensor<64xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<64xf32> {
  %r = math.exp %a : tensor<64xf32>
  return %r : tensor<64xf32>
}
