#!/usr/bin/env python3
# Builds the site: the pages of docs/, README.md as its first page, and the
# generated reference pages, by MkDocs in an environment of its own.
#
# Requires: the reference pages in build/docs (the target shardir-docs); python3-venv,
# and a network the first time.
# Guarantees: build/site can be read without a network; status 1 where a link is dead.
"""Build the site in build/site."""

import os
import shutil
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(SOURCE, "build")
PACKAGE = "mkdocs-material==9.6.*"


def main():
    environment, pages = os.path.join(BUILD, "docs-venv"), os.path.join(BUILD, "site-pages")
    if not os.path.exists(os.path.join(environment, "bin", "mkdocs")):
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([os.path.join(environment, "bin", "pip"), "install", "--quiet", PACKAGE], check=True)
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(os.path.join(SOURCE, "docs"), pages)
    shutil.copytree(os.path.join(BUILD, "docs"), os.path.join(pages, "reference"))
    with open(os.path.join(SOURCE, "README.md")) as file:
        text = file.read().replace("(docs/", "(")
    with open(os.path.join(pages, "index.md"), "w") as file:
        file.write(text)
    return subprocess.run([os.path.join(environment, "bin", "mkdocs"), "build", "--strict",
                           "--config-file", os.path.join(SOURCE, "mkdocs.yml")]).returncode


if __name__ == "__main__":
    sys.exit(main())
