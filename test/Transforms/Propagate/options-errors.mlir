// Options are checked before anything runs.
//
// RUN: not shard-opt %s --shardir-to-propagated="cost=speed" 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not shard-opt %s --shardir-to-local="target=pdp11" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not shard-opt %s --shardir-to-scheduled="layout=column-major" 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not shard-opt %s --shardir-to-propagated="conflicts=gspmd" 2>&1 | FileCheck %s --check-prefix=CONFLICTS
// RUN: shard-opt %s -shardir-propagate="cost=speed" -verify-diagnostics

// RUN: not shard-opt %s --shardir-to-propagated="cost=byte" 2>&1 | FileCheck %s --check-prefix=BYTE
// RUN: not shard-opt %s --shardir-to-gpu="arch=sm_90" 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not shard-opt %s --shardir-to-local="layout=rowmajor" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not shard-opt %s --shardir-to-local="rings=alway" 2>&1 | FileCheck %s --check-prefix=ALWAYS
// RUN: not shard-opt %s --shardir-to-gpu="schedule=mma" 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: option schedule must be {{.*}}found 'mma'; did you mean 'mma_matmul'?
// BYTE: option cost must be time or bytes, found 'byte'; did you mean 'bytes'?
// ARCH: option arch must be sm_80, sm_86, sm_89, sm_90a, sm_100a, compute_80 or host, found 'sm_90'; did you mean 'sm_90a'?
// ROWS: option layout must be row-major, auto or contiguous, found 'rowmajor'; did you mean 'row-major'?
// ALWAYS: option rings must be auto, always or never, found 'alway'; did you mean 'always'?
// COST: option cost must be time or bytes, found 'speed'
// CONFLICTS: option conflicts must be search, greedy or shardy, found 'gspmd'
// LAYOUT: option layout must be row-major, auto or contiguous, found 'column-major'
// RUN: not shard-opt %s --shardir-to-cpu="rings=often" 2>&1 | FileCheck %s --check-prefix=RINGS
// RINGS: option rings must be auto, always or never, found 'often'
// TARGET: option target must be host, x86-64, avx2, avx2-vnni, avx512, avx512-vnni, avx512-bf16, avx512-amx, avx512-amx-fp16, neon, neon-dot or sve-256, found 'pdp11'

// expected-error @below {{option cost must be time or bytes, found 'speed'}}
module {
  shardir.mesh @m <["a"=2]>
}
