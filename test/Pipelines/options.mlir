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
// VALUE: error: option strict must be true or false, found 'maybe'

// What an option changes must be on the way.
// RUN: not shard-opt %s --shardir-to-propagated="combine-threshold=0" 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not shard-opt %s --shardir-to-propagated=strict 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not shard-opt %s --shardir-to-scheduled="schedule=plain arch=host" 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not shard-opt %s --shardir-to-cpu="tf32=true" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: shard-opt %s --shardir-to-scheduled="overlap=false" -o /dev/null
// RUN: not shard-opt %s --shardir-to-cpu="function=main" 2>&1 | FileCheck %s --check-prefix=ENTRY
// EARLY: error: option combine-threshold does nothing before the scheduled stage; go there (--shardir-to-scheduled) or leave it out
// STRICT: error: option strict does nothing before the redistributed stage
// GPU: error: option schedule does nothing before the gpu stage
// CPU: error: option tf32 does nothing on the CPU
// ENTRY: error: option function does nothing here, where all public functions are kept; give it to shard-compile or shard-run, or leave it out

// A pipeline is for a module.
// RUN: not shard-opt %s --pass-pipeline="func.func(shardir-to-collective)" 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not shard-opt %s --pass-pipeline="any(shardir-to-local)" 2>&1 | FileCheck %s --check-prefix=ANY
// RUN: not shard-opt %s --pass-pipeline="builtin.module(func.func(shardir-to-collective))" 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: shardir-to-collective runs on 'builtin.module', found 'func.func'; write builtin.module(shardir-to-collective)
// ANY: shardir-to-local runs on 'builtin.module', found 'any'; write builtin.module(shardir-to-local)

// Passes of one's own run where the pipeline ends with their stage, with
// MLIR's anchor or without.
// RUN: shard-opt %s --shardir-to-local="after-local=strip-debuginfo,view-op-graph" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: shard-opt %s --shardir-to-local="after-local=builtin.module(view-op-graph)" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: shard-opt %s --shardir-to-bufferized="after-bufferized=view-op-graph" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: digraph G
// RUN: not shard-opt %s --shardir-to-local="after-local=func.func(shardir-localize)" 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: option after-local cannot be 'func.func(shardir-localize)': {{.*}}restricted to 'builtin.module'{{[^;]*$}}

shardir.mesh @m <["x"=2]>
func.func @main(%a: tensor<64xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<64xf32> {
  %r = math.exp %a : tensor<64xf32>
  return %r : tensor<64xf32>
}
