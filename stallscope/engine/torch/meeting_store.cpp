#include "stallscope/engine/torch/meeting_store.h"

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

namespace stallscope {
namespace {

/// c10d's idea of a store, on our meeting server.
class MeetingStore : public c10d::Store {
 public:
  MeetingStore(const std::string& host, int port, std::chrono::milliseconds timeout)
      : c10d::Store(timeout), client_(host, port, Seconds(timeout)) {}

  void set(const std::string& key, const std::vector<uint8_t>& value) override {
    const std::lock_guard lock(mutex_);
    client_.Set(key, {value.begin(), value.end()});
  }

  std::vector<uint8_t> get(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    const std::string value = client_.Get(key, Seconds(timeout_));
    return {value.begin(), value.end()};
  }

  int64_t add(const std::string& key, int64_t amount) override {
    const std::lock_guard lock(mutex_);
    return client_.Add(key, amount);
  }

  bool deleteKey(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    return client_.Remove(key);
  }

  bool check(const std::vector<std::string>& keys) override {
    const std::lock_guard lock(mutex_);
    for (const std::string& key : keys) {
      if (!client_.Has(key)) return false;
    }
    return true;
  }

  int64_t getNumKeys() override {
    const std::lock_guard lock(mutex_);
    return client_.Count();
  }

  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }

  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
    const std::lock_guard lock(mutex_);
    for (const std::string& key : keys) client_.Get(key, Seconds(timeout));
  }

 private:
  std::mutex mutex_;
  MeetingClient client_;
};

}  // namespace

c10::intrusive_ptr<c10d::Store> OpenMeetingStore(const MeetingConfig& config, int world_size) {
  const auto timeout = std::chrono::milliseconds(static_cast<int64_t>(config.timeout_s * 1000));
  c10::intrusive_ptr<c10d::Store> store;
  switch (config.kind) {
    case MeetingConfig::Kind::kFile:
      store = c10::make_intrusive<c10d::FileStore>(config.file, world_size);
      break;
    case MeetingConfig::Kind::kTcp:
      store = c10::make_intrusive<MeetingStore>(config.host, config.port, timeout);
      break;
    case MeetingConfig::Kind::kAgent: {
      c10d::TCPStoreOptions options;
      options.port = static_cast<std::uint16_t>(config.port);
      options.waitWorkers = false;
      options.timeout = timeout;
      store = c10::make_intrusive<c10d::TCPStore>(config.host, options);
      break;
    }
  }
  store->setTimeout(timeout);
  return store;
}

}  // namespace stallscope
