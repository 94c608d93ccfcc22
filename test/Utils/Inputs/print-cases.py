# Prints the programs of the benchmarks, sharded and not, as splits of one file.
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "benchmarks"))
import cases

every = cases.local_cases() + cases.sharded_cases()
print("// -----\n".join(case.text(sharded) for case in every for sharded in (True, False)))
