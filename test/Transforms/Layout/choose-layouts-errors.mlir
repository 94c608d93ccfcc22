// RUN: shard-opt %s -verify-diagnostics -split-input-file -shardir-choose-layouts=mode=column-major

// expected-error @below {{option mode must be row-major, auto or contiguous, found 'column-major'}}
module attributes {shardir.stage = "local"} {
}

// -----

// expected-error @below {{'shardir.layout_saved_bytes' must be an i64 on the module}}
module attributes {shardir.stage = "local", shardir.layout_saved_bytes = "much"} {
}
