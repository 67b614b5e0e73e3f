// SPDX-License-Identifier: MIT
// The developer's tool: reads IR as text or bytecode, runs passes on it, prints it. Every dialect
// and pass of the project is registered here, so that each can be tested alone and a reproducer of
// any failure can be run again.
#include "tools/tile-opt/tile_opt.h"

#include "tools/tile-opt/registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <string>

#include <unistd.h>

// LLVM's streams end the process from within exit() when something could not be written; this comes first.
static void end_llvm_streams() {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  bool fails = false;
  if (out.has_error()) {
    const std::string line = "tile-opt: cannot write to standard output: " + out.error().message() + "\n";
    out.clear_error();
    fails = true;
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) {
      // There is nobody left to tell.
    }
  }
  auto &err = static_cast<llvm::raw_fd_ostream &>(llvm::errs());
  err.flush();
  if (err.has_error()) {
    err.clear_error();
    fails = true;
  }
  if (fails)
    ::_exit(1);
}

int tile::tool::optimize(int argc, char **argv) {
  llvm::outs();
  llvm::errs();   // both are made before what is to run before their ends
  std::atexit(end_llvm_streams);
  mlir::DialectRegistry registry;
  tile::register_dialects(registry);
  tile::register_passes();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "tile optimizer driver\n", registry));
}
