# SPDX-License-Identifier: MIT
"""A picture of a timeline: well-formed, with colours of its own, within its frame, and with these texts: FILE TEXT..."""
import re
import sys
import xml.etree.ElementTree as ElementTree

NAMESPACE = "{http://www.w3.org/2000/svg}"

name, *wanted = sys.argv[1:]
root = ElementTree.parse(name).getroot()
style = root.find(NAMESPACE + "style").text
_, _, width, height = map(float, root.get("viewBox").split())
texts = [element.text for element in root.iter(NAMESPACE + "text")]
bars = list(root.iter(NAMESPACE + "rect"))
complaints = [f"does not show {text!r}" for text in wanted if text not in texts]
for bar in bars:
    colour = bar.get("class") or re.fullmatch(r"fill: var\(--(\w+)\)", bar.get("style"))[1]
    if not re.search(rf"(\.|--){colour}\b", style):
        complaints.append(f"no colour for {colour}")
    if float(bar.get("x")) + float(bar.get("width")) > width or float(bar.get("y")) + float(bar.get("height")) > height:
        complaints.append("a bar outside of the frame")
print("\n".join(sorted(set(complaints))) or f"a picture with {len(bars)} bars")
