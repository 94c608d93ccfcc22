/* A shared object that is no program: it has no metadata. */
int shardir_test_not_a_program(void) { return 1; }
