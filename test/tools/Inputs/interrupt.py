# SPDX-License-Identifier: MIT
"""Runs a command, interrupts it when it says that it works on something else than FIRST, and prints what it printed and
its exit code.

    interrupt.py SIGNAL FIRST COMMAND...
"""
import signal
import subprocess
import sys

process = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
for line in process.stderr:
    if line.startswith("bench ") and sys.argv[2] not in line:
        break
process.send_signal(signal.Signals[sys.argv[1]])
printed, _ = process.communicate(timeout=600)
print(printed + f"exit code {process.returncode}")
