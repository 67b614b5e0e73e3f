// SPDX-License-Identifier: MIT
#include "tools/mutants/mutant.h"

#include "tools/mutants/damage_ops.h"
#include "tools/tile-opt/registration.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace mlir;

namespace tile::mutants {
namespace {

constexpr std::array<const char *, 3> targets{"sm_80", "sm_90", "sm_90a"};

// What tile-opt makes for one run.
class Session {
 public:
  Session()
      : context_(registry(), MLIRContext::Threading::DISABLED), handler_(&context_, [this](Diagnostic &d) {
          has_error_ |= d.getSeverity() == DiagnosticSeverity::Error && !d.str().empty();
          return success();
        }) {}

  OwningOpRef<ModuleOp> read(const std::string &text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context_), "mutant.mlir");
  }
  // Whether all passes took it.
  bool run(ModuleOp module, const Passes &passes) {
    PassManager manager(&context_, ModuleOp::getOperationName(), PassManager::Nesting::Implicit);
    if (failed(parsePassPipeline(pipeline_text(passes), manager, llvm::nulls()))) {
      has_error_ = true;   // options that the pipeline itself complains about
      return false;
    }
    print_after_failure(manager);
    return succeeded(manager.run(module));
  }
  bool has_error() const { return has_error_; }

 private:
  // As --mlir-print-ir-after-failure does: whoever looks for what is wrong prints what a pass has left half
  // done, valid or not. Verifiers and printers are not to fall over it.
  static void print_after_failure(PassManager &manager) {
    manager.enableIRPrinting([](Pass *, Operation *) { return false; },
                             [](Pass *, Operation *) { return true; }, /*printModuleScope=*/true,
                             /*printAfterOnlyOnChange=*/false, /*printAfterOnlyOnFailure=*/true,
                             llvm::nulls());
  }
  static const DialectRegistry &registry() {
    static const DialectRegistry all = [] {
      DialectRegistry made;
      register_dialects(made);
      return made;
    }();
    return all;
  }

  MLIRContext context_;
  bool has_error_ = false;
  ScopedDiagnosticHandler handler_;
};

// Without places: MLIR 22 reads the place behind an nvvm.barrier as one of its attributes.
std::string text_of(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text + "\n";
}

// Passes meet the forms that the passes before them make.
std::string advanced(const std::string &text, const Passes &way, Chance &chance) {
  Session session;
  OwningOpRef<ModuleOp> module = session.read(text);
  const Passes begin(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(below(way.size(), chance)));
  if (!module || !session.run(*module, begin))
    return text;
  constexpr std::size_t most = 60'000;   // damage is found in a text faster than it is done to a long one
  std::string further = text_of(*module);
  return further.size() <= most ? further : text;
}

// What is damaged in memory is not verified there: it is printed in the form that says all, and read as text.
std::string damaged(const std::string &text, Chance &chance) {
  if (below(2, chance) == 0)
    return damaged_text(text, chance);
  Session session;
  OwningOpRef<ModuleOp> module = session.read(text);
  if (!module)
    return text;
  damage_ops(*module, chance);
  std::string other;
  llvm::raw_string_ostream out(other);
  module->print(out, OpPrintingFlags().enableDebugInfo().useLocalScope().printGenericOpForm());
  module->getOperation()->dropAllReferences();   // values of one function may be used in another
  return other + "\n";
}

}   // namespace

Mutant make_mutant(const Corpus &corpus, std::uint64_t seed,
                   const std::function<void(const std::string &text)> &trying) {
  Chance chance(seed);
  for (int i = 0; i < 8; ++i)
    chance();   // neighbouring seeds begin alike
  // What is refused already tells little; some of it may be near to what is not.
  const Source *chosen = nullptr;
  do {
    chosen = &corpus.sources[below(corpus.sources.size(), chance)];
  } while (below(8, chance) != 0 && !Session().read(chosen->text));
  const Source &source = *chosen;
  const std::string target = targets[below(targets.size(), chance)];
  const std::vector<Passes> whole = whole_ways(target);
  Mutant mutant{source.file, "", {}};
  std::string text = source.text;
  if (below(2, chance) == 0)
    text = advanced(text, whole[below(whole.size(), chance)], chance);
  for (int left = 24; left > 0 && mutant.text.empty(); --left) {   // most are not even read
    const std::string other = damaged(text, chance);
    trying(other);
    if (Session().read(other))
      mutant.text = other;
  }

  if (!source.lines.empty())
    mutant.ways.push_back(source.lines[below(source.lines.size(), chance)]);
  mutant.ways.push_back(corpus.lines[below(corpus.lines.size(), chance)]);
  for (int i = 0; i < 3; ++i)
    mutant.ways.push_back({corpus.alone[below(corpus.alone.size(), chance)]});
  // Another GPU than the one whose passes it has been through: what that one has may be missing here.
  const std::string other = targets[below(targets.size(), chance)];
  const std::vector<Passes> others = below(2, chance) ? whole : whole_ways(other);
  const Passes &all = others[below(others.size(), chance)];
  mutant.ways.push_back(all);
  // Behind each of its passes there may be something that the one before would have refused.
  mutant.ways.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(below(all.size(), chance)), all.end());
  constexpr std::ptrdiff_t on_tiles = 2;   // the passes of a whole way that come before layouts are there
  Passes again{"--tile-assign-layouts=target=" + other};
  again.insert(again.end(), all.begin() + on_tiles, all.end());
  mutant.ways.push_back(std::move(again));
  return mutant;
}

std::string complaint(const std::string &text, const Passes &passes, bool *took_it) {
  Session session;
  OwningOpRef<ModuleOp> module = session.read(text);
  const bool is_taken = module && session.run(*module, passes);
  if (took_it)
    *took_it = is_taken;
  if (!is_taken)
    return session.has_error() ? "" : "it fails without a message";
  return Session().read(text_of(*module)) ? "" : "its result cannot be read";
}

}   // namespace tile::mutants
