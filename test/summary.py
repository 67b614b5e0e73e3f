# SPDX-License-Identifier: MIT
# Sums up a run of lit in the one last line that people and machines look for: `N passed, N failed`.
# usage: summary.py (<lit's xunit report> <lit's exit status>) ...
# Tests that were skipped for want of ptxas are named: those of text say so in the report, the programs in a file beside it.
# So are tests of text for which `--within` left no time.
import os
import sys
import xml.etree.ElementTree


def skipped_because(cases, why):
    for case in cases:
        skipped = case.find("skipped")
        if skipped is not None and why in skipped.get("message", ""):
            yield f"{case.get('classname')}/{case.get('name')}"


def skipped_by_programs(report):
    name = report.replace("test-results-", "test-skipped-").replace(".xml", ".txt")
    if os.path.exists(name):
        with open(name) as file:
            yield from sorted(set(file.read().splitlines()))


def grouped(names, most=5):
    """Suites of many tests are named as such."""
    suites = {}
    for name in names:
        suites.setdefault(name.split(".")[0], []).append(name)
    for suite, tests in suites.items():
        yield from tests if len(tests) <= most else [f"{len(tests)} tests of {suite}"]


def main(runs):
    passed = failed = skipped = 0
    for report, status in runs:
        cases = []
        if os.path.exists(report):
            cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
        failures = [case for case in cases if case.find("failure") is not None]
        skips = sum(case.find("skipped") is not None for case in cases)
        passed += len(cases) - len(failures) - skips
        failed += len(failures)
        skipped += skips
        # So lit calls the end of its time, but also what a unit test skips by itself, as for want of a GPU.
        of_text = [case for case in cases if not case.get("classname").startswith("unit.")]
        for name in grouped(skipped_because(of_text, "User interrupt")):
            print(f"skipped for want of time: {name}")
        for name in [*skipped_because(cases, "ptxas"), *grouped(skipped_by_programs(report))]:
            print(f"skipped for want of ptxas: {name}")
        for case in failures:
            print(f"failed: {case.get('classname')}/{case.get('name')}")
        # lit itself may fail, or find nothing to run: that is no success either.
        if not failures and (status != 0 or not cases):
            print(f"lit stopped with status {status} after {len(cases)} tests" if status else "there is no such test")
            failed += 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main([(report, int(status)) for report, status in zip(sys.argv[1::2], sys.argv[2::2])]))
