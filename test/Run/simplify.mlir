// Programs with simplified redistributions equal the unsharded program: on
// uneven blocks, with more devices than rows, and on one device; with weights
// gathered again and with shared ones. Both ends of a device's link count the
// bytes that the report says.
//
// RUN: env SHARD_RUN=%shardir_build/bin/shard-run %python %S/Inputs/verify-all.py %S/../Transforms/Redistribute/Inputs/moves.mlir --options=cost=bytes
// RUN: env SHARD_RUN=%shardir_build/bin/shard-run %python %S/Inputs/verify-all.py %S/../Transforms/Redistribute/Inputs/moves.mlir --options=cost=time
// RUN: env SHARD_RUN=%shardir_build/bin/shard-run %python %S/Inputs/verify-all.py %S/../Transforms/Redistribute/Inputs/fsdp.mlir
// RUN: env SHARD_RUN=%shardir_build/bin/shard-run %python %S/Inputs/verify-all.py %S/../Transforms/Redistribute/Inputs/fsdp.mlir --options=share-gathers

// The runtime counts the bytes received and held.
// RUN: shard-run %S/../Transforms/Redistribute/Inputs/fsdp.mlir --mesh=x=4 --options=combine-threshold=0 --report=%t.each.json
// RUN: %python -c "import json, sys; print(json.load(open(sys.argv[1]))['measured'])" %t.each.json | FileCheck %s --check-prefix=EACH
// RUN: shard-run %S/../Transforms/Redistribute/Inputs/fsdp.mlir --mesh=x=4 --options="share-gathers combine-threshold=0" --report=%t.all.json
// RUN: %python -c "import json, sys; print(json.load(open(sys.argv[1]))['measured'])" %t.all.json | FileCheck %s --check-prefix=ALL
// EACH: 'bytes_per_device': 6144, 'peak_bytes_per_device': 3072
// ALL: 'bytes_per_device': 4608, 'peak_bytes_per_device': 4992
