// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/shared_allocation.h"

#include "compiler/analysis/kernel_target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {

// Bytes that an exchange may take at once, while channels are at work and while they rest. At work their
// memory is not free, and what is asked for in addition should be little.
constexpr std::int64_t BytesAtWork = 36 << 10, BytesAtRest = 72 << 10, LeastBytes = 4 << 10;
// Where the scratch of a role begins: a line of all banks.
constexpr std::uint64_t ScratchAlignment = 128;

static SharedOp addressOf(ImplicitLocOpBuilder &b, std::int64_t offset) {
  return SharedOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 3), offset);
}

Value SharedAllocation::channel(ImplicitLocOpBuilder &builder, Value channel, std::int64_t bytesIn) {
  return addressOf(builder, channels_.offset(channel) + bytesIn);
}

Value SharedAllocation::barriers(ImplicitLocOpBuilder &builder, Value channel) {
  return addressOf(builder, channels_.barriers(channel));
}

Value SharedAllocation::scratch(ImplicitLocOpBuilder &builder, const Role &role, Operation *at,
                                std::int64_t bytes) {
  Scratch &scratch = channelsRest(role, at) ? atRest_ : scratch_[role];
  scratch.bytes = std::max(scratch.bytes, bytes);
  return scratch.uses.emplace_back(addressOf(builder, 0));
}

Value SharedAllocation::betweenCtas(ImplicitLocOpBuilder &builder, unsigned place, std::int64_t bytes) {
  Scratch &scratch = betweenCtas_[place];
  scratch.bytes = std::max(scratch.bytes, bytes);
  return scratch.uses.emplace_back(addressOf(builder, 0));
}

std::int64_t SharedAllocation::bytesForExchange(const Role &role, Operation *at) const {
  if (channelsRest(role, at))
    return std::max(channels_.bytes(), BytesAtRest);
  // A role's channels are at work all the time: it makes do with what they leave.
  const std::int64_t left = targetOf(kernel_).sharedBytesPerBlock() - channels_.bytes();
  return role.isWholeCta() ? BytesAtWork : std::clamp(left, LeastBytes, BytesAtWork);
}

void SharedAllocation::Scratch::placeAt(std::int64_t offset) {
  for (SharedOp use : uses)
    use.setOffset(offset);
}

LogicalResult SharedAllocation::allocate() {
  bytes_ = atRest_.bytes;
  std::int64_t next = channels_.bytes();
  for (auto &[role, scratch] : scratch_) {
    std::int64_t at = role.isWholeCta() ? channels_.bytes() : next;
    scratch.placeAt(at);
    bytes_ = std::max(bytes_, at + scratch.bytes);
    if (!role.isWholeCta())
      next = static_cast<std::int64_t>(
          llvm::alignTo(static_cast<std::uint64_t>(at + scratch.bytes), ScratchAlignment));
  }
  bytes_ = std::max(bytes_, channels_.bytes());
  for (Scratch &place : betweenCtas_)
    if (place.bytes) {
      bytes_ = static_cast<std::int64_t>(llvm::alignTo(static_cast<std::uint64_t>(bytes_), ScratchAlignment));
      place.placeAt(bytes_);
      bytes_ += place.bytes;
    }
  return checkFits();
}

// More than a CTA may have is the user's to change: every buffer is named with its size and its line.
LogicalResult SharedAllocation::checkFits() const {
  func::FuncOp kernel = kernel_;
  const Target target = targetOf(kernel);
  if (bytes_ <= target.sharedBytesPerBlock())
    return success();
  InFlightDiagnostic error = kernel.emitError()
                             << "this config needs " << bytes_ << " bytes of shared memory for a CTA, "
                             << target.name() << " has " << target.sharedBytesPerBlock()
                             << ": smaller tiles or fewer stages need less";
  kernel.walk([&](ChannelOp channel) {
    ChannelType type = channel.getChannel().getType();
    std::string tiles;
    llvm::raw_string_ostream text(tiles);
    for (unsigned i = 0; i < type.getTiles().size(); ++i) {
      text << (i ? " and " : "");
      for (int64_t extent : type.getTile(i).getShape())
        text << extent << 'x';
      text << type.getTile(i).getElementType();
    }
    error.attachNote(channel.getLoc()) << type.getBytes() << " bytes: " << type.getSlots()
                                       << (type.getSlots() == 1 ? " stage of " : " stages of ") << tiles;
  });
  for (const auto &[role, scratch] : scratch_) {
    Diagnostic &note = error.attachNote(kernel.getLoc())
                       << scratch.bytes << " bytes: exchanges between threads";
    if (!role.isWholeCta())
      note << " of warps " << role.firstWarp << " to " << role.firstWarp + role.warps;
  }
  return failure();
}

}   // namespace tile::gpu
