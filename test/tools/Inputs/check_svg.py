# SPDX-License-Identifier: MIT
# A picture of a layout: well-formed, without anything that is not in the file, one cell per element.
# usage: check_svg.py <file> <elements> <text that it shows> ...
import sys
import xml.etree.ElementTree as ElementTree

NAMESPACE = "{http://www.w3.org/2000/svg}"

name, elements, wanted = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
root = ElementTree.parse(name).getroot()
allowed = {NAMESPACE + tag for tag in ("svg", "rect", "text")}
complaints = [f"element {e.tag}" for e in root.iter() if e.tag not in allowed]
complaints += [f"attribute {a}" for e in root.iter() for a in e.attrib if "href" in a or a.startswith("on")]

texts = [e.text for e in root.iter(NAMESPACE + "text")]
complaints += [f"does not show {w!r}" for w in wanted if not any(w in t for t in texts)]
width, height = float(root.get("width")), float(root.get("height"))
rects = [e for e in root.iter(NAMESPACE + "rect") if e.get("width") != "100%"]
for e in rects:
    if float(e.get("x")) + float(e.get("width")) > width or float(e.get("y")) + float(e.get("height")) > height:
        complaints.append(f"a cell at {e.get('x')}, {e.get('y')} lies outside")
# The legend's boxes are lower than cells.
cells = [e for e in rects if e.get("height") == "20"]
if len(cells) != elements:
    complaints.append(f"{len(cells)} cells for {elements} elements")
print("\n".join(complaints[:10]))
sys.exit(1 if complaints else 0)
