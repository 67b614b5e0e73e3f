# SPDX-License-Identifier: MIT
# Checks the rules of CONTRIBUTING.md that need no compiler, so that nobody has to count, sort or search.
# usage: check_sources.py <root of the project>
import os
import re
import subprocess
import sys

LONGEST_FILE = 700
SOURCE = (".cpp", ".h", ".td", ".py", ".cmake", ".mlir", ".test", ".sh")
CODE = (".cpp", ".h", ".td")
# An idea has a name: these words say that a file has none.
NAMELESS = re.compile(r"(^|[_-])(utils?|utility|utilities|common|helpers?|misc)([_.-]|$)", re.IGNORECASE)
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")


def project_files(root):
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=True,
    )
    return [name for name in listing.stdout.splitlines() if os.path.isfile(os.path.join(root, name))]


def texts(root, wanted=lambda name: True):
    """Name and text of each wanted file."""
    for name in project_files(root):
        if wanted(name):
            with open(os.path.join(root, name), encoding="utf-8") as file:
                yield name, file.read()


def report(found):
    """Prints what was found. The exit code of a check."""
    lines = list(found)
    for line in lines:
        print(line)
    return 1 if lines else 0


def pages(root):
    return sorted(name for name in project_files(root) if name.endswith(".md"))


def without_programs(page):
    """The text of a page with programs and output as blank lines, so that lines keep their numbers."""
    return re.sub(r"^( *)```.*?^\1```\s*$", lambda block: "\n" * block.group().count("\n"), page, flags=re.S | re.M)


def check_length(name, text):
    lines = text.count("\n")
    if name.endswith(SOURCE) and lines > LONGEST_FILE:
        yield f"{name}: {lines} lines; past {LONGEST_FILE} a file has two ideas in it: split it"


def check_license(name, text):
    """The first line, or the second after `#!`, is the licence; so it is in every script without a suffix."""
    is_script = text.startswith("#!")
    first = text.split("\n", 2)[1 if is_script else 0]
    wanted = name.endswith((".cpp", ".h", ".td", ".py", ".cmake", ".mlir")) or is_script
    wanted = wanted or os.path.basename(name) == "CMakeLists.txt"
    if wanted and "SPDX-License-Identifier: MIT" not in first:
        yield f"{name}:1: starts with `SPDX-License-Identifier: MIT` in a comment"


def check_name(name, text):
    if NAMELESS.search(os.path.basename(name)) or NAMELESS.search(os.path.basename(os.path.dirname(name))):
        yield f"{name}: name the file for its idea; `util`, `common`, `helper` and `misc` are none"


