# Does the steps of a test with the Python client: python3 driver.py FOLDER, the steps as JSON in each line on standard
# input. Prints a line for each.
import base64
import json
import sys
import warnings

sys.path.insert(0, sys.argv[1])
import tallylight  # noqa: E402

sleep = tallylight.time.sleep
tallylight.time.sleep = lambda seconds: sleep(seconds / 50)  # the pauses between tries


def plain(value):
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return value


def do(tally, step):
    name, named = step["name"], step.get("named", {})
    if name == "events":
        rows = tally.events(*step.get("args", []))
        return [next(rows) for _ in range(step["take"])]
    if name == "rows":
        return list(tally.rows(step["operation"], **named))
    reserved = {"from": "from_", "as": "as_"}
    return getattr(tally, name)(*step.get("args", []), **{reserved.get(key, key): value for key, value in named.items()})


def drive(given):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        tally = tallylight.Tallylight(given["url"], given["key"], **given.get("options", {}))
        results = []
        for step in given["steps"]:
            try:
                results.append({"value": plain(do(tally, step))})
            except tallylight.TallylightError as error:
                results.append({"error": {"status": error.status, "detail": error.detail, "request": error.request}})
            except Exception as error:
                results.append({"thrown": f"{type(error).__name__}: {error}"})
    return {"results": results, "warnings": [str(warning.message) for warning in warned]}


for line in sys.stdin:
    print(json.dumps(drive(json.loads(line))), flush=True)
