/*===- NotAProgram.c - A shared object that is no program
------------------===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/* It loads, but it has no metadata: the runtime must refuse it. */
int shardir_test_not_a_program(void) { return 1; }
