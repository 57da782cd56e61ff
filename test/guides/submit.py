#!/usr/bin/env python3
"""Submits files on a delivery, on the client beside it: curl -O $TALLYLIGHT_URL/docs/tallylight.py
submit.py DELIVERY FILE..., with a vendor's key that has the scope submit:turnover."""
import hashlib, os, sys
from tallylight import Tallylight, TallylightError

def hash_of(file):
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        for block in iter(lambda: content.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()

if len(sys.argv) < 3:
    sys.exit(__doc__)
delivery, *files = sys.argv[1:]
url, key = os.environ.get("TALLYLIGHT_URL"), os.environ.get("TALLYLIGHT_KEY")
if not url or not key:
    print("set TALLYLIGHT_URL to the address of the server, and TALLYLIGHT_KEY to a key of it", file=sys.stderr)
    sys.exit(2)
tally = Tallylight(url, key)
# What is handed in names the request: a job that was killed and runs again within a day submits once.
contents = [(os.path.basename(file), hash_of(file)) for file in files]
name = hashlib.sha256(repr((delivery, contents)).encode()).hexdigest()
try:
    submission = tally.submit_turnover(delivery, files=files, idempotency_key=name)
except TallylightError as refusal:
    sys.exit(str(refusal))
print(f"submission {submission['id']}, {submission['title']}: {submission['status']}")
for medium in submission["media"]:
    print(f"  medium {medium['id']}: {medium['label']}")
