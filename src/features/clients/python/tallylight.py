class Tallylight(_Calls):
    """A server, as a key sees it. `url` is its address, `cache` a folder that keeps answers with their ETags, in
    memory by default, `ca` the file of a certificate that is trusted beside those of the system. An argument that
    is None is not sent."""

    def mirror(self, folder, names=False):
        """Writes everything that the key reads into a folder: each list as a JSON file, media below media/ under
        their SHA-256. Again, it writes what has changed and removes what is gone; a mirror that was cut off goes
        on. Returns how many files were written, unchanged and removed, and how many requests that took. With
        names, files/ID/LABEL is a link to each medium of a submission or a version, whose id ID is. The log of
        activity and the events are read by list_activity() and events()."""
        return _Mirror(self, folder).run(names)

    "@METHODS@"


def _print(document):
    print(json.dumps(document, ensure_ascii=False), flush=True)


def _arguments(words):
    """The arguments name=value of a list; a name twice is a list of values."""
    given = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise TypeError(f"{word} must be such as name=value")
        given.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in given.items()}


def _list(tally, operation, words):
    if operation not in OPERATIONS or "bytes" in OPERATIONS[operation][3]:
        raise TypeError(f"{operation} is no list; such as list_scenes")
    for row in tally.rows(operation, **_arguments(words)):
        _print(row)


def _submit(tally, delivery, files, answers):
    """Submits files under a key that their bytes make, so that a script that was killed and runs again submits once."""
    digest = hashlib.sha256(repr((tally._line.root, delivery, answers)).encode())
    for path in files:
        with open(path, "rb") as file:
            digest.update(f"\n{os.path.basename(path)}\n".encode())
            for block in iter(lambda: file.read(BLOCK), b""):
                digest.update(block)
    more = {} if answers is None else {"answers": answers}
    _print(tally.submit_turnover(delivery, files=files, idempotency_key=digest.hexdigest(), **more))


def _follow(tally):
    """Prints events; on standard error, that the server does not answer, and that it answers again."""
    is_cut = False

    def waiting(error):
        nonlocal is_cut
        if error is not None and not is_cut:
            print(f"{error}; waiting for the server", file=sys.stderr, flush=True)
        if error is None and is_cut:
            print("the server answers again", file=sys.stderr, flush=True)
        is_cut = error is not None

    for event in tally.events(waiting=waiting):
        _print(event)


def _get(tally, path):
    body = tally._page(_below_api(path)).body
    try:
        _print(json.loads(body))
    except ValueError:
        sys.stdout.buffer.write(body)  # a medium


def _parser():
    parser = argparse.ArgumentParser(prog="tallylight.py", description="Asks a Tallylight server, and prints JSON.")
    parser.add_argument("--version", action="version", version=__version__)
    shared = argparse.ArgumentParser(add_help=False)
    for holder, usual in ((parser, None), (shared, argparse.SUPPRESS)):
        holder.add_argument("--url", default=usual, help="the address of the server; TALLYLIGHT_URL by default")
        holder.add_argument("--key", default=usual, help="the key; TALLYLIGHT_KEY by default")
        holder.add_argument("--ca", metavar="FILE", default=usual, help="a certificate that is trusted beside those of the system")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, about):
        return commands.add_parser(name, parents=[shared], help=about, description=about)

    command("get", "prints the answer of a path").add_argument("path", metavar="PATH")
    listing = command("list", "prints the rows of a list, one a line, from all its pages")
    listing.add_argument("operation", metavar="OPERATION")
    listing.add_argument("words", metavar="name=value", nargs="*")
    command("follow", "prints each event from now on, one a line")
    mirroring = command("mirror", "writes everything that the key reads into a folder")
    mirroring.add_argument("folder", metavar="FOLDER")
    mirroring.add_argument("--names", action="store_true", help="also links the files of versions and submissions by their names")
    submitting = command("submit", "submits files on a delivery")
    submitting.add_argument("delivery", metavar="DELIVERY", type=int)
    submitting.add_argument("files", metavar="FILE", nargs="+")
    submitting.add_argument("--answers", metavar="ID", type=int, help="the submission that these files answer")
    return parser


def _run(parser, given):
    url, key = given.url or os.environ.get("TALLYLIGHT_URL"), given.key or os.environ.get("TALLYLIGHT_KEY")
    if not url or not key:
        parser.error("--url and --key are needed, or TALLYLIGHT_URL and TALLYLIGHT_KEY")
    try:
        tally = Tallylight(url, key, ca=given.ca)
    except (ValueError, OSError) as misuse:
        parser.error(f"{given.ca}: {misuse}" if isinstance(misuse, OSError) else str(misuse))
    if given.command == "get":
        _get(tally, given.path)
    elif given.command == "list":
        try:
            _list(tally, given.operation, given.words)
        except (TypeError, KeyError) as misuse:
            parser.error(f"{given.operation} needs {misuse}" if isinstance(misuse, KeyError) else str(misuse))
    elif given.command == "follow":
        _follow(tally)
    elif given.command == "mirror":
        _print(tally.mirror(given.folder, given.names))
    else:
        _submit(tally, given.delivery, given.files, given.answers)


def main(words=None):
    """Runs a command. Returns the exit status: 0 done, 1 refused; argparse exits with 2 for misuse."""
    parser = _parser()
    warnings.showwarning = lambda message, *_: print(message, file=sys.stderr)
    try:
        _run(parser, parser.parse_args(words))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # who read it has enough
    except KeyboardInterrupt:
        return 130
    except (TallylightError, OSError, ValueError) as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
