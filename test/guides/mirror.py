#!/usr/bin/env python3
"""Mirrors what a key reads into one file, and follows its changes; the same as mirror.ts, with Python's standard library.

    TALLYLIGHT_URL=... TALLYLIGHT_KEY=... python3 mirror.py FILE [--once] [--check]

A production-wide key mirrors the lists, with versions and notes; a vendor's key every document of its manifest. --once ends when the
mirror is current; --check reads everything again, which is a 304 wherever nothing has changed.
"""
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

# The lists, the field of their ids, and what is asked of them.
LISTS = {
    "departments": ("slug", ""),
    "people": ("id", ""),
    "scenes": ("node_id", "include=assets,department_notes,shoot_days"),
    "assets": ("node_id", "include=versions,notes,still"),
    "schedule": ("id", ""),
    "deliveries": ("id", "include=nodes"),
    "approvals": ("id", ""),
    "script-changes": ("id", "status=all&all_episodes=1"),
    "episodes": ("id", ""),
    "vendors": ("id", ""),
}
# The lists that show a thing, by the kind of the subject of its events. A kind that is not here is in no list.
SHOWING = {
    "department": list(LISTS),
    "person": ["people", "approvals", "schedule", "departments"],
    "vendor": ["vendors"],
    "engagement": ["vendors"],
    "episode": ["episodes", "scenes", "schedule", "deliveries", "script-changes"],
    "scene": ["scenes", "schedule", "deliveries", "script-changes"],
    "script_change": ["script-changes", "scenes", "schedule", "deliveries"],
    "asset": ["assets", "scenes", "schedule", "deliveries"],
    "version": ["assets", "approvals"],
    "note": ["assets"],
    "shoot_day": ["schedule", "scenes"],
    "department_note": ["scenes"],
    "delivery": ["deliveries"],
    "approval": ["approvals", "deliveries", "assets"],
}
URL, KEY = os.environ["TALLYLIGHT_URL"], os.environ["TALLYLIGHT_KEY"]
FILE = sys.argv[1] if len(sys.argv) > 1 else "mirror.json"
ONCE, CHECK = "--once" in sys.argv, "--check" in sys.argv
counts = {"requests": 0, "unchanged": 0}


class Failed(Exception):
    """The server did not answer; another try may help."""


def get(address, tag=None):
    """Requests an address below /api/v1: (status, body or None for a 304, etag, address of the next page or None)."""
    counts["requests"] += 1
    headers = {"authorization": f"Bearer {KEY}", **({"if-none-match": tag} if tag else {})}
    request = urllib.request.Request(urllib.parse.urljoin(f"{URL}/api/v1/", address.lstrip("/")), headers=headers)
    try:
        response = urllib.request.urlopen(request, timeout=90)
    except urllib.error.HTTPError as error:
        response = error
    except OSError as error:
        raise Failed(error) from error
    with response:
        status, body = response.status, response.read()
    if status == 304:
        counts["unchanged"] += 1
    elif status >= 400 and status not in (404, 410):
        print(f"{address}: {status} {body.decode()}", file=sys.stderr)
        if status < 500 and status != 429:
            sys.exit(1)  # another try would not help
        raise Failed("the server did not answer")
    link = re.search(r'<([^>]+)>; rel="next"', response.headers.get("link") or "")
    answer = None if status == 304 else json.loads(body)
    return status, answer, response.headers.get("etag") or "", link and link.group(1)


def by_id(name, rows):
    return {f"#{row[LISTS[name][0]]}": row for row in rows}


def read_list(name, known=None, pages=None, query=None):
    """Every row of a list, from as many pages as it has. A page that is known is asked for with its ETag."""
    rows, read = {}, {}
    address = f"{name}?limit=500&{query or LISTS[name][1]}"
    while address:
        former = (pages or {}).get(address)
        status, body, etag, following = get(address, former and former["etag"])
        if status == 304:
            rows.update({key: known[key] for key in former["rows"]})
            read[address] = former
        else:
            page = by_id(name, body)
            rows.update(page)
            read[address] = {"etag": etag, "next": following, "rows": list(page)}
        address = read[address]["next"]
    return rows, read


