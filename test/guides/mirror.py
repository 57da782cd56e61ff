#!/usr/bin/env python3
"""Mirrors what a key reads into a folder, and follows its changes, on the client beside it:
curl -O $TALLYLIGHT_URL/docs/tallylight.py; python3 mirror.py FOLDER [--once]"""
import os, sys, time
from tallylight import Tallylight, TallylightError

if len(sys.argv) < 2:
    sys.exit(__doc__)
folder, *flags = sys.argv[1:]
url, key = os.environ.get("TALLYLIGHT_URL"), os.environ.get("TALLYLIGHT_KEY")
if not url or not key:
    print("set TALLYLIGHT_URL to the address of the server, and TALLYLIGHT_KEY to a key of it", file=sys.stderr)
    sys.exit(2)
tally = Tallylight(url, key)
is_vendor = tally.get_me()["engagement"] is not None
while True:
    try:  # the place first, then everything, so that no change falls between the two
        place = tally.get("/me/manifest")["etag"] if is_vendor else tally.get("/events", after="now")["next"]
        print(", ".join(f"{count} {what}" for what, count in tally.mirror(folder).items()), flush=True)
        if "--once" in flags:
            break
        while is_vendor and tally.get("/me/changes", wait=45, etag=place)["etag"] == place:
            pass
        if not is_vendor:
            next(tally.events(place))
    except TallylightError as refusal:
        if "--once" in flags or refusal.status in (401, 403):
            sys.exit(str(refusal))
        print(refusal, file=sys.stderr)
        time.sleep(1)
