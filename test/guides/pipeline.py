#!/usr/bin/env python3
"""Six pipeline jobs on a Tallylight server, with only Python's standard library.

    export TALLYLIGHT_URL=http://127.0.0.1:8787 TALLYLIGHT_KEY=tl_...
    pipeline.py scenes                        # the scenes that the key reaches
    pipeline.py day 2026-11-30                # what shoots on a date, and what is not ready for it
    pipeline.py poll 22                       # a scene's bundle, fetched again only if it changed
    pipeline.py stills 22 stills              # the stills of its released versions, as files in a folder
    pipeline.py submit 1 comp_v4.mov --title "Comp v4"
    pipeline.py storage main-raid /mnt/show   # carries out the approved file moves

scenes, poll and stills take a production's key or a vendor's, day a production's, submit a vendor's with the scope
submit:turnover, storage a production's with the scope write. Files above 8 MiB are uploaded in parts, and continue after a
failure where they were.
"""

import argparse
import base64
import hashlib
import http.client
import json
import mimetypes
import os
import random
import shutil
import sys
import tempfile
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
PART = 8 << 20  # a file above this size is uploaded in parts of this size


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


def scenes():
    """Prints the scenes that the key reaches: those of its grants, or all of them for a production's key."""
    reach = json.loads(call("/me")[2])["reach"]
    if reach is None:
        for scene in json.loads(call("/scenes")[2]):
            print(f"{scene['node_id']}: {scene['number']} {scene['slugline']}")
    else:
        for node in reach["nodes"]:
            if node["kind"] == "scene":
                print(f"{node['node_id']}: {node['label']}")


def day(date):
    """Prints what shoots on a date, the assets without a released version, and what is pending, with one request."""
    bundle = json.loads(call(f"/bundles/day?date={date}")[2])
    print(f"day {bundle['day']['day_number']}, {bundle['day']['date']}, call {bundle['day']['general_call']}")
    for scene in bundle["scenes"]:
        print(f"  scene {scene['number']} {scene['slugline']}")
        for asset in scene["assets"]:
            if not asset["ready"]:
                newest = asset["newest"]
                state = f"v{newest['version']} is {newest['status']}" if newest else "no version"
                print(f"    not ready: {asset['label']} ({asset['department']}), {state}")
    for kind in ("approvals", "deliveries", "script_changes"):
        for row in bundle[kind]:
            print(f"  {kind}: {row.get('title') or row['summary']}, {row['status']}")


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


def tus(method, path, headers, body=None):
    """Sends one request of the upload protocol tus and returns the response's headers."""
    every = {"Authorization": f"Bearer {KEY}", "Tus-Resumable": "1.0.0", **headers}
    request = urllib.request.Request(BASE + path, data=body, headers=every, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.headers


def upload(file, sha256):
    """Uploads a file in parts and returns the upload's id, and the file that remembers it, so that a job that crashed and is
    run again within a day continues the upload, or names the finished one again."""
    memory = Path(tempfile.gettempdir()) / f"tallylight-{key_of(BASE, KEY, file.name, sha256)}"
    known = memory.exists() and time.time() - memory.stat().st_mtime < 80_000
    id, done = memory.read_text().split() if known else (None, "no")
    size, failures = file.stat().st_size, 0
    while done != "yes":
        try:
            if id is None:
                name = base64.b64encode(file.name.encode()).decode()
                created = tus("POST", "/uploads", {"Upload-Length": str(size), "Upload-Metadata": f"filename {name}"})
                id = created["Location"].rsplit("/", 1)[-1]
                memory.write_text(f"{id} no")
            offset = int(tus("HEAD", f"/uploads/{id}", {})["Upload-Offset"])
            with file.open("rb") as content:
                content.seek(offset)
                while part := content.read(PART):
                    headers = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset)}
                    offset = int(tus("PATCH", f"/uploads/{id}", headers, part)["Upload-Offset"])
                    failures = 0
            done = "yes"
            memory.write_text(f"{id} yes")
        except (urllib.error.URLError, ConnectionError, TimeoutError, http.client.HTTPException) as failure:
            code = getattr(failure, "code", None)
            if code == 404 and id is not None:
                id = None  # it has expired
            elif code is not None and code not in PASSING | {409}:
                sys.exit(f"{file}: {code} {json.loads(failure.read() or b'{}').get('detail', '')}")
            failures += 1
            if failures == TRIES:
                sys.exit(f"{file}: {failure}")
            time.sleep(min(30, 2**failures) * random.uniform(0.5, 1))
    return id, memory


def form_of(files, title):
    """Returns a form and its content type. It is built in memory, so it is for small files."""
    mark = uuid.uuid4().hex
    parts = [] if title is None else [f'--{mark}\r\nContent-Disposition: form-data; name="title"\r\n\r\n{title}\r\n'.encode()]
    for file in files:
        name = file.name.replace('"', "%22")
        head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        parts += [head.encode(), file.read_bytes(), b"\r\n"]
    return b"".join([*parts, f"--{mark}--\r\n".encode()]), f"multipart/form-data; boundary={mark}"


def submit(delivery, files, title):
    """Submits files on a delivery: small ones in one form, larger ones as finished uploads."""
    path = f"/turnovers/{delivery}/submissions"
    hashes = [fingerprint(file) for file in files]
    memories = []
    if any(file.stat().st_size > PART for file in files):
        uploads = [upload(file, sha256) for file, sha256 in zip(files, hashes)]
        memories = [memory for _, memory in uploads]
        document = {"upload_ids": [id for id, _ in uploads], **({} if title is None else {"title": title})}
        body, content_type = json.dumps(document).encode(), "application/json"
    else:
        body, content_type = form_of(files, title)
    key = key_of(path, title, [[file.name, sha256] for file, sha256 in zip(files, hashes)])
    submission = json.loads(call(path, body, {"Content-Type": content_type, "Idempotency-Key": key})[2])
    for memory in memories:
        memory.unlink(missing_ok=True)
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
    commands.add_parser("scenes")
    asking = commands.add_parser("day")
    asking.add_argument("date")
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
    jobs = {"scenes": scenes, "day": day, "poll": poll, "stills": stills, "submit": submit, "storage": storage}
    jobs[given.pop("command")](**given)


if __name__ == "__main__":
    main()
