// RUN: shard-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{'shardir.mesh' op must have 1 to 8 axes, found 0}}
shardir.mesh @m <[]>

// -----

// expected-error @+1 {{'shardir.mesh' op must have 1 to 8 axes, found 9}}
shardir.mesh @m <["a"=1, "b"=1, "c"=1, "d"=1, "e"=1, "f"=1, "g"=1, "h"=1, "i"=1]>

// -----

// expected-error @+1 {{'shardir.mesh' op axis name "2x" must match [A-Za-z_][A-Za-z0-9_-]*}}
shardir.mesh @m <["2x"=2]>

// -----

// expected-error @+1 {{'shardir.mesh' op axis name "" must match [A-Za-z_][A-Za-z0-9_-]*}}
shardir.mesh @m <[""=2]>

// -----

// expected-error @+1 {{'shardir.mesh' op axis name "tp:2" must match [A-Za-z_][A-Za-z0-9_-]*}}
shardir.mesh @m <["tp:2"=2]>

// -----

// expected-error @+1 {{'shardir.mesh' op axis "x" appears twice}}
shardir.mesh @m <["x"=2, "x"=2]>

// -----

// expected-error @+1 {{the size of axis "x" must be at least 1, found 0}}
shardir.mesh @m <["x"=0]>

// -----

// expected-error @+1 {{the size of axis "x" must be at least 1, found -2}}
shardir.mesh @m <["x"=-2]>

// -----

// expected-error @+1 {{'shardir.mesh' op the size of axis "x" must be at least 1, found 0}}
shardir.mesh @m <["x"=?0]>

// -----

// expected-error @+1 {{'shardir.mesh' op has more than 2^20 devices}}
shardir.mesh @m <["x"=1024, "y"=1025]>

// -----

// expected-error @+1 {{'shardir.mesh' op has more than 2^20 devices}}
shardir.mesh @m <["x"=4611686018427387904, "y"=?4]>

// -----

// expected-error @+1 {{'shardir.mesh' op lists 3 devices for 4 positions}}
shardir.mesh @m <["x"=2, "y"=2], devices = [0, 1, 2]>

// -----

// expected-error @+1 {{'shardir.mesh' op device 1 is listed twice}}
shardir.mesh @m <["x"=2], devices = [1, 1]>

// -----

// expected-error @+1 {{'shardir.mesh' op device -1 is not a rank}}
shardir.mesh @m <["x"=2], devices = [0, -1]>

// -----

// expected-error @+1 {{'shardir.mesh' op cannot list devices while an axis size is unknown}}
shardir.mesh @m <["x"=?2], devices = [0, 1]>

// -----

// expected-error @+1 {{'shardir.mesh' op links name axis "y", which the mesh lacks}}
shardir.mesh @m <["x"=2], links = {y = {latency = 1.0}}>

// -----

// expected-error @+1 {{'shardir.mesh' op the link of axis "x" must be {bandwidth = bytes/s, latency = s}}}
shardir.mesh @m <["x"=2], links = {x = 1.0}>

// -----

// expected-error @+1 {{'shardir.mesh' op the link of axis "x" has bandwidth, latency and gather_bandwidth alone, floats that are not negative}}
shardir.mesh @m <["x"=2], links = {x = {latency = -1.0}}>

// -----

// expected-error @+1 {{'shardir.mesh' op the link of axis "x" has bandwidth, latency and gather_bandwidth alone, floats that are not negative}}
shardir.mesh @m <["x"=2], links = {x = {bandwidth = 5}}>

// -----

// expected-error @+1 {{'shardir.mesh' op the link of axis "x" has bandwidth, latency and gather_bandwidth alone, floats that are not negative}}
shardir.mesh @m <["x"=2], links = {x = {speed = 5.0}}>

// -----

// expected-error @+1 {{expected 'devices' or 'links', found 'hosts'}}
shardir.mesh @m <["x"=2], hosts = [0, 1]>

// -----

// The generic form is checked as well.
// expected-error @+1 {{'shardir.mesh' op must have one size per axis}}
"shardir.mesh"() <{sym_name = "m", axis_names = ["x"], axis_sizes = array<i64: 2, 2>, assumed_sizes = array<i64: 2>}> : () -> ()

// -----

// expected-error @+1 {{'shardir.mesh' op the size of axis "x" must be at least 1, found 3}}
"shardir.mesh"() <{sym_name = "m", axis_names = ["x"], axis_sizes = array<i64: 2>, assumed_sizes = array<i64: 3>}> : () -> ()
