#include "broker/configured_log.hpp"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "broker/core/counters.hpp"
#include "broker/store/memory_log.hpp"
#include "broker/store/rocks/rocks_log.hpp"
#include "config/options.hpp"
#include "config/store_folder.hpp"

namespace sluice::broker {

namespace {

std::string folder(const config::StoreOptions& options) {
    if (auto folder = config::store_folder(options, [](const char* name) { return std::getenv(name); }))
        return *std::move(folder);
    throw std::runtime_error(
        "there is no place for the store: neither STATE_DIRECTORY nor XDG_STATE_HOME nor HOME is set; --set "
        "store.path=FOLDER names one, and --set store.kind=memory does without");
}

store::RocksSettings rocks_settings(const config::Options& options, const std::string& path) {
    store::RocksSettings settings;
    settings.path = path;
    settings.backups = options.store.backups.value_or("");
    settings.sync = options.store.sync == config::StoreSync::group;
    settings.bytes_max = options.store.bytes;
    settings.replies_window = options.publish.idempotency_window;
    return settings;
}

store::ObserveTime into(base::Histogram& microseconds) {
    return [&microseconds](std::chrono::nanoseconds took) {
        microseconds.add(
            static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
    };
}

}  // namespace

std::size_t log_descriptors(const config::Options& options) {
    constexpr std::size_t of_rocksdb = 300;  // its tables, logs and lock
    return options.store.kind == config::StoreKind::rocksdb ? of_rocksdb : 0;
}

ConfiguredLog::ConfiguredLog(const config::Options& options, base::MemoryBudget& memory, Counters& counters,
                             store::WallClock clock, std::function<void(std::string_view)> at_point) {
    if (options.store.kind == config::StoreKind::memory) {
        log_ = std::make_unique<store::MemoryLog>(options.store.bytes.value_or(memory.bytes_max() / 4), memory,
                                                  std::move(clock));
        return;
    }
    path_ = folder(options.store);
    store::RocksSettings settings = rocks_settings(options, path_);
    settings.at_point = std::move(at_point);
    auto log = std::make_unique<store::RocksLog>(std::move(settings), memory, std::move(clock));
    log->observe(into(counters.store_group_microseconds), into(counters.store_append_microseconds));
    on_disk_ = log.get();
    log_ = std::move(log);
}

ConfiguredLog::~ConfiguredLog() = default;

void ConfiguredLog::open() {
    if (on_disk_ != nullptr) on_disk_->open();
}

double ConfiguredLog::opened() const { return on_disk_ == nullptr ? 1 : on_disk_->progress(); }

}  // namespace sluice::broker
