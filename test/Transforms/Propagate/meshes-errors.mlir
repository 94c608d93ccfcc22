// RUN: shard-opt %s -split-input-file -verify-diagnostics --shardir-propagate

// A program has as many ranks as its meshes name; each must be named.
// expected-error@+1 {{names rank 7, but no mesh names rank 1; number the ranks from 0 without gaps}}
shardir.mesh @m <["x"=2], devices = [0, 7]>

// -----

// Two meshes together may name them all.
shardir.mesh @a <["x"=2], devices = [0, 3]>
shardir.mesh @b <["x"=2], devices = [1, 2]>
