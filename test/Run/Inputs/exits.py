"""exits.py STATUS COMMAND...: runs the command, expects that very exit status.

lit's `not` accepts any failure; shard-run promises which one. A signal shows as
a negative number and is never what is expected.
"""
import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
status = subprocess.run(command).returncode
if status != wanted:
    sys.exit(f"exit status {status}, expected {wanted}: {' '.join(command)}")
