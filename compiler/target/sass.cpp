// SPDX-License-Identifier: MIT
#include "compiler/target/sass.h"

#include "tile/error.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {
namespace {

std::string find(llvm::StringRef program) {
  if (auto path = llvm::sys::findProgramByName(program))
    return *path;
  if (auto path = llvm::sys::findProgramByName(program, {"/usr/local/cuda/bin"}))
    return *path;
  throw Error(
      "machine code is written by NVIDIA's " + program.str() + ", which is not on this machine's PATH", {})
      .add_help("install the CUDA toolkit, or look at the stage `ptx`");
}

class TemporaryFile {
 public:
  explicit TemporaryFile(llvm::StringRef extension) {
    if (std::error_code problem = llvm::sys::fs::createTemporaryFile("tile", extension, path_))
      throw Error("cannot make a temporary file: " + problem.message(), {});
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path_); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  llvm::StringRef path() const { return path_; }
  std::string contents() const {
    auto buffer = llvm::MemoryBuffer::getFile(path_);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

 private:
  llvm::SmallString<64> path_;
};

struct Written {
  std::string out, err;
};

Written run(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> arguments) {
  std::string program = find(name);
  TemporaryFile out("out"), err("err");
  llvm::SmallVector<llvm::StringRef> all{program};
  all.append(arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), out.path(), err.path()};
  if (llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects) != 0)
    throw Error(name.str() + " refuses the kernel: " + err.contents(), {});
  return {out.contents(), err.contents()};
}

Written assemble(const std::string &ptx, const Target &target, llvm::StringRef binary) {
  TemporaryFile source("ptx");
  std::error_code problem;
  llvm::raw_fd_ostream file(source.path(), problem);
  file << ptx;
  file.close();
  if (problem || file.has_error()) {
    std::string reason = (problem ? problem : file.error()).message();
    file.clear_error();
    throw Error("cannot write " + source.path().str() + ": " + reason, {});
  }
  std::string arch = "-arch=" + target.name();
  return run("ptxas", {"-v", arch, source.path(), "-o", binary});
}

}   // namespace

std::string machineCode(const std::string &ptx, const Target &target, bool lines) {
  TemporaryFile binary("cubin");
  assemble(ptx, target, binary.path());
  llvm::SmallVector<llvm::StringRef> arguments{"-c", binary.path()};
  if (lines)
    arguments.insert(arguments.begin(), "-g");
  return run("nvdisasm", arguments).out;
}

std::string assemblerLog(const std::string &ptx, const Target &target) {
  TemporaryFile binary("cubin");
  Written written = assemble(ptx, target, binary.path());
  return written.out + written.err;
}

}   // namespace tile
