"""The client of Tallylight @VERSION@: one file, for Python 3.9 or newer with its standard library alone.

    from tallylight import Tallylight
    tally = Tallylight("https://tally.example.lan", "tl_...")
    for scene in tally.list_scenes(status=["planned", "active"]):
        print(scene["number"], scene["slugline"])

Each operation of the API is a method under its name. A list goes through all its pages. A request that failed on the
way is tried again; a refusal raises TallylightError. As a program, it prints JSON:

    export TALLYLIGHT_URL=https://tally.example.lan TALLYLIGHT_KEY=tl_...
    python3 tallylight.py get /production
    python3 tallylight.py list list_scenes status=planned
    python3 tallylight.py follow
    python3 tallylight.py mirror FOLDER
    python3 tallylight.py submit DELIVERY FILE... [--answers ID]
"""

import argparse
import base64
import collections
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import ssl
import sys
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
import uuid
import warnings
import zlib

__version__ = "@VERSION@"
__all__ = ["Tallylight", "TallylightError"]

# Of each operation: its method, its path, where its arguments go, and what its body may be.
OPERATIONS = "@OPERATIONS@"
# What mirror() reads with the key of a production: the name of the file, the path, and the scope.
MIRRORED = "@MIRRORED@"

TRIES_AGAIN = 5
LONGEST_WAIT = 3600  # seconds; a server that asks for more has refused
TIMEOUT = 90  # seconds without a byte
WAIT = 5  # seconds that the server waits for an event, so that a line that was cut is noticed
WAIT_TIMEOUT = WAIT + 4
LARGE = 8_000_000  # a file above this size goes by a resumable upload
BLOCK = 1 << 16


class TallylightError(Exception):
    """A refusal. `status` is the HTTP status, `detail` the sentence, `request` the name of the request in the
    server's log; 0, a sentence and None where no answer came."""

    def __init__(self, status, detail, request=None):
        super().__init__(f"{status} {detail}" if status else detail)
        self.status, self.detail, self.request = status, detail, request


class _Passing(Exception):
    """A failure after which another try may help, `after` some seconds; None if the server names no time."""

    def __init__(self, error, after=None):
        super().__init__(str(error))
        self.error, self.after = error, after


