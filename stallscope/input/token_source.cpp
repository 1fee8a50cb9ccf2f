#include "stallscope/input/token_source.h"

#include <fmt/format.h>

#include <utility>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/input/folder_entries.h"

namespace stallscope {
namespace {

class TokenReader : public SampleReader {
 public:
  explicit TokenReader(const TokenSource& source) : source_(source) {}

  void Load(std::uint32_t sample, std::uint64_t /*seed*/, Batch& batch, std::size_t slot) override {
    const double begin_s = MonotonicSeconds();
    const std::size_t length = source_.sequence_length();
    const std::span<std::int64_t> out(batch.tokens.data() + slot * (length + 1), length + 1);
    source_.file().Read(static_cast<std::uint64_t>(sample) * length, out);
    batch.read_s += MonotonicSeconds() - begin_s;
    batch.bytes += length * static_cast<std::size_t>(source_.file().bytes_per_token());
  }

 private:
  const TokenSource& source_;
};

}  // namespace

TokenSource::TokenSource(TokenFile file, std::size_t sequence_length)
    : file_(std::move(file)),
      sequence_length_(sequence_length),
      sequences_((file_.size() - 1) / sequence_length),
      opened_with_(FolderChangeTime(file_.path())) {
  if (sequences_ == 0) {
    throw Error(fmt::format("the token file '{}' has {} tokens, fewer than one sequence of {} and its target",
                            file_.path(), file_.size(), sequence_length),
                "choose a smaller --sequence-length, or a longer file");
  }
}

void TokenSource::Shape(Batch& batch, std::size_t samples) const {
  batch.tokens.resize(samples * (sequence_length_ + 1));
}

std::unique_ptr<SampleReader> TokenSource::NewReader() const {
  return std::make_unique<TokenReader>(*this);
}

std::string TokenSource::Change() const {
  if (FolderChangeTime(file_.path()) == opened_with_) return {};
  return fmt::format("the token file '{}' was written while it was in use", file_.path());
}

}  // namespace stallscope
