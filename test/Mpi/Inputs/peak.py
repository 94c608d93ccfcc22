"""peak.py COMMAND...: runs the command as one of several processes and prints the most memory that it has had resident,
in KiB, with the process' number."""
import os
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[1:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"process {os.environ['OMPI_COMM_WORLD_RANK']}: {peak} KiB", flush=True)
sys.exit(status)