def refresh_whole(state, name):
    state["lists"][name], state["pages"][name] = read_list(name, state["lists"].get(name), state["pages"].get(name))


def refresh(state, name, since):
    """Reads a list again. Of scenes and assets, only the rows that have changed since a time."""
    if name not in ("scenes", "assets"):
        return refresh_whole(state, name)
    changed, _ = read_list(name, query=f"{LISTS[name][1]}&updated_since={since}")
    present = by_id(name, get(f"{name}?fields=node_id")[1])
    rows = {**state["lists"][name], **changed}
    if any(key not in rows for key in present):
        return refresh_whole(state, name)  # added between the two requests, or before the clock was set
    state["lists"][name] = {key: rows[key] for key in present}
    state["pages"].pop(name, None)


def read_lists(former=None):
    """The cursor first, then the lists, so that no change falls between the two."""
    former = former or {"lists": {}, "pages": {}}
    state = {"cursor": get("events?after=now")[1]["next"], "lists": dict(former["lists"]), "pages": dict(former["pages"])}
    for name in LISTS:
        refresh_whole(state, name)
    return state


def follow_lists(state):
    """The lists after the next events, and whether there may be more at once."""
    status, body, _, _ = get(f"events?after={state['cursor']}&wait={0 if ONCE else 45}")
    if status == 410:
        return read_lists(state), True  # the cursor is too old, or from before a restore
    events = body["events"]
    if any(event["type"] == "person.erased" for event in events):
        return read_lists(), True
    changed = dict.fromkeys(name for event in events for name in SHOWING.get(event["subject"]["kind"], ()))
    for name in changed:
        refresh(state, name, min(event["timestamp"] for event in events))
    if events:
        print(f"{len(events)} events, {', '.join(changed)}", flush=True)
    return {**state, "cursor": body["next"]}, body["more"]


def read_documents(former=None):
    """What the manifest of a vendor lists; documents whose tag is the same are not read again."""
    status, manifest, tag, _ = get("me/manifest", former and former["etag"])
    if status == 304:
        return former
    documents, is_whole = {}, True
    for listed in manifest["documents"]:
        path, etag = listed["path"], listed["etag"]
        documents[path] = (former or {"documents": {}})["documents"].get(path)
        if documents[path] is None or documents[path]["etag"] != etag:
            _, body, present, _ = get(path)
            documents[path] = {"etag": present, "body": body}
            is_whole = is_whole and present == etag  # otherwise it changed or went since the manifest
    read = {"etag": tag if is_whole else "", "documents": documents, "media": manifest["media"]}
    return read if is_whole else read_documents(read)


def follow_documents(state):
    """The documents once the manifest has another tag."""
    if not ONCE:
        get(f"me/changes?wait=45&etag={urllib.parse.quote(state['etag'])}")
    present = read_documents(state)
    if present["etag"] != state["etag"]:
        print(f"the manifest is {present['etag']}", flush=True)
    return present, False


def store(state):
    """A file is replaced as a whole, so that a killed process leaves the former one. Rows and cursor are in it together."""
    with open(f"{FILE}.new", "w", encoding="utf-8") as file:
        json.dump(state, file)
    os.replace(f"{FILE}.new", FILE)


def mirror(read, follow):
    state, is_checked = None, not CHECK
    if os.path.exists(FILE):
        with open(FILE, encoding="utf-8") as file:
            state = json.load(file)
    while True:
        try:
            if state is None or not is_checked:
                counts.update(requests=0, unchanged=0)
                verb = "mirrored" if state is None else "checked"
                state, is_checked = read(state), True
                store(state)
                print(f"{verb} in {counts['requests']} requests, {counts['unchanged']} of them 304", flush=True)
            state, more = follow(state)
            store(state)
            if ONCE and not more:
                return
        except Failed as error:
            print(error, file=sys.stderr)
            time.sleep(1)


if get("me")[1]["engagement"] is None:
    mirror(read_lists, follow_lists)
else:
    mirror(read_documents, follow_documents)
