# SPDX-License-Identifier: MIT
# Sums up a run of lit in the one last line that people and machines look for: `N passed, N failed`.
# usage: summary.py <lit's JSON output> <lit's exit status>
import json
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED"}
NOT_ASKED_FOR = {"EXCLUDED"}


def main(results, status):
    try:
        with open(results, encoding="utf-8") as file:
            tests = json.load(file)["tests"]
    except (OSError, ValueError, KeyError):
        tests = []
    tests = [test for test in tests if test["code"] not in NOT_ASKED_FOR]
    passed = sum(test["code"] in PASSED for test in tests)
    skipped = sum(test["code"] in SKIPPED for test in tests)
    failures = [test for test in tests if test["code"] not in PASSED | SKIPPED]
    for test in failures:
        print(f"{test['code']}: {test['name']}")
    failed = len(failures)
    # lit itself may fail, or find nothing to run: that is no success either.
    if not failed and (status != 0 or not tests):
        print(f"lit stopped with status {status} after {len(tests)} tests" if status else "there is no such test")
        failed = 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
