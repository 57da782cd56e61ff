def _text(value):
    """A value as a query or a form has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _pairs(fields):
    """The fields as pairs of texts, a list as several; a list of objects is one, its JSON."""
    for name, value in fields.items():
        several = value if isinstance(value, (list, tuple, set)) else [value]
        if any(isinstance(one, dict) for one in several):
            yield name, _json(value).decode()
        else:
            yield from ((name, _text(one)) for one in several)


def _with_query(path, parameters):
    query = urllib.parse.urlencode(list(_pairs({name: value for name, value in parameters.items() if value is not None})))
    return path + (("&" if "?" in path else "?") + query if query else "")


def _below_api(path):
    return path if path.startswith(("/api/v1/", "http:", "https:")) else f"/api/v1/{path.lstrip('/')}"


def _json(document):
    return json.dumps(document, ensure_ascii=False, default=_text).encode()


class _Form:
    """A form with files, which are read while it is sent."""

    def __init__(self, fields, files):
        self._mark = uuid.uuid4().hex
        self._parts = [(self._head(name) + value.encode() + b"\r\n", None) for name, value in _pairs(fields)]
        self._parts += [(self._head(name, os.path.basename(path)), path) for name, path in files]
        self._end = f"--{self._mark}--\r\n".encode()

    def _head(self, name, filename=None):
        head = f'--{self._mark}\r\nContent-Disposition: form-data; name="{name}"'
        if filename is not None:
            escaped = filename.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
            head += f'; filename="{escaped}"\r\nContent-Type: application/octet-stream'
        return f"{head}\r\n\r\n".encode()

    def headers(self):
        size = len(self._end) + sum(len(head) + (os.path.getsize(path) + 2 if path else 0) for head, path in self._parts)
        return {"Content-Type": f"multipart/form-data; boundary={self._mark}", "Content-Length": str(size)}

    def blocks(self):
        for head, path in self._parts:
            yield head
            if path is not None:
                with open(path, "rb") as file:
                    yield from iter(lambda: file.read(BLOCK), b"")  # noqa: B023, it is read before the next one is opened
                yield b"\r\n"
        yield self._end


class _Calls:
    """What every method does with its arguments."""

    def __init__(self, url, key, *, cache=None, ca=None):
        self._line = _Line(url, key, ca)
        self._cache = _Cache(cache, f"{self._line.root}\n{key}")

    def get(self, path, **parameters):
        """The answer of one GET at a path, below /api/v1 unless it begins with that; a page of a list that comes in
        pages."""
        return json.loads(self._page(_with_query(_below_api(path), parameters)).body)

    def rows(self, operation, **arguments):
        """The rows of a list one after the other: those of the next page are asked for when they are needed."""
        method, path, places, _ = OPERATIONS[operation]
        unknown = [name for name in arguments if name not in places]
        if method != "GET" or unknown:
            raise TypeError(f"{operation} has no argument {unknown[0]}" if unknown else f"{operation} is no list")
        following = self._filled(path, places, arguments)
        while following:
            page = self._page(following)
            answer, following = json.loads(page.body), page.following
            yield from answer if isinstance(answer, list) else [answer]

    def _filled(self, path, places, given):
        """A path with its fields, and the query."""
        for name in places:
            if places[name] == "path":
                safe = "/" if path.startswith("/media/") else ""  # a media_path contains its slashes
                path = path.replace(f"{{{name}}}", urllib.parse.quote(_text(given[name]), safe=safe))
        return _with_query(path, {name: value for name, value in given.items() if places.get(name) == "query"})

    def _page(self, path):
        """One answer, asked for with the ETag of the one that was kept."""
        address = self._line.absolute(path)
        kept = self._cache.get(address)
        page = self._line.page(address, kept.etag if kept else None)
        if page is None:
            return kept
        if page.etag is not None:
            self._cache.put(address, page)
        return page

    def _call(self, name, given, into=None, idempotency_key=None):
        method, path, places, forms = OPERATIONS[name]
        given = {field: value for field, value in given.items() if value is not None}
        address = self._filled(path, places, given)
        if "bytes" in forms:
            return self._content(address, into)
        if method == "GET":
            return self._listed(address)
        return self._post(address, places, forms, given, idempotency_key or uuid.uuid4().hex)

    def _listed(self, address):
        page = self._page(address)
        answer = json.loads(page.body)
        while page.following:
            page = self._page(page.following)
            answer += json.loads(page.body)
        return answer

    def _post(self, address, places, forms, given, key):
        headers = {"Accept": "application/json", "Idempotency-Key": key}
        fields = {name: value for name, value in given.items() if places[name] in ("body", "file", "files")}
        files = [(name, os.fspath(path)) for name in fields if places[name] != "body" for path in self._paths(fields[name])]
        if "upload_ids" in places and any(os.path.getsize(path) > LARGE for _, path in files):
            uploads = [self._upload(path) for _, path in files]
            fields = {name: value for name, value in fields.items() if places[name] == "body"}
            fields["upload_ids"] = [*fields.get("upload_ids", []), *uploads]
            files = []
        body = None
        whole = next((name for name in given if places[name] == "whole"), None)
        if whole is not None and isinstance(given[whole], str):
            headers["Content-Type"], body = "text/csv", given[whole].encode()
        elif whole is not None:
            headers["Content-Type"], body = "application/json", _json(given[whole])
        elif files or ("json" not in forms and "form" in forms and "upload_ids" not in fields):
            form = _Form({name: value for name, value in fields.items() if places[name] == "body"}, files)
            headers.update(form.headers())
            return json.loads(self._line.send("POST", address, headers, form.blocks).body)
        elif forms:
            headers["Content-Type"], body = "application/json", _json(fields)
        else:
            body = b""
        return json.loads(self._line.send("POST", address, headers, lambda: body).body)

    @staticmethod
    def _paths(value):
        return value if isinstance(value, (list, tuple)) else [value]

    def _upload(self, path):
        """Sends a file in parts, on from where it was after a cut. Returns the id of the upload."""
        size, name = os.path.getsize(path), base64.b64encode(os.path.basename(path).encode()).decode()
        every = {"Tus-Resumable": "1.0.0"}
        created = {**every, "Upload-Length": str(size), "Upload-Metadata": f"filename {name}"}
        place = self._line.send("POST", "/api/v1/uploads", created, lambda: b"").headers["Location"]
        address = f"/api/v1/uploads/{place.rsplit('/', 1)[-1]}"
        offset = 0

        def attempt(repeated):
            nonlocal offset
            if repeated:
                offset = int(self._line.once("HEAD", address, every, receive=_nothing).headers["Upload-Offset"])
            with open(path, "rb") as file:
                while offset < size:
                    file.seek(offset)
                    headers = {**every, "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset)}
                    answer = self._line.once("PATCH", address, headers, file.read(LARGE), repeated=True)
                    offset = int(answer.headers["Upload-Offset"])

        _retrying(attempt, lambda: offset)
        return address.rsplit("/", 1)[-1]

    def _content(self, address, into=None):
        """The bytes of a medium; or writes them to a file, which is there only when it is whole."""
        if into is not None:
            self._download(address, os.fspath(into), f"{os.fspath(into)}.{os.getpid()}.part")
            return into
        return self._page(address).body

    def _download(self, address, into, part, sha256=None):
        """Writes bytes to a file, and goes on after a cut where it was. Raises TallylightError if they do not have
        the SHA-256."""
        digest, tag = hashlib.sha256(), None
        try:
            with open(part, "wb") as file:

                def receive(response):
                    nonlocal digest, tag
                    if response.status != 206:
                        file.seek(0)
                        file.truncate()
                        digest = hashlib.sha256()
                    tag = response.headers.get("ETag")
                    for block in _read(response):
                        digest.update(block)
                        file.write(block)

                def attempt(_):
                    resumed = {"Range": f"bytes={file.tell()}-", "If-Range": tag} if tag and file.tell() > 0 else {}
                    self._line.once("GET", address, resumed, receive=receive)

                _retrying(attempt, file.tell)
            if sha256 not in (None, digest.hexdigest()):
                raise TallylightError(0, f"the bytes of {address} do not have the SHA-256 {sha256}")
            os.replace(part, into)
        except BaseException:
            if os.path.exists(part):
                os.remove(part)
            raise

    def events(self, since="now", waiting=None):
        """The events after a cursor, `start` or `now`, for ever. Each has its `cursor`, with which events() goes on
        after it. While the server does not answer, they wait for it: within 10 seconds after the line was cut,
        and after each further try, `waiting` is called with the error; with None once the server answers.
        TallylightError is raised if the first request fails, or if the server refuses: with 410, the cursor is
        not valid any more."""
        cursor, wait, waiting = since, 0, waiting or _nobody
        while True:
            path = _with_query("/api/v1/events", {"after": cursor, "wait": wait})
            try:
                answer = json.loads(self._line.page(path, timeout=WAIT_TIMEOUT if wait else TIMEOUT, failed=waiting).body)
            except TallylightError as error:
                if wait == 0 or error.status not in (0, 429, 503):
                    raise
                continue
            waiting(None)
            cursor, wait = answer["next"], WAIT
            epoch = cursor.rsplit("-", 1)[0]
            for event in answer["events"]:
                yield {**event, "cursor": f"{epoch}-{event['id']}"}
