"""ptxas.py ARGUMENTS...: runs ptxas from where the compiler looks for it."""
import os
import subprocess
import sys

cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
roots = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")]
roots += ["/usr/local/cuda", os.path.join(cache, "shardir", "cuda")]
found = [os.path.join(root, "bin", "ptxas") for root in roots if root]
tool = os.environ.get("SHARDIR_PTXAS") or next((path for path in found if os.path.exists(path)), "ptxas")
done = subprocess.run([tool, *sys.argv[1:]], capture_output=True, text=True)
print(done.stdout + done.stderr)
sys.exit(done.returncode)
