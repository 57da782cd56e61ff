#!/usr/bin/env python3
"""Jobs of a pipeline, on the client beside it: curl -O $TALLYLIGHT_URL/docs/tallylight.py
pipeline.py scenes | day [DATE] | poll SCENE [SECONDS [TIMES]] | stills SCENE FOLDER"""
import os, sys, time
from tallylight import Tallylight, TallylightError

def scenes():  # those that the key was granted, or all of them for a key of the production
    reach = tally.get_me()["reach"]
    for row in reach["nodes"] if reach else tally.list_scenes():
        if row.get("kind", "scene") == "scene":
            print(f"{row['node_id']}: {row.get('label') or row['number'] + ' ' + row['slugline']}")

def day(date=None):  # what shoots on a date, by default on the next day of work, and what is not ready for it
    date = date or next(row["date"] for row in tally.get_schedule() if (row["date"] or "") >= time.strftime("%F"))
    for scene in tally.get_day_bundle_by_query(date=date)["scenes"]:
        print(f"  scene {scene['number']} {scene['slugline']}")
        for asset in (asset for asset in scene["assets"] if not asset["ready"]):
            print(f"    not ready: {asset['label']} ({asset['department']})")

def poll(scene, seconds="10", times="1000000"):  # the client asks with the ETag; a 304 answers what it kept
    for at in range(int(times)):
        time.sleep(float(seconds) if at else 0)
        known, bundle = bundle["etag"] if at else None, tally.get_scene_bundle(scene)
        labels = ", ".join(asset["label"] for asset in bundle["assets"])
        print("unchanged" if bundle["etag"] == known else f"scene {bundle['scene']['number']}: {labels}", flush=True)

def stills(scene, folder):  # those of the released versions, as files
    os.makedirs(folder, exist_ok=True)
    for asset in tally.get_scene_bundle(scene)["assets"]:
        for version in (version for version in asset["released_versions"] if version["media_id"]):
            file = os.path.join(folder, f"{asset['node_id']}_v{version['version']:03}")
            print(f"{tally.get_media_content(version['media_id'], into=file)}: {asset['label']}")

needs = {scenes: 0, day: 0, poll: 1, stills: 2}  # how many arguments each job needs
job = next((job for job in needs if sys.argv[1:2] == [job.__name__]), None)
if job is None or len(sys.argv) - 2 < needs[job]:
    sys.exit(__doc__)
url, key = os.environ.get("TALLYLIGHT_URL"), os.environ.get("TALLYLIGHT_KEY")
if not url or not key:
    print("set TALLYLIGHT_URL to the address of the server, and TALLYLIGHT_KEY to a key of it", file=sys.stderr)
    sys.exit(2)
tally = Tallylight(url, key)
try:
    job(*sys.argv[2:])
except TallylightError as refusal:
    sys.exit(str(refusal))
