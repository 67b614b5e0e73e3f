// SPDX-License-Identifier: MIT
// Two messages, of which the tests beside know one.
LogicalResult rules(Op op, int extent) {
  if (extent < 0)
    return op.emitOpError() << "nobody expects this " << extent;
  return op.emitOpError("somebody expects this");
}
