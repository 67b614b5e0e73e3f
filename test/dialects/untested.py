# SPDX-License-Identifier: MIT
"""Names what the text tests forget: ops without a round trip, messages and rewrites without a test, passes
without a file of their name.
usage: untested.py <...ops.h.inc> <folder of the dialect's sources> <compiler/transforms/passes.td> <test folder> [<dialect> [<folder of the passes>]]
"""
import pathlib
import re
import sys


def read(paths):
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(paths))


def ops_of(header):
    """The ops that TableGen declared, each with the text of its class."""
    starts = [match.start() for match in re.finditer(r"^class \w+ : public ::mlir::Op<", header, re.MULTILINE)]
    for start, end in zip(starts, starts[1:] + [len(header)]):
        text = header[start:end]
        yield re.search(r'StringLiteral\("([\w.]+)"\)', text).group(1), text


def mentions(op, text):
    return re.search(re.escape(op) + r"(?![\w.])", text) is not None


def untested_ops(header, folder):
    invalid = read(folder.glob("*_invalid.mlir"))
    rewritten = read(folder.glob("*_canonicalize.mlir"))
    round_trips = read(
        path for path in folder.glob("*.mlir") if not re.search(r"_(invalid|canonicalize)$", path.stem)
    )
    checked = "\n".join(line for line in round_trips.split("\n") if "CHECK" in line)
    for op, text in ops_of(header):
        if not mentions(op, checked):
            yield f"{op}: no CHECK line of a round trip in {folder}/*.mlir"
        if re.search(r"LogicalResult verify(Regions)?\(\);", text) and not mentions(op, invalid):
            yield f"{op}: has a verifier but is in no {folder}/*_invalid.mlir"
        if re.search(r"\b(fold|canonicalize)\(", text) and not mentions(op, rewritten):
            yield f"{op}: has a folder or a canonical form but is in no {folder}/*_canonicalize.mlir"


def untested_messages(sources, folder):
    """Of each message the longest literal part has to occur in an expected-error."""
    expected = "\n".join(
        line for line in read(folder.glob("*_invalid.mlir")).split("\n") if "expected-error" in line
    )
    for path in sorted(sources.glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"\bemit(?:Op)?Error\(", text):
            statement = text[match.end() : text.index(";", match.end())]
            parts = re.findall(r'"((?:[^"\\]|\\.)*)"', statement)
            if not parts:   # a message made elsewhere, or a parameter that makes one
                continue
            part = max(parts, key=len).replace('\\"', '"').strip()
            if part not in expected:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path.name}:{line}: no {folder}/*_invalid.mlir expects '{part}'"


def untested_passes(definitions, folder):
    for name in re.findall(r"^def \w+ : Pass<\"([\w-]+)\"", definitions, re.MULTILINE):
        stem = re.sub(r"^tile-", "", name).replace("-", "_")
        for file in (f"{stem}.mlir", f"{stem}_refuses.mlir"):
            path = folder / file
            if not path.exists() or f"--{name}" not in path.read_text(encoding="utf-8"):
                yield f"{name}: {path} does not exist or does not run the pass"


def main(header, sources, passes, tests, dialect="tile", folder_of_passes="transforms"):
    tests = pathlib.Path(tests)
    folder = tests / "dialects" / dialect
    found = list(untested_ops(pathlib.Path(header).read_text(encoding="utf-8"), folder))
    found += untested_messages(pathlib.Path(sources), folder)
    found += untested_passes(pathlib.Path(passes).read_text(encoding="utf-8"), tests / folder_of_passes)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