def check_text(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        if "\t" in line and name.endswith(SOURCE):
            yield f"{name}:{number}: indent with spaces"
        if line != line.rstrip() and not name.endswith(".md"):
            yield f"{name}:{number}: ends in white space"
        if UNFINISHED.search(line):
            yield f"{name}:{number}: finish it, or open an issue and name its number"
    if text and not text.endswith("\n"):
        yield f"{name}: ends without a newline"


def check_header(name, text):
    if name.endswith(".h") and "#pragma once" not in text:
        yield f"{name}: a header has `#pragma once`"
    if name.endswith(".h") and re.search(r"^using namespace", text, re.MULTILINE):
        yield f"{name}: a header opens no namespace for those who include it"
    banner = text.split("\n", 2)[1] if text.count("\n") > 1 else ""
    if name.endswith(CODE) and os.path.basename(name) in banner:
        yield f"{name}:2: say why the file exists; its name rots"


# What makes an op that is more than a constant: `SomeOp::create(`, LLVM's `b_.Create...`, the shorthands of ScalarCode,
# and functions that take the builder.
MAKES_OP = re.compile(
    r"Op::create\(|\b(c_?|calls_)\.(?!constant\b|number\b|integer\b|i32\b|f32\b|f64\b|site\b|type\b|b_\b)\w+\("
    r"|\bb_\.Create\w+\("
    r"|\b(?!constant\b|number\b|integer\b|i32\b|boxesOf\b|ImplicitLocOpBuilder\b)[a-z]\w+\((d|d_|b|b_|c|c_|builder)(, |\))"
    r"|(?<![\w:])(d\.)?(coordinate|withConstant|ofThread|splat)\("
    r"|\b(toStored|wide|sharedBase|bits|and_|or_|shiftLeft|select|extend|address|operand)\("
)
# What draws a number, or writes a line of a kernel that is made as text.
DRAWS = re.compile(r"\bw_?\.(below|one_in|between|one_of|any|i32|emit)\(|\border\(w\)|\bload\(w,|\bupdate\(w,")
WRITES_LINE = re.compile(r"\b(constant|binary|compare|choose|place)\(")
ORDERED = (("compiler/", MAKES_OP, "make ops"), ("dialects/", MAKES_OP, "make ops"), ("tools/fuzz/", DRAWS, "draw"),
           ("test/unit/simulator/hopper/gemm.cpp", WRITES_LINE, "write lines"))


def call_arguments(text, open_paren):
    """The arguments of the call whose `(` is at the place; none where the text does not look like a call."""
    depth, start, found = 0, open_paren + 1, []
    for at in range(open_paren, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth == 0:
                return found + [text[start:at]]
        elif text[at] == "," and depth == 1:
            found.append(text[start:at])
            start = at + 1
    return []


def check_order(name, text):
    """Compilers choose the order in which arguments are evaluated: two that make ops make other programs."""
    pattern, does = next(((p, d) for folder, p, d in ORDERED if name.startswith(folder)), (None, None))
    if not name.endswith((".cpp", ".h")) or not pattern:
        return
    code = re.sub(r"//[^\n]*|\"(\\.|[^\"\\\n])*\"", lambda match: " " * len(match.group()), text)
    for call in re.finditer(r"[\w>]\(", code):
        makers = [part for part in call_arguments(code, call.end() - 1)
                  if pattern.search(part) and not part.lstrip().startswith("[")]
        if len(makers) > 1:
            line = code.count("\n", 0, call.start()) + 1
            yield f"{name}:{line}: two arguments {does}, and C++ gives them no order: name one before the call"


# The others are code on MLIR, which is camelBack itself, and the insides of devices.
SNAKE_CASE = ("compiler/dsl/", "docs/examples/", "kernels/", "runtime/", "tools/")
CAMEL_BACK = ("runtime/cuda/", "runtime/simulator/")
# A function is declared or defined there: a type, a name, parameters.
DECLARES = re.compile(
    r"^ *(?!return\b|throw\b|else\b|new\b|delete\b|case\b|goto\b|using\b|co_\w+)"
    r"(?:[\w:]+(?:<[^;(){}]*>)?[ *&]+)+(?:\w+::)*(?P<name>[a-z]\w*)\((?![*&])", re.MULTILINE)


def check_function_names(name, text):
    """One style of functions in a folder; code on MLIR has MLIR's wherever it is."""
    if not name.endswith((".cpp", ".h")) or '#include "mlir/' in text or '#include "dialects/' in text:
        return
    if not name.startswith(SNAKE_CASE) or name.startswith(CAMEL_BACK):
        return
    code = re.sub(r"//[^\n]*|\"(\\.|[^\"\\\n])*\"", lambda match: " " * len(match.group()), text)
    for found in DECLARES.finditer(code):
        if re.search(r"[a-z][A-Z]", found["name"]):
            line = code.count("\n", 0, found.start("name")) + 1
            yield f"{name}:{line}: functions of this folder are snake_case, unlike `{found['name']}`"


def listed_sources(text):
    """The lists of sources of a CMakeLists.txt: runs of at least two lines that are one source file each."""
    lists, run = [], []
    for line in text.split("\n") + [""]:
        word = line.split("#")[0].strip().rstrip(")")
        if re.fullmatch(r"[\w/.-]+\.(cpp|h)", word):
            run.append(word)
        else:
            if len(run) > 1:
                lists.append(run)
            run = []
    return lists


def check_source_lists(root, names):
    """Every .cpp is in some CMakeLists.txt, and lists are sorted."""
    texts = {}
    for name in names:
        if os.path.basename(name) == "CMakeLists.txt":
            with open(os.path.join(root, name), encoding="utf-8") as file:
                texts[os.path.dirname(name)] = file.read()
    listed = set()
    for folder, text in texts.items():
        listed |= {os.path.normpath(os.path.join(folder, word)) for word in re.findall(r"[\w/.-]+\.cpp", text)}
        for sources in listed_sources(text):
            if sources != sorted(sources, key=str.lower):
                yield f"{folder}/CMakeLists.txt: sort the list that starts with {sources[0]}"
    for name in names:
        if name.endswith(".cpp") and name not in listed and not is_run_by_lit(root, name):
            yield f"{name}: no CMakeLists.txt lists it"


def is_run_by_lit(root, name):
    """C++ files that a RUN line compiles, their own or that of a .test file in their folder, need no target."""
    folder = os.path.join(root, os.path.dirname(name))
    if "/Inputs/" in name:
        return True
    for test in [os.path.join(root, name)] + [
        os.path.join(folder, other) for other in sorted(os.listdir(folder)) if other.endswith((".test", ".cfg.py"))
    ]:
        with open(test, encoding="utf-8") as file:
            text = file.read()
        if test.endswith(".cpp") and "RUN:" in text:
            return True
        if not test.endswith(".cpp") and os.path.basename(name) in text:
            return True
    return False


def check_file(name, text):
    for check in (check_length, check_license, check_name, check_text, check_header, check_order,
                  check_function_names):
        yield from check(name, text)


def main(root):
    found = list(check_source_lists(root, project_files(root)))
    for name, text in texts(root):
        found += check_file(name, text)
    return report(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
