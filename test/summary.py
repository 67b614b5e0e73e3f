# SPDX-License-Identifier: MIT
# Sums up a run of lit in the one last line that people and machines look for: `N passed, N failed`.
# usage: summary.py (<lit's xunit report> <lit's exit status>) ...
import os
import sys
import xml.etree.ElementTree


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
