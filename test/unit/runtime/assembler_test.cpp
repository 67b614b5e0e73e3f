// SPDX-License-Identifier: MIT
// What an assembler says, and ptxas itself where there is one: kernels whose registers and products of
// warpgroups it leaves as they are, kernels where it does not, and programs that are not assemblers.
#include "runtime/assembler.h"

#include "runtime/assembler_log.h"
#include "test/unit/runtime/scratch_folder.h"
#include "test/unit/runtime/without_ptxas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

TEST(AssemblerLogs, SayWhereSpeedWasLost) {
  EXPECT_THAT(
      lost_speed("ptxas info    : (C7517) warpgroup.wait is injected in around line 29 by compiler\n"
                 "ptxas info    : 0 bytes gmem\n"
                 "ptxas info    : (C7514) Potential Performance Loss: serialized in the function 'k'\n"
                 "ptxas info    : Used 34 registers, used 0 barriers"),
      ElementsAre("(C7517) warpgroup.wait is injected in around line 29 by compiler",
                  "(C7514) Potential Performance Loss: serialized in the function 'k'"));
  EXPECT_THAT(lost_speed(""), IsEmpty());
  EXPECT_THAT(lost_speed("(C75"), IsEmpty());
  EXPECT_THAT(lost_speed("(C7510"), IsEmpty());
  EXPECT_THAT(lost_speed("(C75100) and (C7602)"), IsEmpty());
}

constexpr std::string_view located = ".version 8.4\n"                                       // 1
                                     "\t.loc\t1 0 0\n"                                      // 2: no place
                                     "\t.loc\t2 17 3\n"                                     // 3
                                     "add;\n"                                               // 4
                                     ".loc 1 20 5, function_name $L1, inlined_at 2 8 1\n"   // 5
                                     "mul;\n"                                               // 6
                                     "\t.file\t1 \"/src/a b.h\"\n"
                                     "\t.file\t2 \"/src/k.cpp\"\n";

TEST(AssemblerLogs, LeadToTheUsersLine) {
  EXPECT_EQ(line_named("ptxas PTX, line 24; error : Unknown modifier"), 24u);
  EXPECT_EQ(line_named("injected in around line 29 by compiler"), 29u);
  EXPECT_EQ(line_named("a line of line 7"), 7u);
  EXPECT_EQ(line_named("no line"), std::nullopt);
  EXPECT_EQ(line_named("line "), std::nullopt);
  EXPECT_EQ(line_of(located, 1), ".version 8.4");
  EXPECT_EQ(line_of(located, 6), "mul;");
  EXPECT_EQ(line_of(located, 0), "");
  EXPECT_EQ(line_of(located, 99), "");
  EXPECT_EQ(user_line(located, 4), Location("/src/k.cpp", 17, 3));
  EXPECT_EQ(user_line(located, 6), Location("/src/a b.h", 20, 5));
  EXPECT_EQ(user_line(located, 99), Location("/src/a b.h", 20, 5));
  EXPECT_EQ(user_line(located, 0), Location("/src/k.cpp", 17, 3)) << "of the kernel";
  EXPECT_EQ(user_line(located, 2), Location());
  EXPECT_EQ(user_line("", 3), Location());
  EXPECT_EQ(user_line(".loc 1 2 3\n", 3), Location()) << "a file without a name";
  EXPECT_EQ(user_line(".loc 1 x\n.loc\n.file\n.file 1 \"\n", 9), Location());
}

// ---- kernels

struct Wgmma {
  std::string before = "wgmma.fence.sync.aligned;\n", behind = "", end = "wgmma.wait_group.sync.aligned 0;\n";
};

