# Makes pages that are written for a repository fit the site: links to files that
# are no pages become their text.
#
# Requires: MkDocs, which calls it.
# Guarantees: links between pages are left as they are, and a dead one is an error of the build.
"""Hooks of mkdocs.yml."""

import re

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(((?!https?://|#)[^)\s]+)\)")


def on_page_markdown(markdown, page, config, files):
    def replace(match):
        target = match[2].split("#")[0]
        return match[0] if target.endswith((".md", ".svg")) and not target.endswith("CONTRIBUTING.md") else match[1]

    return LINK.sub(replace, markdown)