_Answer = collections.namedtuple("_Answer", "status headers body")
_Kept = collections.namedtuple("_Kept", "etag following body")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to another address."""

    def redirect_request(self, *_):
        return None


def _nobody(_):
    return None


def _retrying(attempt, progress=lambda: None, failed=_nobody):
    """Calls `attempt` until it succeeds; after a failure that may pass up to 5 times more, counted from the last
    progress. Each is passed to `failed`."""
    failures, reached = 0, progress()
    while True:
        try:
            return attempt(failures > 0)
        except _Passing as failure:
            failed(failure.error)
            now = progress()
            failures, reached = (1 if now != reached else failures + 1), now
            if failures > TRIES_AGAIN or (failure.after or 0) > LONGEST_WAIT:
                raise failure.error from None
            usual = min(8, 0.5 * 2 ** (failures - 1)) * random.uniform(0.75, 1.25)
            time.sleep(usual if failure.after is None else failure.after)


def _seconds(headers):
    """Retry-After in seconds; None without one, or if it is a date, which the server does not send."""
    text = headers.get("Retry-After") or ""
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None


def _refusal(status, headers, body):
    """The error of an answer that is no success. Anything but the server may have sent it, a proxy for example."""
    if 300 <= status < 400:
        detail = f"the server is at another address: {headers.get('Location')}"
    else:
        try:
            detail = json.loads(body)["detail"]
        except (ValueError, KeyError, TypeError):
            detail = f"the answer is no JSON with a detail: {body[:200].decode(errors='replace')!r}"
    return TallylightError(status, detail, headers.get("Tallylight-Request"))


def _read(response):
    """The bytes of an answer in blocks. Raises _Passing if the line was cut before the end."""
    left = response.headers.get("Content-Length")
    left = int(left) if left is not None and response.status != 304 else None
    try:
        while True:
            block = response.read(BLOCK)
            if not block:
                break
            if left is not None:
                left -= len(block)
            yield block
    except (OSError, http.client.HTTPException) as failure:
        raise _Passing(TallylightError(0, f"the answer ended early: {failure}")) from failure
    if left:
        raise _Passing(TallylightError(0, f"the answer ended {left} bytes early"))


def _whole(response):
    """All bytes of an answer, unpacked."""
    body = b"".join(_read(response))
    return zlib.decompress(body, 31) if response.headers.get("Content-Encoding") == "gzip" else body


def _nothing(_):
    return b""


class _Line:
    """The connection to a server: sends requests, and says which failures may pass."""

    def __init__(self, url, key, ca):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"the url must be such as https://tally.example.lan, not {url!r}")
        self.root = re.sub(r"(/api/v1)?/*$", "", url)
        self._key = key
        context = ssl.create_default_context()
        if ca is not None:
            context.load_verify_locations(ca)
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.HTTPSHandler(context=context))
        self.requests = 0

    def absolute(self, path):
        """The address of a path. Raises ValueError if that is not on this server: the key goes nowhere else."""
        address = path if re.match(r"https?://", path) else self.root + path
        if not address.startswith(f"{self.root}/"):
            raise ValueError(f"{address} is not below {self.root}")
        return address

    def _below_root(self, address):
        """An address that the server names, at the address by which this client reaches the server."""
        place = address.find("/api/v1/")
        return address if place < 0 else self.root + address[place:]

    def once(self, method, path, headers=None, body=None, receive=_whole, repeated=False, timeout=TIMEOUT):
        """Sends a request once. Raises _Passing if another try may help, otherwise TallylightError."""
        every = {"Authorization": f"Bearer {self._key}", "User-Agent": f"tallylight.py/{__version__}", **(headers or {})}
        request = urllib.request.Request(self.absolute(path), data=body, headers=every, method=method)
        self.requests += 1
        try:
            response = self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as refusal:
            response = refusal
        except (OSError, http.client.HTTPException) as failure:
            raise self._unreached(failure) from failure
        with response:
            if response.status < 300 or response.status == 304:
                self._warn(response.headers)
                return _Answer(response.status, response.headers, receive(response))
            error = _refusal(response.status, response.headers, _whole(response))
            after = _seconds(response.headers)
        # 409 with Retry-After: the request that was cut off is still at work.
        if error.status in (429, 503) or (repeated and error.status == 409 and after is not None):
            raise _Passing(error, after)
        raise error

    def _unreached(self, failure):
        reason = getattr(failure, "reason", failure)
        error = TallylightError(0, f"{self.root} did not answer: {reason}")
        if isinstance(reason, ssl.SSLCertVerificationError):
            error.detail = f"{self.root} has a certificate that is not trusted ({reason.verify_message}); name the one of the box as ca"
            error.args = (error.detail,)
            return error
        return _Passing(error)

    @staticmethod
    def _warn(headers):
        ignored = headers.get("Tallylight-Ignored")
        if ignored:
            names = ", ".join(urllib.parse.unquote(name) for name in ignored.split(", "))
            warnings.warn(f"the server does not know these parameters and ignored them: {names}", stacklevel=2)

    def send(self, method, path, headers=None, body=lambda: None, timeout=TIMEOUT, failed=_nobody):
        """Sends a request, again after a failure that may pass. `body` makes the body of each try."""
        return _retrying(lambda repeated: self.once(method, path, headers, body(), repeated=repeated, timeout=timeout), failed=failed)

    def page(self, path, etag=None, **patience):
        """A document, or a page of a list, with the address of the next one. None if it still has the ETag."""
        address = self.absolute(path)
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip", **({"If-None-Match": etag} if etag else {})}
        answer = self.send("GET", address, headers, **patience)
        if answer.status == 304:
            return None
        link = re.search(r'<([^>]*)>; *rel="next"', answer.headers.get("Link") or "")
        following = self._below_root(urllib.parse.urljoin(address, link.group(1))) if link else None
        return _Kept(answer.headers.get("ETag"), following, answer.body)


class _Cache:
    """Answers with their ETags: the newest in memory, up to 64 MB, or all in a folder, which may be removed at any
    time."""

    LARGEST, ROOM = 16_000_000, 64_000_000

    def __init__(self, folder, owner):
        self._folder, self._owner, self._kept, self._size = folder, owner, collections.OrderedDict(), 0

    def _file(self, address):
        return os.path.join(self._folder, hashlib.sha256(f"{self._owner}\n{address}".encode()).hexdigest())

    def get(self, address):
        if self._folder is None:
            return self._kept.get(address)
        try:
            with open(self._file(address), "rb") as file:
                head, body = json.loads(file.readline()), file.read()
        except (OSError, ValueError):
            return None
        is_whole = hashlib.sha256(body).hexdigest() == head["sha256"]
        return _Kept(head["etag"], head["following"], body) if is_whole else None

    def put(self, address, kept):
        if self._folder is None:
            former = self._kept.pop(address, None)
            self._size -= 0 if former is None else len(former.body)
            if len(kept.body) <= self.LARGEST:
                self._kept[address] = kept
                self._size += len(kept.body)
            while self._size > self.ROOM:
                self._size -= len(self._kept.popitem(last=False)[1].body)
            return
        head = {"etag": kept.etag, "following": kept.following, "sha256": hashlib.sha256(kept.body).hexdigest()}
        try:
            os.makedirs(self._folder, exist_ok=True)
            _replace(self._file(address), [json.dumps(head).encode() + b"\n", kept.body])
        except OSError as failure:
            warnings.warn(f"an answer was not kept in {self._folder}: {failure}", stacklevel=2)


def _replace(file, blocks, part=None):
    """Writes a file as a whole or not at all: beside it, and then in its place."""
    part = part or f"{file}.{os.getpid()}.part"
    try:
        with open(part, "wb") as writing:
            for block in blocks:
                writing.write(block)
        os.replace(part, file)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise
