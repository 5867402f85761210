#include "broker/store/rocks/space_collector.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"

namespace sluice::store {

namespace {

constexpr std::chrono::seconds space_pause{1};
constexpr int quiet_looks = 10;             // of which only one is taken if nothing has been dropped
constexpr std::uint64_t urgent_share = 64;  // of the bound, written since the last look
constexpr std::uint64_t urgent_least = 64u << 10;
constexpr std::size_t files_together = 4;  // are written again at once, about
constexpr std::size_t rewrites_max = 8;    // before the next look
constexpr double least_dead = 1.0 / 16;    // of a file that is written again for want of room

}  // namespace

// Files that are written again together.
struct SpaceCollector::Run {
    std::vector<const TableFile*> tables{};
    int to_level = 0;
    std::uint64_t bytes = 0, dead = 0;

    void add(const File& file) {
        tables.push_back(&file.table);
        bytes += file.table.bytes;
        dead += file.dead;
    }
    double dead_share() const {
        return static_cast<double>(dead) / static_cast<double>(std::max<std::uint64_t>(bytes, 1));
    }
    bool is_busy() const {
        return std::any_of(tables.begin(), tables.end(), [](const TableFile* table) { return table->is_busy; });
    }
};

SpaceCollector::SpaceCollector(OpenDatabase& database, std::function<Needed()> needed)
    : database_(database), needed_(std::move(needed)) {}

SpaceCollector::~SpaceCollector() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    work_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void SpaceCollector::start(std::uint64_t bytes_max) {
    bytes_max_ = use_.bytes_max = bytes_max;
    thread_ = std::thread([this] { run(); });
}

void SpaceCollector::note_written(std::uint64_t bytes) {
    if ((written_ += bytes) < std::max(bytes_max_ / urgent_share, urgent_least)) return;
    written_ = 0;
    {
        const std::lock_guard lock(mutex_);
        is_urgent_ = true;
    }
    work_.notify_one();
}

DiskUse SpaceCollector::use() const {
    const std::lock_guard lock(mutex_);
    return use_;
}

void SpaceCollector::run() {
    constexpr int niceness = 10;
    base::name_thread("sluiced space");
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);  // of this thread only
    bool has_more = false;
    for (int quiet = 0;; ++quiet) {
        {
            std::unique_lock lock(mutex_);
            work_.wait_for(lock, has_more ? std::chrono::seconds(0) : space_pause,
                           [this] { return stopping_ || is_urgent_; });
            if (stopping_) return;
            if (std::exchange(is_urgent_, false)) has_more = true;
        }
        has_more = has_news_.exchange(false) || has_more || quiet >= quiet_looks;
        if (!has_more) continue;
        quiet = 0;
        try {
            has_more = collect();
        } catch (const std::exception& error) {
            has_more = false;
            base::log_failure("no disk space can be given back for now", error.what());
        }
    }
}

bool SpaceCollector::collect() {
    const std::lock_guard lock(look_);
    const auto database = database_.get();
    if (database == nullptr) return false;
    std::vector<File> files = look(*database);
    bool has_gained = false;
    if (database->compacts()) {
        has_gained = remove_dead(*database, files);
        has_gained = rewrite(*database, files) || has_gained;
    }
    if (has_gained) files = look(*database);
    measure(*database, files);
    return has_gained;
}

std::vector<SpaceCollector::File> SpaceCollector::look(const Database& database) {
    const Needed needed = needed_();
    std::vector<TableFile> tables = database.files();
    learn(database, tables);
    std::vector<File> files;
    files.reserve(tables.size());
    for (TableFile& table : tables) {
        const TableUse& use = known_.at(table.number);
        const std::uint64_t dead = dead_bytes(use, needed.dead_below(table.family), table.bytes);
        files.push_back({std::move(table), &use, dead});
    }
    return files;
}

// What is noted in files that are new to it.
void SpaceCollector::learn(const Database& database, const std::vector<TableFile>& tables) {
    std::unordered_map<std::uint64_t, TableUse> known;
    std::vector<std::vector<const TableFile*>> unknown(families);
    for (const TableFile& table : tables) {
        if (auto found = known_.extract(table.number))
            known.insert(std::move(found));
        else
            unknown[static_cast<std::size_t>(table.family)].push_back(&table);
    }
    known_ = std::move(known);
    for (const auto& of_family : unknown) {
        if (of_family.empty()) continue;
        auto uses = database.uses(of_family.front()->family, of_family);
        for (const TableFile* table : of_family) known_[table->number] = std::move(uses[table->number]);
    }
}

