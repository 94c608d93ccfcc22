// Meshes: axes, unknown sizes, the order of devices, links.
//
// RUN: shard-opt %s -verify-roundtrip | FileCheck %s

// CHECK: shardir.mesh @m <["dp"=2, "tp"=4]>
shardir.mesh @m <["dp"=2, "tp"=4]>

// CHECK: shardir.mesh @one <["x"=1]>
shardir.mesh @one <["x"=1]>

// CHECK: shardir.mesh @eight <["a"=1, "b"=2, "c"=1, "d"=2, "e"=1, "f"=2, "g-1"=1, "_h"=2]>
shardir.mesh @eight <["a"=1, "b"=2, "c"=1, "d"=2, "e"=1, "f"=2, "g-1"=1, "_h"=2]>

// Without a number decisions assume 8, so `?8` is `?`.
// CHECK: shardir.mesh @symbolic <["dp"=?, "tp"=?, "pp"=?4, "x"=2]>
shardir.mesh @symbolic <["dp"=?, "tp"=?8, "pp"=?4, "x"=2]>

// CHECK: shardir.mesh @devices <["x"=2, "y"=2], devices = [3, 2, 1, 0]>
shardir.mesh @devices <["x"=2, "y"=2], devices = [3, 2, 1, 0]>

// A sub-mesh: ranks need not begin at 0.
// CHECK: shardir.mesh @sub <["x"=2], devices = [4, 6]>
shardir.mesh @sub <["x"=2], devices = [4, 6]>

// CHECK: shardir.mesh @links <["x"=2, "y"=?], links = {x = {bandwidth = 5.000000e+10 : f64, latency = 1.000000e-05 : f64}, y = {latency = 2.000000e-06 : f64}}>
shardir.mesh @links <["x"=2, "y"=?], links = {x = {bandwidth = 5.0e10, latency = 1.0e-5}, y = {latency = 2.0e-6}}>

// CHECK: shardir.mesh @both <["x"=2], devices = [1, 0], links = {x = {}}>
shardir.mesh @both <["x"=2], links = {x = {}}, devices = [1, 0]>

// CHECK: shardir.mesh @attributes <["x"=2]> {note = "kept"}
shardir.mesh @attributes <["x"=2]> {note = "kept"}
