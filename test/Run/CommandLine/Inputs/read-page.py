# Reads the JSON in a page of shard-run --html, and compares it with the files of
# --report and --trace.
"""usage: read-page.py PAGE [REPORT TRACE]"""

import json
import re
import sys

with open(sys.argv[1]) as file:
    page = file.read()
data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]
reports = json.loads(data)
report = reports[0]
title, trace = report.pop("title"), report.pop("trace")
slices = [event for event in trace if event["ph"] == "X"]
same = ""
if len(sys.argv) > 2:
    with open(sys.argv[2]) as file:
        same = ", as in r.json" if json.load(file) == report else ", unlike r.json"
print(f"{len(reports)} report{'' if len(reports) == 1 else 's'}{same}")
if len(sys.argv) > 3:
    with open(sys.argv[3]) as file:
        same = ", as in t.json" if json.load(file)["traceEvents"] == trace else ", unlike t.json"
print(f"{len(slices)} slices{same}")
print(f"title {title}")
template = page.replace(data, "")
loaded = re.findall(r"""(?:src|href)\s*=\s*["'](?!#|data:)[^"']*|@import|\burl\(\s*["']?\w+:""", template)
loaded = [each for each in loaded if "url(#" not in each]
print("it loads " + ", ".join(loaded) if loaded else "nothing is loaded")
