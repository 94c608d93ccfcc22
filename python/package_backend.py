"""Builds the package of this folder for an installer that was given the repository."""

import os

os.chdir(os.path.dirname(os.path.abspath(__file__)))

from scikit_build_core.build import *  # noqa: E402, F403