std::string entry(const std::string &body, const std::string &directives = ".reqntid 128\n.minnctapersm 1") {
  return R"(.version 8.4
.target sm_90a
.address_size 64
.file 1 "/src/kernel.h"
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.visible .entry scale(.param .u64 out)
)" + directives +
         R"(
{
.reg .f32 %f<8>;
.reg .b64 %d<8>;
.reg .b32 %r<8>;
.reg .pred %p<3>;
ld.param.u64 %d1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d2, %r1, 4;
add.s64 %d3, %d1, %d2;
mov.u64 %d4, 0;
mov.u32 %r3, 0;
setp.ne.b32 %p1, 1, 0;
mov.f32 %f0, 0f00000000;
mov.f32 %f1, %f0;
mov.f32 %f2, %f0;
mov.f32 %f3, %f0;
.loc 1 9 1
)" + body +
         R"(
st.global.f32 [%d3], %f0;
st.global.f32 [%d3+512], %f1;
st.global.f32 [%d3+1024], %f2;
st.global.f32 [%d3+1536], %f3;
ret;
}
)";
}
std::string product(const Wgmma &around) {
  return entry(
      "LOOP:\n" + around.before +
      ".loc 1 17 3\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d4, %d4, %p1, 1, 1, 0, 0;\n"
      "wgmma.commit_group.sync.aligned;\n" +
      around.behind + "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 10;\n@%p2 bra LOOP;\n" + around.end);
}
const std::string print =
    "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d4; st.param.b64 [b], "
    "%d4; call.uni (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }\n";
const std::string changes_registers = "setmaxnreg.dec.sync.aligned.u32 40;";

LoweredKernel kernel(const std::string &ptx) {
  LoweredKernel kernel;
  kernel.name = kernel.symbol = "scale";
  kernel.config = "block=128";
  kernel.target = "sm_90a";
  kernel.set_text(ptx);
  return kernel;
}

class Assembling : public ::testing::Test {
 protected:
  Assembling() {
    guard.set("TILE_PTXAS", nullptr);
    guard.set("TILE_LOST_SPEED", nullptr);
  }
  void SetUp() override {
    assembler = find_assembler();
    if (!assembler)
      GTEST_SKIP() << without_ptxas();
    guard.set("TMPDIR", folder.path().c_str());
  }
  void TearDown() override { EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "files are left"; }
  LoweredKernel made(const std::string &ptx) const { return assembled(*assembler, kernel(ptx), "sm_90a"); }
  // What assembling ends with, or "".
  std::string complaint(const std::string &ptx) const {
    try {
      made(ptx);
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  }
  testing::ScratchFolder folder;
  testing::EnvironmentGuard guard;
  std::optional<Assembler> assembler;
};

// Instructions of sm_90 have 16 bytes; 0x79c8 is USETMAXREG.
bool changes_registers_in(const LoweredKernel &kernel) {
  for (std::size_t at = 0; at + 16 <= kernel.code.size(); at += 16)
    if (kernel.code[at] == std::byte{0xc8} && kernel.code[at + 1] == std::byte{0x79})
      return true;
  return false;
}

TEST_F(Assembling, KeepsWhatIsWritten) {
  const LoweredKernel made = this->made(entry(changes_registers));
  EXPECT_EQ(made.kind, LoweredKernel::Code::cubin);
  EXPECT_EQ(made.target, "sm_90a");
  EXPECT_TRUE(changes_registers_in(made));
  EXPECT_GT(made.registers, 0);
  EXPECT_EQ(made.spill_bytes, 0);
  EXPECT_THAT(made.assembler_log, AllOf(HasSubstr("registers"), Not(HasSubstr(folder.path().string()))));
  const LoweredKernel plain = this->made(entry(""));
  EXPECT_FALSE(changes_registers_in(plain)) << "the instruction would be seen";
  EXPECT_EQ(complaint(product({.behind = "wgmma.wait_group.sync.aligned 0;\n"})), "");
}

TEST_F(Assembling, IsForTheGpuThatIsThere) {
  std::string text = entry("");
  text.replace(text.find("sm_90a"), 6, "sm_80");
  const LoweredKernel made = assembled(*assembler, kernel(text), "sm_90");
  EXPECT_EQ(made.target, "sm_90");
}

TEST_F(Assembling, LostSpeedIsAnErrorAtTheUsersLine) {
  const std::string reads = "add.f32 %f4, %f0, %f1;\nst.global.f32 [%d3+4096], %f4;\n";
  const std::string wait_for_one = "wgmma.wait_group.sync.aligned 1;\n",
                    wait = "wgmma.wait_group.sync.aligned 0;\n";
  const std::string early = complaint(product({.behind = wait_for_one + reads}));
  EXPECT_THAT(early,
              AllOf(HasSubstr("error: the assembler made this kernel slower than it is written: (C7514) "
                              "Potential Performance Loss: wgmma.mma_async instructions are serialized"),
                    HasSubstr("--> /src/kernel.h:9:1"), HasSubstr("= kernel scale, config block=128"),
                    HasSubstr("help: set TILE_LOST_SPEED=warning to run it anyway")));
  const std::string unfenced = complaint(product({.before = "", .behind = wait}));
  EXPECT_THAT(unfenced,
              AllOf(HasSubstr("(C7519) warpgroup.arrive is injected"), HasSubstr("/src/kernel.h:17:3")));
  EXPECT_THAT(complaint(product({.behind = print + wait})), HasSubstr("slower than it is written: (C75"));
  EXPECT_THAT(complaint(product({.behind = wait, .end = print})),
              HasSubstr("(C7510) Potential Performance Loss"));
  EXPECT_THAT(complaint(entry(changes_registers, "")),
              HasSubstr("(C7508) Potential Performance Loss: 'setmaxnreg' "
                        "ignored"));
  EXPECT_THAT(complaint(entry(changes_registers, ".reqntid 128")), HasSubstr("(C7508)"));
}

TEST_F(Assembling, LostSpeedIsAWarningWhereItIsAsked) {
  guard.set("TILE_LOST_SPEED", "warning");
  ::testing::internal::CaptureStderr();
  const LoweredKernel made = this->made(entry(changes_registers, ""));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              AllOf(HasSubstr("warning: the assembler made this kernel slower than it is written: (C7508)"),
                    HasSubstr("/src/kernel.h:9:1"), Not(HasSubstr("error"))));
  EXPECT_EQ(made.kind, LoweredKernel::Code::cubin);
  EXPECT_THAT(made.assembler_log, HasSubstr("(C7508)"));
}

