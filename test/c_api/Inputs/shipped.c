/* SPDX-License-Identifier: MIT */
#include <tile/functions.h>

#include <stdio.h>

int main(void) {
  /* 1 2   5 6
     3 4   7 8, in f16 */
  uint16_t a[4] = {0x3C00, 0x4000, 0x4200, 0x4400}, b[4] = {0x4500, 0x4600, 0x4700, 0x4800};
  float c[4] = {0, 0, 0, 0};
  int64_t extents[2] = {2, 2};
  tile_tensor at = {a, {TILE_ON_CPU, 0}, 2, {TILE_FLOAT, 16, 1}, extents, NULL, 0}, bt = at, ct = at;
  tile_device device;
  tile_stream stream;
  int status;

  bt.data = b;
  ct.data = c;
  ct.element.bits = 32;
  if (tile_open_device("simulator", &device) || tile_own_stream(device, &stream) ||
      tile_gemm(stream, &at, &bt, &ct, "none")) {
    fprintf(stderr, "%s\n", tile_error_text());
    return 1;
  }
  printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
  ct.element.bits = 64;
  status = tile_gemm(stream, &at, &bt, &ct, "none");
  printf("%s: %s\n", tile_status_name(status), tile_error_text());
  return tile_close_device(device);
}
