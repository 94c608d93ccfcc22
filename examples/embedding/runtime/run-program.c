/*===- run-program.c - A C program that runs a compiled program
------------===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * usage: run-program PROGRAM.so, made by `shard-compile program.mlir -o
 * PROGRAM.so`:
 * @main takes a 4x3 and a 3 tensor of f32 and gives a 4x3 one. Prints its
 * signature, runs it on 0, 1, 2, ... and 0, 100, 200, and prints the result;
 * ends with the runtime's status.
 */
#include <ShardIR/Runtime/ShardIR.h>
#include <stdio.h>

static int fail(shardir_status status) {
  printf("status %d: %s\n", (int)status, shardir_last_error());
  return (int)status;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  shardir_program *program = NULL;
  shardir_status status = shardir_program_load(argv[1], &program);
  if (status)
    return fail(status);

  if (shardir_version() != SHARDIR_VERSION)
    return 3;
  printf("%d ranks\n", (int)shardir_program_num_ranks(program));
  size_t arguments = 0;
  status = shardir_function_num_arguments(program, "main", &arguments);
  for (size_t i = 0; !status && i < arguments; ++i) {
    shardir_tensor_info info;
    int64_t local[8] = {0};
    status = shardir_function_argument(program, "main", i, &info);
    if (!status)
      status = shardir_argument_local_shape(program, "main", i, 1, local);
    if (!status)
      printf("argument %d: rank %d, %s, rank 1 has %d rows\n", (int)i,
             (int)info.rank, info.placement, (int)local[0]);
  }
  if (status)
    return fail(status);

  float a[12], b[3], c[12];
  for (int i = 0; i < 12; ++i)
    a[i] = i;
  for (int i = 0; i < 3; ++i)
    b[i] = 100 * i;
  int64_t matrix[] = {4, 3}, row[] = {3};
  shardir_buffer in[] = {{a, matrix, 2, SHARDIR_F32}, {b, row, 1, SHARDIR_F32}};
  shardir_buffer out = {c, matrix, 2, SHARDIR_F32};
  status = shardir_run(program, "main", in, 2, &out, 1, NULL);
  if (status)
    return fail(status);
  for (int i = 0; i < 12; ++i)
    printf("%g%c", c[i], i % 3 == 2 ? '\n' : ' ');

  /* Wrong use is a status and a message. */
  status = shardir_run(program, "main", in, 1, &out, 1, NULL);
  fail(status);
  shardir_program_free(program);
  return status == SHARDIR_INVALID_ARGUMENT ? 0 : 1;
}