bool SpaceCollector::remove_dead(Database& database, std::vector<File>& files) {
    return std::erase_if(files, [&](const File& file) {
               return file.dead == file.table.bytes && !file.table.is_busy && database.remove(file.table);
           }) != 0;
}

// All with anything dead, the deadest first. Those of level 0 go together, with what they overlap below; of other
// levels some neighbours that are more than half dead, so that small files don't become many.
std::vector<SpaceCollector::Run> SpaceCollector::runs_of(const Database& database, const std::vector<File>& files) {
    std::vector<Run> runs(families);
    for (const File& file : files)
        if (file.table.level == 0) runs[static_cast<std::size_t>(file.table.family)].add(file);
    std::erase_if(runs, [](const Run& run) { return run.dead == 0; });
    for (Run& run : runs) {
        const Family family = run.tables.front()->family;
        run.to_level = database.base_level(family);
        std::string_view smallest = run.tables.front()->smallest, largest = run.tables.front()->largest;
        for (const TableFile* table : run.tables) {
            smallest = std::min<std::string_view>(smallest, table->smallest);
            largest = std::max<std::string_view>(largest, table->largest);
        }
        for (const File& file : files)
            if (file.table.family == family && file.table.level == run.to_level && file.table.largest >= smallest &&
                file.table.smallest <= largest)
                run.add(file);
    }
    const File* before = nullptr;  // the last one of the last run, if others may join it
    for (const File& file : files) {
        const bool may_join = file.table.level != 0 && file.dead > file.table.bytes / 2;
        const bool joins = may_join && before != nullptr && before->table.family == file.table.family &&
                           before->table.level == file.table.level && runs.back().tables.size() < files_together;
        before = may_join ? &file : nullptr;
        if (file.table.level == 0 || file.dead == 0) continue;
        if (!joins) runs.push_back({{}, file.table.level});
        runs.back().add(file);
    }
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.dead_share() > b.dead_share(); });
    return runs;
}

// Those that are more than half dead; if that does not make enough room, others, too.
bool SpaceCollector::rewrite(Database& database, const std::vector<File>& files) const {
    const std::uint64_t enough = bytes_max_ - bytes_max_ / 16;
    std::uint64_t disk = database.log_bytes();
    for (const File& file : files) disk += file.table.bytes;
    std::size_t done = 0;
    for (const Run& run : runs_of(database, files)) {
        const bool is_wanted = run.dead > run.bytes / 2 || (disk > enough && run.dead_share() >= least_dead);
        if (!is_wanted || done == rewrites_max) break;
        if (run.is_busy() || !database.rewrite(run.tables, run.to_level)) continue;
        disk -= std::min(disk, run.dead);
        ++done;
    }
    return done != 0;
}

// Room for events is what other tables and the write-ahead log leave, and some that is kept for what is dead and for
// compactions.
void SpaceCollector::measure(const Database& database, const std::vector<File>& files) {
    constexpr double spare = 3.0 / 16, least_room = 1.0 / 8, least_ratio = 1.0 / 16;
    DiskUse use;
    use.bytes = database.log_bytes();
    use.bytes_max = bytes_max_;
    double others = 0, counted = 0, plain = 0;
    for (const File& file : files) {
        const auto bytes = static_cast<double>(file.table.bytes);
        use.bytes += file.table.bytes;
        use.dead_bytes += file.dead;
        if (file.table.family == Family::events || file.table.family == Family::index) {
            if (file.use->bytes() == 0) continue;
            counted += bytes;
            if (file.table.family == Family::events) plain += static_cast<double>(file.use->bytes());
        } else {
            others += bytes;
        }
    }
    const auto all = static_cast<double>(bytes_max_);
    const double room = std::max(all * (1 - spare) - others, all * least_room);
    const double ratio = plain == 0 ? 1 : std::max(counted / plain, least_ratio);
    events_bytes_max_ = static_cast<std::uint64_t>(room / ratio);
    const std::lock_guard lock(mutex_);
    use_ = use;
}

}  // namespace sluice::store
