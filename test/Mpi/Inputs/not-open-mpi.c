/* A library that is MPI and not Open MPI. */
#include <string.h>

int MPI_Get_library_version(char *text, int *length) {
  strcpy(text, "MPICH Version:\t4.0.2\nMPICH Release date: today\n");
  *length = (int)strlen(text);
  return 0;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  (void)argc, (void)argv, (void)required, (void)provided;
  return *(volatile int *)8; /* nobody may call it */
}
