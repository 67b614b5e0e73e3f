# SPDX-License-Identifier: MIT
# The table of docs/calibration.md is what tile_calibration makes of the recorded results.
#   check_calibration.py TILE_CALIBRATION RESULTS DOCUMENT [--update]
import subprocess
import sys

program, results, document = sys.argv[1:4]
table = subprocess.run([program, "--markdown", "--results", results], check=True, capture_output=True, text=True).stdout
with open(document, encoding="utf-8") as file:
    text = file.read()
marker = "## The table\n\n"
wanted = text[: text.index(marker)] + marker + table
if sys.argv[4:] == ["--update"]:
    with open(document, "w", encoding="utf-8") as file:
        file.write(wanted)
elif text != wanted:
    sys.exit(f"{document}: its table is not that of the results; run tools/dev build update-calibration")
