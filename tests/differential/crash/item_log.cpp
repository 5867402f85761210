#include "tests/differential/crash/item_log.hpp"

#include <future>
#include <stdexcept>
#include <utility>
#include <vector>

#include "protocol/feed/model/source_range.hpp"
#include "tests/support/crash_file_system.hpp"

namespace sluice::testing {

ItemLog::ItemLog(CrashDisk& disk, std::mt19937_64& random, const std::string& path) : disk_(disk), random_(random) {
    settings.path = path;
}

void ItemLog::open(std::uint64_t stop_at) {
    log_.reset();
    settings.files = start_process(disk_);
    disk_.heal();
    if (stop_at != 0) disk_.stop_at(stop_at);
    log_ = std::make_unique<store::RocksLog>(settings, budget_);
    log_->listen([](const store::Append&) {});
    log_->open();
}

std::optional<ItemLog::Items> ItemLog::append(const std::string& stream, std::size_t items) {
    constexpr std::size_t letters = 26;
    feed::DocumentRecord record;
    std::string text = "[";
    store::Append append{std::make_shared<const std::string>(stream), nullptr, {}, nullptr};
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < items; ++i) {
        std::string item = "\"";
        for (std::size_t c = 2; c < item_bytes; ++c) item += static_cast<char>('a' + random_() % letters);
        item += '"';
        if (i != 0) text += ',';
        append.events.emplace_back().item = {static_cast<std::uint32_t>(text.size()),
                                             static_cast<std::uint32_t>(item.size())};
        text += item;
        texts.push_back(std::move(item));
    }
    record.text = std::make_shared<const std::string>(text + "]");
    record.content_type = "application/json";
    append.record = std::make_shared<const feed::DocumentRecord>(record);
    std::promise<store::AppendResult> ended;
    store::Appends appends;
    appends.push_back(std::move(append));
    const auto at_once = log_->append(store::AttemptId{}, std::move(appends),
                                      [&](const store::AppendResult& result) { ended.set_value(result); });
    const store::AppendResult result = at_once ? *at_once : ended.get_future().get();
    if (result.error) return std::nullopt;
    Items made;
    for (std::size_t i = 0; i < items; ++i) made[result.first_ids.at(0) + i] = texts[i];
    return made;
}

ItemLog::Items ItemLog::read(const std::string& stream) {
    Items found;
    const store::Slice slice = log_->read(stream, 0, 1'000, 1'000'000);
    if (slice.damaged_id != 0) throw std::runtime_error("damage was found");
    for (const store::KeptEvents& kept : slice.kept)
        for (const feed::EventHead& event : kept.events)
            found[event.id] = kept.of->record->text->substr(event.item.offset, event.item.length);
    return found;
}

}  // namespace sluice::testing
