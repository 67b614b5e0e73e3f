// SPDX-License-Identifier: MIT
// Prints the traces of Inputs/traces.cpp: those built into this program, or those of a library that
// another compiler made of the same file. The library takes the front end from this program.
#include <dlfcn.h>

#include <cstdio>

extern "C" const char *tile_test_traces();

int main(int argc, char **argv) {
  const char *(*traces)() = &tile_test_traces;
  if (argc > 1) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "tile_test_traces") : nullptr;
    if (!symbol) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    traces = reinterpret_cast<const char *(*)()>(symbol);
  }
  std::puts(traces());
}
