"""rows.py TRACE: prints what lies on each row of a timeline, a line each, by rank, row and time; and on how many ranks a
collective that goes on beside others began before the rank's last kernel ended."""
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
rows = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
order = {e["tid"]: e["args"]["sort_index"] for e in events if e["name"] == "thread_sort_index"}
slices = sorted(((e["tid"], e["ts"], e) for e in events if e["ph"] == "X"), key=lambda s: (order[s[0]], s[1]))
for tid, _, event in slices:
    print(f"{rows[tid]}: {'kernel ' if event['cat'] == 'kernel' else ''}{event['name']}")
ranks = [name for name in rows.values() if "," not in name]
early = 0
for rank in ranks:
    begins = [ts for tid, ts, e in slices if rows[tid] == rank + ", collectives" and e["cat"] == "collective"]
    ends = [ts + e["dur"] for tid, ts, e in slices if rows[tid] == rank + ", stream" and e["cat"] == "kernel"]
    early += bool(begins and ends and min(begins) < max(ends))
print(f"a collective began before the last kernel of its rank: {early} of {len(ranks)}")
