# Code shared by the two lit suites: the time limit, the environment, and a test
# format that gives every test a program cache of its own.
#
# A module and not a part of lit.cfg.py: lit pickles the format for its workers.
import os
import shutil
import tempfile
from unittest import mock

import lit.formats

# A found leak or race is a failure of the test, by exit status 99: no tool
# ends with that by itself. LLVM's own libraries carry no annotations, so a
# container that crosses into them looks overflown.
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_container_overflow=0:allow_user_poisoning=0:exitcode=99:detect_odr_violation=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "exitcode=99:halt_on_error=1",
}

# Handed on from the caller's environment; everything else is left behind, so
# that a test behaves alike for everybody.
INHERITED = ["SHARDIR_EXHAUSTIVE", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "TMPDIR", "HOME", "CUDA_HOME", "CUDA_PATH",
             "CUDA_ROOT", "XDG_CACHE_HOME", "SHARDIR_PTXAS", "SHARDIR_LIBDEVICE"]


def has_time_limit():
    """lit needs psutil to end a test with all of its children."""
    try:
        import psutil  # noqa: F401
    except ImportError:
        return False
    return True


def time_limit(config):
    """Seconds for one test: sanitizers slow it down, the long forms do more."""
    seconds = config.test_timeout
    if config.shardir_sanitizer:
        seconds *= 4
    if os.environ.get("SHARDIR_EXHAUSTIVE"):
        seconds *= 10
    return seconds


def set_time_limit(lit_config, config):
    if has_time_limit() and not lit_config.maxIndividualTestTime:
        lit_config.maxIndividualTestTime = time_limit(config)


def set_environment(config):
    for name in INHERITED:
        if name in os.environ:
            config.environment[name] = os.environ[name]
    if config.shardir_sanitizer:
        suppressions = os.path.join(config.shardir_source, "test", "lsan.supp")
        config.environment["LSAN_OPTIONS"] = f"suppressions={suppressions}:print_suppressions=0"
        for name, value in SANITIZER_OPTIONS.items():
            config.environment[name] = os.environ.get(name, value)
    config.environment["PATH"] = os.path.pathsep.join(
        [os.path.join(config.shardir_build, "bin"), config.llvm_bindir, os.environ.get("PATH", "")]
    )


class IsolatedShTest(lit.formats.ShTest):
    """A shell test whose compiled programs are kept below its own %t, and whose
    temporary files are nobody else's: of two mpirun in one folder the one that ends
    removes what the other one is about to use. That folder's name is short, for sockets.

    Files named in `left_out`, by their path in the suite, are no tests.
    """

    def __init__(self, left_out=(), **arguments):
        super().__init__(**arguments)
        self.left_out = set(left_out)

    def getTestsForPath(self, suite, path_in_suite, lit_config, local_config):
        for test in super().getTestsForPath(suite, path_in_suite, lit_config, local_config):
            if "/".join(test.path_in_suite) not in self.left_out:
                yield test

    def execute(self, test, lit_config):
        path = test.getExecPath()
        cache = os.path.join(os.path.dirname(path), "Output", os.path.basename(path) + ".cache")
        shutil.rmtree(cache, ignore_errors=True)
        temporary = tempfile.mkdtemp(prefix="t-")
        test.config.environment = dict(test.config.environment, SHARDIR_CACHE_DIR=cache, TMPDIR=temporary)
        result = super().execute(test, lit_config)
        shutil.rmtree(cache, ignore_errors=True)
        shutil.rmtree(temporary, ignore_errors=True)
        return result


class ShardedGoogleTest(lit.formats.GoogleTest):
    """lit cuts an executable's tests into as many parts as there are cores, each with a
    time limit of its own: into more where there is more to do."""

    def getTestsInDirectory(self, *arguments):
        with mock.patch("lit.util.usable_core_count", lambda: 16):
            yield from super().getTestsInDirectory(*arguments)
