#!/usr/bin/env python3
"""Makes the approved moves of files, on the client beside it: curl -O $TALLYLIGHT_URL/docs/tallylight.py
moves.py FILESPACE FOLDER: fingerprint, move, acknowledge, report. A key of the production with the scope write."""
import hashlib, os, shutil, sys, time
from tallylight import Tallylight, TallylightError

def event(kind, path, file):  # the same event always has the same dedupe_key
    seen = os.stat(file) if os.path.exists(file) else None
    size, mtime = (seen.st_size, seen.st_mtime_ns) if seen else (None, None)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"event_type": kind, "path": path, "source": "reconciler", "dedupe_key": f"{kind}:{path}:{mtime or 'gone'}",
            "detected_at": now, "size": size, "mtime_ns": mtime}

def move(task_id, src, dst):
    source, target = os.path.join(root, src), os.path.join(root, dst)
    if not os.path.isfile(source):
        tally.acknowledge_storage_task(task_id=task_id, ok=False, note="the source is not there")
        return f"{src} is not there"
    src_sha256 = hashlib.sha256(open(source, "rb").read()).hexdigest()
    tally.acknowledge_storage_task(task_id=task_id, src_sha256=src_sha256)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.move(source, target)
    tally.acknowledge_storage_task(task_id=task_id, ok=True)
    events = [event("delete", src, source), event("create", dst, target)]
    accepted = tally.post_storage_events(filespace=filespace, events=events)["accepted"]
    return f"{src} -> {dst}, {accepted} events accepted"

if len(sys.argv) != 3:
    sys.exit(__doc__)
filespace, root = sys.argv[1:]
url, key = os.environ.get("TALLYLIGHT_URL"), os.environ.get("TALLYLIGHT_KEY")
if not url or not key:
    print("set TALLYLIGHT_URL to the address of the server, and TALLYLIGHT_KEY to a key of it", file=sys.stderr)
    sys.exit(2)
tally = Tallylight(url, key)
try:
    for task in tally.list_storage_tasks()["tasks"]:
        print(f"task {task['task_id']}: {move(task['task_id'], task['src'], task['dst'])}")
except TallylightError as refusal:
    sys.exit(str(refusal))