TEST_F(Assembling, RefusedCodeIsQuoted) {
  std::string text = product({});
  text.replace(text.find("wgmma.fence"), 11, "wgmma.fense");
  EXPECT_THAT(complaint(text),
              AllOf(HasSubstr("error: ptxas refuses the code of scale: ptxas PTX, line "),
                    HasSubstr("Unknown modifier '.fense'"), HasSubstr(": wgmma.fense.sync.aligned;")));
}

TEST_F(Assembling, AnAssemblerThatIsTooOldSaysSo) {
  std::string text = entry("");
  text.replace(text.find("8.4"), 3, "99.9");
  EXPECT_THROW(made(text), AssemblerIsTooOld);
  EXPECT_THROW(assembled(*assembler, kernel(entry("")), "sm_999"), AssemblerIsTooOld);
  EXPECT_THAT([&] { made(text); }, ThrowsMessage<Error>(AllOf(HasSubstr("is too old for the code of scale: "),
                                                              HasSubstr("Unsupported .version 99.9"),
                                                              HasSubstr("help: set TILE_PTXAS"))));
}

// ---- programs that are not assemblers

class Assemblers : public ::testing::Test {
 protected:
  Assembler program(const std::string &text) {
    const std::string path = folder.write("bin/ptxas", "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {.path = path};
  }
  std::string complaint(const std::string &text) {
    const Assembler assembler = program(text);
    try {
      assemble(assembler, "ptx", "sm_90a", "scale", 1);
    } catch (const Error &error) {
      code = error.code();
      return error.what();
    }
    return "";
  }
  testing::ScratchFolder folder;
  testing::EnvironmentGuard guard;
  ErrorCode code = ErrorCode::invalid_argument;   // of the last complaint
};

TEST_F(Assemblers, ThatFailAreErrorsWithARemedy) {
  const std::string help = "help: set TILE_PTXAS to the path of a ptxas that works, or to `driver`";
  const std::string path = (folder.path() / "bin" / "ptxas").string();
  EXPECT_THAT(complaint("exit 3"),
              AllOf(HasSubstr(path + " exited with status 3, assembling scale"), HasSubstr(help)));
  EXPECT_THAT(complaint("kill -11 $$"), AllOf(HasSubstr("was killed by signal 11"), HasSubstr(help)));
  EXPECT_THAT(complaint("sleep 100"), AllOf(HasSubstr("was still running after 1 s"), HasSubstr(help)));
  EXPECT_THAT(complaint("exit 0"), AllOf(HasSubstr("wrote no code"), HasSubstr(help)));
  EXPECT_EQ(code, ErrorCode::compilation_refused);
  EXPECT_THAT(complaint("echo 'ptxas fatal : Unsupported .version 8.4; current version is 7.0' >&2; exit 1"),
              AllOf(HasSubstr("is too old for the code of scale"), HasSubstr("current version is 7.0")));
  EXPECT_EQ(code, ErrorCode::unsupported);
  EXPECT_THAT(complaint("echo 'no licence'; exit 1"),
              HasSubstr("ptxas refuses the code of scale: no licence"));
  EXPECT_EQ(code, ErrorCode::compilation_refused);
}

TEST_F(Assemblers, GetTheCodeAsItIs) {
  const Assembler assembler = program(R"(echo "$1 $2 $4 $6"; cp "$3" "$5")");
  const MachineCode made = assemble(assembler, "some `text`", "sm_90a", "scale");
  EXPECT_EQ(made.log, "-arch=sm_90a -v -o \n");
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(made.cubin.data()), made.cubin.size()), "some `text`");
}

