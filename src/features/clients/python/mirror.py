_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


def _file_part(part, most=200):
    """A part of a path as every system takes it: without its signs, its reserved names, a dot or a space at the end."""
    name = re.sub(r'[\x00-\x1f\x7f<>:"\\|?*]', "_", unicodedata.normalize("NFC", part))
    name = f"_{name}" if _RESERVED.match(name) else name
    stem, ending = os.path.splitext(name)
    if len(ending.encode()) > 20:
        stem, ending = name, ""  # no ending of a file
    while len((stem + ending).encode()) > most and stem:
        stem = stem[:-1]
    return re.sub(r"[. ]\Z", "_", stem + ending)


def _file_names(media):
    """The path of each medium of a submission or a version, with its hash. No two of them are one where case does
    not count."""
    files, folders, found = set(), set(), {}
    for medium in sorted(media, key=lambda one: one["id"]):
        owner = medium.get("version_id") or medium.get("work_item_id") or medium.get("submission_id")
        if owner is None:
            continue
        parts = [_file_part(part) for part in medium["label"].split("/") if part not in ("", ".", "..")] or ["_"]
        above = [f"files/{int(owner)}/{'/'.join(parts[:at])}".lower() for at in range(1, len(parts))]
        if files.intersection(above):
            parts, above = ["_".join(parts)], []  # a file has the name of a folder
        path, count = f"files/{int(owner)}/{'/'.join(parts)}", 1
        stem, ending = os.path.splitext(path)
        while path.lower() in files or path.lower() in folders:
            count += 1
            path = f"{stem} ({count}){ending}"
        files.add(path.lower())
        folders.update(above)
        found[path] = medium["sha256"]
    return found


