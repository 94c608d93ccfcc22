# The GoogleTest executables below build/test/unit whose names end in "Tests".
import os

import lit.formats
import shardir_lit

config.name = "ShardIR-Unit"
config.test_format = (shardir_lit.ShardedGoogleTest if os.environ.get("SHARDIR_EXHAUSTIVE") else lit.formats.GoogleTest)(".", "Tests")
config.test_source_root = os.path.join(config.shardir_build, "test", "unit")
config.test_exec_root = config.test_source_root
config.suffixes = []

shardir_lit.set_time_limit(lit_config, config)
shardir_lit.set_environment(config)
