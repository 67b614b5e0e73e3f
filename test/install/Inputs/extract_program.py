# SPDX-License-Identifier: MIT
# Prints the first C++ program of a Markdown file, so that what is documented is what is tested.
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    blocks = re.findall(r"^```cpp\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
print(next(block for block in blocks if "int main" in block), end="")
