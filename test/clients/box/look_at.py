# Prints as JSON what a program uses of the modules that it imports, and what of it Python 3.9 does not have: python3
# look_at.py FILE. Syntax that 3.9 does not have is a SyntaxError, as far as the parser of this Python tells it.
import ast
import json
import sys
import tokenize

NEWER_NODES = {"Match", "TryStar", "TypeAlias", "TemplateStr"}
NEWER_NAMES = {"aiter", "anext", "BaseExceptionGroup", "EncodingWarning", "ExceptionGroup", "PythonFinalizationError"}
NEWER_METHODS = {"add_note", "batched", "bit_count", "file_digest", "pairwise"}

with open(sys.argv[1], encoding="utf-8") as file:
    tree = ast.parse(file.read(), feature_version=(3, 9))
nodes = list(ast.walk(tree))
used, newer = {}, set()
for node in nodes:
    if isinstance(node, ast.Import):
        used.update({name.name.split(".")[0]: set() for name in node.names})
inner = {node.value for node in nodes if isinstance(node, ast.Attribute)}
for node in nodes:
    names, at = [], node
    while isinstance(at, ast.Attribute):
        names.insert(0, at.attr)
        at = at.value
    if names and node not in inner and isinstance(at, ast.Name) and at.id in used:
        used[at.id].add(".".join(names))
    if isinstance(node, ast.ImportFrom):
        used[node.module] = {name.name for name in node.names}
    name = type(node).__name__ if type(node).__name__ in NEWER_NODES else getattr(node, "id", None)
    if name in NEWER_NODES | NEWER_NAMES or getattr(node, "attr", None) in NEWER_METHODS:
        newer.add(name or node.attr)
    if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "zip" and node.keywords:
        newer.add("zip with strict")
    if any(isinstance(note, ast.BinOp) for note in (getattr(node, "annotation", None), getattr(node, "returns", None))):
        newer.add("a type with |")

# Before 3.12, a text in an f-string had other quotes than the f-string. Python 3.12 and newer tell the tokens inside.
quotes = []
with open(sys.argv[1], "rb") as file:
    for token in tokenize.tokenize(file.readline):
        kind, text = tokenize.tok_name[token.type], token.string.lstrip("rRbBfFuU")
        mark = text[:3] if text[:3] in ('"""', "'''") else text[:1]
        if quotes and (kind == "COMMENT" or (kind in ("FSTRING_START", "STRING") and mark in quotes)):
            newer.add("the inside of an f-string")
        if kind == "FSTRING_START":
            quotes.append(mark)
        elif kind == "FSTRING_END":
            quotes.pop()

print(json.dumps({"used": [f"{name}: {' '.join(sorted(used[name]))}" for name in sorted(used)], "newer": sorted(newer)}))