// Without lines, `-lineinfo` would still put all of the PTX into the machine code.
TEST_F(Assemblers, AreAskedForTheLinesOfCodeThatHasThem) {
  const Assembler assembler = program(R"(echo "$6"; cp "$3" "$5")");
  LoweredKernel kernel;
  kernel.symbol = "scale";
  kernel.set_text(located);
  const LoweredKernel with = assembled(assembler, kernel, "sm_90a");
  EXPECT_EQ(with.assembler_log, "-lineinfo\n");
  EXPECT_EQ(with.text(), located);
  const LoweredKernel without = assembled(assembler, without_lines(kernel), "sm_90a");
  EXPECT_EQ(without.assembler_log, "\n");
  EXPECT_EQ(without.text(), ".version 8.4\nadd;\n.loc 1 20 5, function_name $L1, inlined_at 2 8 1\nmul;\n");
}

TEST_F(Assemblers, AreChosenByTheEnvironment) {
  const std::string path = program("exit 1").path, bin = (folder.path() / "bin").string();
  guard.set("PATH", bin.c_str());
  guard.set("TILE_PTXAS", nullptr);
  ASSERT_TRUE(find_assembler());
  EXPECT_EQ(find_assembler()->path, path);
  EXPECT_FALSE(find_assembler()->is_chosen);
  guard.set("TILE_PTXAS", "driver");
  EXPECT_FALSE(find_assembler());
  guard.set("PATH", "/nowhere");
  guard.set("TILE_PTXAS", path.c_str());
  ASSERT_TRUE(find_assembler());
  EXPECT_EQ(find_assembler()->path, path);
  EXPECT_TRUE(find_assembler()->is_chosen);
  guard.set("TILE_PTXAS", "/no/such/ptxas");
  EXPECT_THAT([] { find_assembler(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("TILE_PTXAS=/no/such/ptxas: there is no such program"),
                                         HasSubstr("help: set TILE_PTXAS"))));
}

}   // namespace
}   // namespace tile
