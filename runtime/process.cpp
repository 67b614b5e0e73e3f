// SPDX-License-Identifier: MIT
#include "runtime/process.h"

#include "runtime/error.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tile {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw Error(std::string("cannot make a pipe: ") + std::strerror(errno), {});
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
  Descriptor from, to;
};

// What the child's numbers 0 to 2 are.
class Redirections {
 public:
  Redirections(const Pipe &out, const Pipe &err) {
    posix_spawn_file_actions_init(&actions_);
    // In this order also where the pipes have such numbers, of a program that has closed its own.
    posix_spawn_file_actions_adddup2(&actions_, out.to.get(), 1);
    posix_spawn_file_actions_adddup2(&actions_, err.to.get(), 2);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  ~Redirections() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Redirections(const Redirections &) = delete;
  Redirections &operator=(const Redirections &) = delete;
  const posix_spawn_file_actions_t *actions() const { return &actions_; }
  const posix_spawnattr_t *attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;   // a process group of its own: what it starts ends with it
};

// Whoever leaves without having waited, kills.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ > 0) {
      kill();
      wait(0);
    }
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  void kill() const { ::kill(-pid_, SIGKILL); }
  // Whether it has ended.
  bool wait(int options) {
    pid_t result;
    do
      result = waitpid(pid_, &status_, options);
    while (result < 0 && errno == EINTR);
    if (result == 0)
      return false;
    pid_ = 0;
    return true;
  }
  int status() const { return status_; }

 private:
  pid_t pid_;
  int status_ = 0;
};

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return left < 0 ? 0 : static_cast<int>(left);
}

// Until all that it writes was read; false when the time is over.
bool read_all(Pipe &out, Pipe &err, Ran &ran, Clock::time_point end) {
  std::array pipes{&out, &err};
  std::array texts{&ran.out, &ran.err};
  for (;;) {
    std::array<pollfd, 2> polled{};
    for (std::size_t i = 0; i < 2; ++i)
      polled[i] = {pipes[i]->from.get(), POLLIN, 0};   // closed ones are negative, and ignored
    if (polled[0].fd < 0 && polled[1].fd < 0)
      return true;
    const int ready = poll(polled.data(), polled.size(), milliseconds_until(end));
    if (ready == 0)
      return false;
    for (std::size_t i = 0; ready > 0 && i < 2; ++i) {
      if (!polled[i].revents)
        continue;
      std::array<char, 4096> bytes;
      const ssize_t count = read(polled[i].fd, bytes.data(), bytes.size());
      if (count > 0)
        texts[i]->append(bytes.data(), static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR)
        pipes[i]->from.close();
    }
  }
}

bool may_run(const std::string &path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

}   // namespace

std::optional<std::string> find_program(const std::string &name, std::span<const std::string_view> more) {
  if (name.find('/') != std::string::npos)
    return may_run(name) ? std::optional(name) : std::nullopt;
  std::vector<std::string_view> folders;
  if (const char *path = std::getenv("PATH"))
    for (std::string_view rest = path;;) {
      const std::size_t colon = rest.find(':');
      folders.push_back(rest.substr(0, colon));
      if (colon == std::string_view::npos)
        break;
      rest.remove_prefix(colon + 1);
    }
  folders.insert(folders.end(), more.begin(), more.end());
  for (const std::string_view folder : folders) {
    std::string file = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + name;
    if (may_run(file))
      return file;
  }
  return std::nullopt;
}

TemporaryFile::TemporaryFile(std::string_view ending, std::string_view contents) {
  std::error_code problem;
  std::filesystem::path folder = std::filesystem::temp_directory_path(problem);
  path_ = (problem ? std::filesystem::path("/tmp") : folder) / "tile-XXXXXX";
  path_ += ending;
  const Descriptor file(mkostemps(path_.data(), static_cast<int>(ending.size()), O_CLOEXEC));
  if (file.get() < 0)
    throw Error("cannot make a temporary file " + path_ + ": " + std::strerror(errno), {})
        .add_help("set TMPDIR to a folder that can be written to");
  while (!contents.empty()) {
    const ssize_t count = ::write(file.get(), contents.data(), contents.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      const int reason = errno;
      ::unlink(path_.c_str());
      throw Error("cannot write " + path_ + ": " + std::strerror(reason), {})
          .add_help("set TMPDIR to a folder with free space");
    }
    contents.remove_prefix(static_cast<std::size_t>(count));
  }
}

TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

std::vector<std::byte> TemporaryFile::contents() const {
  std::ifstream file(path_, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  return {begin, begin + bytes.size()};
}

std::string Ran::how() const {
  switch (end) {
  case End::exited:
    return "exited with status " + std::to_string(status);
  case End::killed:
    return "was killed by signal " + std::to_string(status);
  case End::out_of_time:
    break;
  }
  return "was still running after " + std::to_string(limit_seconds) + " s";
}

Ran run_program(const std::vector<std::string> &command, int limit_seconds) {
  Ran ran{.limit_seconds = limit_seconds};
  const Clock::time_point end = Clock::now() + std::chrono::seconds(limit_seconds);
  std::vector<char *> words;
  for (const std::string &word : command)
    words.push_back(const_cast<char *>(word.c_str()));
  words.push_back(nullptr);
  Pipe out, err;
  pid_t pid = 0;
  {
    const Redirections redirections(out, err);
    if (const int problem = posix_spawn(&pid, words[0], redirections.actions(), redirections.attributes(),
                                        words.data(), environ))
      throw Error("cannot start " + command[0] + ": " + std::strerror(problem), {});
  }
  Child child(pid);
  out.to.close();
  err.to.close();
  bool is_over = read_all(out, err, ran, end);
  // It may go on without anybody to write to.
  while (is_over && !child.wait(WNOHANG)) {
    is_over = milliseconds_until(end) > 0;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (!is_over) {
    ran.end = Ran::End::out_of_time;   // the child is killed on the way out
    return ran;
  }
  const bool exited = WIFEXITED(child.status());
  ran.end = exited ? Ran::End::exited : Ran::End::killed;
  ran.status = exited ? WEXITSTATUS(child.status()) : WTERMSIG(child.status());
  return ran;
}

}   // namespace tile
