# SPDX-License-Identifier: MIT
# Runs a command, interrupts it when it has worked for a second, and prints what it printed and its exit code.
import signal
import subprocess
import sys
import time

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
time.sleep(1)
process.send_signal(signal.SIGINT)
printed, _ = process.communicate(timeout=300)
print(printed + f"exit code {process.returncode}")