class _Mirror:
    """A folder with everything that a key reads. It writes and removes no file that it did not write."""

    STATE, JOURNAL, PART = ".tallylight.json", ".tallylight-journal", f".tallylight-{os.getpid()}.part"

    def __init__(self, calls, folder):
        self._calls, self._line, self._folder = calls, calls._line, os.path.realpath(os.fspath(folder))
        self._refuse_data()
        os.makedirs(self._folder, exist_ok=True)
        # Of each file that the mirror wrote, what was asked for it, with the ETags of the answers, and its size; None
        # while it is written.
        self._known = self._restored()
        self._present, self._counts = set(), {"written": 0, "unchanged": 0, "removed": 0}

    def _refuse_data(self):
        """Raises FileExistsError in the data directory of a server: the files of the mirror would be among its own."""
        above, folder = None, self._folder
        while folder != above:
            if os.path.exists(os.path.join(folder, "tallylight.db")):
                raise FileExistsError(
                    f"{self._folder} is in the data directory of a Tallylight server, {folder}: nothing was written; "
                    "choose another folder"
                )
            above, folder = folder, os.path.dirname(folder)

    def _restored(self):
        """What the last run stored. One that was killed has left its journal: the files it began, and those it
        ended."""
        stored = json.loads(self._read(self.STATE) or b"{}")
        self._owner, known = stored.get("of"), stored.get("files", {})
        journal = self._read(self.JOURNAL)
        for line in (journal or b"").splitlines():
            try:
                name, state = json.loads(line)
            except ValueError:
                continue  # the kill cut this line off, so the file was not begun
            known[name] = state
        for name in os.listdir(self._folder):
            if re.fullmatch(r"\.tallylight-\d+\.part", name):
                os.remove(os.path.join(self._folder, name))
        if journal is not None:
            self._store(known)
        return known

    def _read(self, name):
        try:
            with open(os.path.join(self._folder, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def _store(self, known):
        state = {"of": self._owner, "files": known}
        _replace(os.path.join(self._folder, self.STATE), [json.dumps(state).encode()], self._part())
        if os.path.exists(os.path.join(self._folder, self.JOURNAL)):
            os.remove(os.path.join(self._folder, self.JOURNAL))

    def _part(self):
        return os.path.join(self._folder, self.PART)

    def _place(self, name):
        """The path of a file. Raises ValueError if it is outside of the folder."""
        known = r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*"
        if not re.fullmatch(known, name) and not self._is_named(name):
            raise ValueError(f"{name!r} is no name of a file in a mirror")
        place = os.path.join(self._folder, *name.split("/"))
        if os.path.realpath(os.path.dirname(place)) != os.path.dirname(place):
            raise ValueError(f"{name} is outside of {self._folder}, because a folder there is a link")
        return place

    @staticmethod
    def _is_named(name):
        """Whether it is the path of a file by its name, all of whose parts every system takes."""
        parts = re.sub(r"^files/[0-9]+/", "", name).split("/")
        return re.match(r"files/[0-9]+/", name) and all(part and _file_part(part, 255) == part for part in parts)

    def _begin(self, name):
        """Where a file is written. Raises FileExistsError if there is one that the mirror did not write."""
        place = self._place(name)
        if name not in self._known and os.path.lexists(place):
            raise FileExistsError(f"{place} is not a file of this mirror; move it away, or choose another folder")
        self._note(name, None)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        return place

    def _note(self, name, state):
        with open(os.path.join(self._folder, self.JOURNAL), "ab") as journal:
            journal.write(json.dumps([name, state]).encode() + b"\n")
        self._known[name] = state

    def _state(self, name):
        """What is known of a file, if it is there with its size."""
        state = self._known.get(name)
        try:
            return state if state is not None and os.path.getsize(self._place(name)) == state["size"] else None
        except FileNotFoundError:
            return None

    def _keep(self, name):
        self._present.add(name)
        self._counts["unchanged"] += 1

    def _written(self, name, state):
        self._note(name, state)
        self._present.add(name)
        self._counts["written"] += 1

    def _first(self, path, pages):
        """The first page of a list, or a document; None if no page has changed."""
        for at, (known, etag) in enumerate(pages):
            page = self._line.page(known, etag)
            if page is not None:
                return page if at == 0 else self._line.page(path)
        return None if pages else self._line.page(path)

    def document(self, name, path):
        """Writes the answer of a path, a list with all its pages, unless it is unchanged."""
        state = self._state(name)
        page = self._first(path, state["pages"] if state is not None and state["pages"][0][0] == path else [])
        if page is None:
            return self._keep(name)
        pages, bodies = [[path, page.etag]], [page.body]
        while page.following:
            pages.append([page.following[len(self._line.root) :], None])
            page = self._line.page(page.following)
            pages[-1][1] = page.etag
            bodies.append(page.body)
        rows = [body.strip()[1:-1] for body in bodies]
        whole = bodies[0] if len(bodies) == 1 else b"[" + b",".join(part for part in rows if part) + b"]"
        _replace(self._begin(name), [whole], self._part())
        self._written(name, {"pages": pages, "size": len(whole)})

    def medium(self, medium):
        """Fetches the bytes of a medium, under their hash, unless they are there."""
        name = f"media/{medium['sha256']}"
        if name in self._present:
            return
        if self._state(name) is not None:
            return self._keep(name)
        place = self._begin(name)
        try:
            self._calls._download(f"/api/v1/media/{int(medium['id'])}/content", place, self._part(), medium["sha256"])
        except TallylightError as error:
            if error.status != 404:
                raise
            return  # it went since the list was read
        self._written(name, {"size": os.path.getsize(place)})

    def link(self, name, sha256):
        """Links a file by its name to the medium of a hash, or copies it where there are no links."""
        state = self._state(name)
        if state is not None and state.get("sha256") == sha256:
            return self._keep(name)
        medium, place = self._place(f"media/{sha256}"), self._begin(name)
        if os.path.lexists(place):
            os.remove(place)
        try:
            os.link(medium, place)
        except OSError:
            shutil.copyfile(medium, self._part())
            os.replace(self._part(), place)
        self._written(name, {"size": os.path.getsize(place), "sha256": sha256})

    def _load(self, name):
        with open(self._place(name), encoding="utf-8") as file:
            return json.load(file)

    def lists(self, scopes):
        """Each list that the scopes of a production's key open, but for one that is too long. Returns the list of
        media."""
        for name, path, _ in (one for one in MIRRORED if one[2] in scopes):
            try:
                self.document(f"{name}.json", path)
            except TallylightError as error:
                if error.status != 422:
                    raise
                warnings.warn(f"{name}.json is left out: {error.detail}", stacklevel=3)
        return self._load("media.json") if "media.json" in self._present else []

    def documents(self):
        """What the manifest of a vendor lists; a document whose ETag is the one of its file is not asked for."""
        self.document("manifest.json", "/api/v1/me/manifest")
        manifest = self._load("manifest.json")
        for listed in manifest["documents"]:
            name, path = f"{listed['path'].strip('/')}.json", f"/api/v1{listed['path']}"
            state = self._state(name)
            if state is not None and state["pages"] == [[path, listed["etag"]]]:
                self._keep(name)
                continue
            try:
                self.document(name, path)
            except TallylightError as error:
                if error.status != 404:
                    raise  # otherwise it is no longer granted
        owners = self._submissions()
        return [{**medium, "work_item_id": owners.get(medium["id"])} for medium in manifest["media"]]

    def _submissions(self):
        """The submission of each medium that a vendor's lists of submissions have."""
        lists = [name for name in self._present if re.fullmatch(r"turnovers/\d+/submissions\.json", name)]
        return {medium["id"]: row["id"] for name in lists for row in self._load(name) for medium in row["media"]}

    def _remove_gone(self, staying):
        for name in sorted(set(self._known) - staying):
            place = self._place(name)
            if os.path.lexists(place):
                os.remove(place)
                self._counts["removed"] += 1
            while name.startswith("files/") and os.path.dirname(place) != self._folder:
                place = os.path.dirname(place)
                try:
                    os.rmdir(place)
                except OSError:
                    break  # there are others in it

    def _take(self, me):
        """Makes the folder that of what the key is bound to. Raises FileExistsError if it is of another: its files
        would be removed."""
        bound = me["engagement"] or me["production"]
        owner = {
            "production": me["production"]["id"],
            "engagement": me["engagement"] and bound["id"],
            "title": bound["title"],
        }
        former = self._owner
        if former is not None and any(former[one] != owner[one] for one in ("production", "engagement")):
            raise FileExistsError(
                f"{self._folder} is a mirror of {former['title']}, and this key reads {owner['title']}: nothing in it "
                "was changed; choose another folder, or empty this one"
            )
        if former != owner:
            self._owner = owner
            self._store(self._known)

    def run(self, names=False):
        before = self._line.requests
        me = json.loads(self._line.page("/api/v1/me").body)
        self._take(me)
        media = self.documents() if me["engagement"] is not None else self.lists(me["key"]["scopes"])
        for medium in media:
            self.medium(medium)
        named = {}
        if names:
            named = {name: sha256 for name, sha256 in _file_names(media).items() if f"media/{sha256}" in self._present}
        self._remove_gone(self._present.union(named))
        for name, sha256 in named.items():
            self.link(name, sha256)
        self._store({name: self._known[name] for name in sorted(self._present)})
        return {**self._counts, "requests": self._line.requests - before}
