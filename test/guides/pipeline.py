#!/usr/bin/env python3
"""Four pipeline jobs on a Tallylight server, with only Python's standard library.

    export TALLYLIGHT_URL=http://127.0.0.1:8787 TALLYLIGHT_KEY=tl_...
    pipeline.py poll 22                       # a scene's bundle, fetched again only if it changed
    pipeline.py stills 22 stills              # the stills of its released versions, as files in a folder
    pipeline.py submit 1 comp_v4.mov --title "Comp v4"
    pipeline.py storage main-raid /mnt/show   # carries out the approved file moves

poll and stills take a production's key or a vendor's, submit a vendor's with the scope submit:turnover, storage a
production's with the scope write.
"""

import argparse
import hashlib
import json
import mimetypes
import os
import random
import shutil
import sys
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone
from pathlib import Path

BASE = os.environ.get("TALLYLIGHT_URL", "http://127.0.0.1:8787") + "/api/v1"
KEY = os.environ.get("TALLYLIGHT_KEY", "")
PASSING = {408, 429, 500, 502, 503, 504}  # retried, like every response with Retry-After; other errors are final
TRIES = 5


def call(path, body=None, headers=None):
    """Sends a request and returns (status, headers, bytes). Retries after network failures and temporary errors."""
    for attempt in range(1, TRIES + 1):
        request = urllib.request.Request(BASE + path, data=body, headers={"Authorization": f"Bearer {KEY}", **(headers or {})})
        pause = min(30, 2**attempt) * random.uniform(0.5, 1)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as refusal:
            if refusal.code == 304:
                return 304, refusal.headers, b""
            detail = json.loads(refusal.read())["detail"]
            passing = refusal.code in PASSING or "Retry-After" in refusal.headers
            if not passing or attempt == TRIES:
                sys.exit(f"{path}: {refusal.code} {detail}")
            pause = float(refusal.headers.get("Retry-After") or pause)
        except (urllib.error.URLError, ConnectionError, TimeoutError) as failure:
            if attempt == TRIES:
                sys.exit(f"{path}: {failure}")
        time.sleep(pause)


def key_of(*request):
    """An Idempotency-Key computed from the request. A job that crashed and is run again within a day sends the same key, and
    the server returns its first response instead of doing the work twice."""
    return hashlib.sha256(json.dumps(request).encode()).hexdigest()


def send(path, document):
    """POSTs JSON with an Idempotency-Key, so that retries do the work only once."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": key_of(path, document)}
    return json.loads(call(path, json.dumps(document).encode(), headers)[2])


def poll(scene, every, times):
    """Prints a scene's assets whenever its bundle has changed. An unchanged bundle is a 304 without a body."""
    etag = None
    while times != 0:
        status, headers, body = call(f"/bundles/scene/{scene}", headers={"If-None-Match": etag} if etag else {})
        if status == 304:
            print("unchanged")
        else:
            etag = headers["ETag"]
            bundle = json.loads(body)
            labels = ", ".join(asset["label"] for asset in bundle["assets"])
            print(f"scene {bundle['scene']['number']}, {bundle['scene']['slugline']}: {labels}")
        times -= 1
        if times != 0:
            time.sleep(every)


def stills(scene, folder):
    """Downloads the still of every released version in a scene's bundle. media_id works with a vendor's key too."""
    folder.mkdir(parents=True, exist_ok=True)
    for asset in json.loads(call(f"/bundles/scene/{scene}")[2])["assets"]:
        for version in asset["released_versions"]:
            if version["media_id"] is not None:
                _, headers, content = call(f"/media/{version['media_id']}/content")
                suffix = mimetypes.guess_extension(headers.get_content_type()) or ""
                file = folder / f"{asset['node_id']}_v{version['version']:03}{suffix}"
                file.write_bytes(content)
                print(f"{file.name}: {asset['label']}")


def submit(delivery, files, title):
    """Submits files on a delivery. The body is built in memory; stream larger files with a library."""
    path = f"/turnovers/{delivery}/submissions"
    key = key_of(path, title, [[file.name, fingerprint(file)] for file in files])
    mark = uuid.uuid4().hex
    parts = [] if title is None else [f'--{mark}\r\nContent-Disposition: form-data; name="title"\r\n\r\n{title}\r\n'.encode()]
    for file in files:
        name = file.name.replace('"', "%22")
        head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        parts += [head.encode(), file.read_bytes(), b"\r\n"]
    body = b"".join([*parts, f"--{mark}--\r\n".encode()])
    headers = {"Content-Type": f"multipart/form-data; boundary={mark}", "Idempotency-Key": key}
    submission = json.loads(call(path, body, headers)[2])
    print(f"submission {submission['id']}, {submission['title']}: {submission['status']}")
    for medium in submission["media"]:
        print(f"  medium {medium['id']}: {medium['label']}")


def event(kind, path, file):
    """An event for POST /storage/events. The same event always has the same dedupe_key."""
    seen = file.stat() if file.exists() else None
    return {
        "event_type": kind,
        "path": path,
        "source": "reconciler",
        "dedupe_key": f"{kind}:{path}:{seen.st_mtime_ns if seen else 'gone'}",
        "detected_at": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "size": seen.st_size if seen else None,
        "mtime_ns": seen.st_mtime_ns if seen else None,
    }


def fingerprint(file):
    digest = hashlib.sha256()
    with file.open("rb") as content:
        for block in iter(lambda: content.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def storage(filespace, root, every, times):
    """Carries out approved moves: fingerprint, move, acknowledge, report."""
    while times != 0:
        for task in json.loads(call("/storage/tasks")[2])["tasks"]:
            source, target = root / task["src"], root / task["dst"]
            if not source.is_file():
                send("/storage/tasks/ack", {"task_id": task["task_id"], "ok": False, "note": "the source is not there"})
                print(f"task {task['task_id']}: {task['src']} is not there")
                continue
            send("/storage/tasks/ack", {"task_id": task["task_id"], "src_sha256": fingerprint(source)})
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(source, target)
            send("/storage/tasks/ack", {"task_id": task["task_id"], "ok": True})
            events = [event("delete", task["src"], source), event("create", task["dst"], target)]
            answer = send("/storage/events", {"filespace": filespace, "events": events})
            print(f"task {task['task_id']}: {task['src']} -> {task['dst']}, {answer['accepted']} events accepted")
        times -= 1
        if times != 0:
            time.sleep(every)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    polling = commands.add_parser("poll")
    polling.add_argument("scene", type=int)
    fetching = commands.add_parser("stills")
    fetching.add_argument("scene", type=int)
    fetching.add_argument("folder", type=Path)
    submitting = commands.add_parser("submit")
    submitting.add_argument("delivery", type=int)
    submitting.add_argument("files", type=Path, nargs="+")
    submitting.add_argument("--title")
    storing = commands.add_parser("storage")
    storing.add_argument("filespace")
    storing.add_argument("root", type=Path)
    for command in (polling, storing):
        command.add_argument("--every", type=float, default=10, help="seconds between two polls")
        command.add_argument("--times", type=int, default=-1, help="number of polls; endless by default")
    given = vars(parser.parse_args())
    {"poll": poll, "stills": stills, "submit": submit, "storage": storage}[given.pop("command")](**given)


if __name__ == "__main__":
    main()
