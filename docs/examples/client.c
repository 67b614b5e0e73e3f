/* SPDX-License-Identifier: MIT
 * Calls the functions of exported.cpp from C99: docs/c-api.md. */
#include "mine.h"

#include <stdio.h>

int main(void) {
  float x[5] = {1, 2, 3, 4, 5}, y[5] = {10, 10, 10, 10, 10};
  int64_t count = 5;
  tile_tensor x_tensor = {x, {TILE_ON_CPU, 0}, 1, {TILE_FLOAT, 32, 1}, &count, NULL, 0};
  tile_tensor y_tensor = {y, {TILE_ON_CPU, 0}, 1, {TILE_FLOAT, 32, 1}, &count, NULL, 0};
  tile_device device;
  tile_stream stream;
  int i;

  if (tile_open_device("simulator", &device) || tile_own_stream(device, &stream) ||
      mine_axpy(stream, &x_tensor, &y_tensor, 2.0f, 5) || tile_synchronize(stream)) {
    fprintf(stderr, "%s\n", tile_error_text());
    return 1;
  }
  for (i = 0; i < 5; ++i)
    printf("%g ", y[i]);
  printf("\n");

  x_tensor.element.bits = 64;
  i = mine_axpy(stream, &x_tensor, &y_tensor, 2.0f, 5);
  printf("%s: %s\n", tile_status_name(i), tile_error_text());
  return tile_close_device(device);
}
