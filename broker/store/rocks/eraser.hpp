// Erases events from a store, on the thread of whoever asks; appends go on meanwhile. Those who ask while an erasure is
// in progress wait for it, and then all of them share the next one. An erasure overwrites records (Erasure) in one
// batch, with a mark of each event, and then has the database write all that it has of these keys to new files; only
// when the old ones are gone, the marks go, too. If that fails or is cut short, the event is not read any more, and
// the mark says that there is still something to do when it is erased again, or the store is opened.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "broker/store/erasure.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/rocks/log_state.hpp"

namespace sluice::store {

class Eraser {
public:
    struct Writer {
        std::function<std::optional<AppendError>()> sync;  // LogWriter::sync()
        std::function<void(const Fault&)> report;          // LogWriter::report()
    };

    Eraser(SharedState& state, Writer writer) : state_(state), writer_(std::move(writer)) {}
    ~Eraser();  // waits for complete()
    Eraser(const Eraser&) = delete;
    Eraser& operator=(const Eraser&) = delete;

    // Erases in the background what an earlier process has not erased from all files. Call once, when the store has
    // been opened. If that fails, it is tried again when the store is opened the next time.
    void complete();
    // As EventLog::erase().
    Erased erase(std::string_view stream, std::uint64_t id);

private:
    struct Request {
        std::string stream;
        std::uint64_t id = 0;
        Erased result{};
        bool is_new = false;  // not asked for before
        bool is_done = false;
    };
    // What is kept at one key of the events.
    struct Record {
        std::uint32_t stream = 0;
        Kept kept;
    };
    // One erasure of several events.
    struct Work;

    void erase_all(const std::vector<Request*>& requests);
    void forget_unfound(const std::vector<Request*>& requests);
    void begin(Work& work, Request& request);
    void erase_copies(Work& work, Erasure& erasure, const StreamEntryPtr& stream);
    static void erase_copies_in(Work& work, Erasure& erasure, const StreamEntryPtr& stream, std::uint64_t from);
    static std::optional<Record> read(Work& work, const std::string& key, const StreamEntryPtr& stream);
    static void note(Work& work, const std::string& key, Record record);

    SharedState& state_;
    const Writer writer_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Request*> waiting_;
    bool is_busy_ = false;
    std::thread completing_;
};

}  // namespace sluice::store
