#include "broker/core/ingest/streams.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/core/ingest/event_path.hpp"
#include "broker/core/ingest/stream_definition.hpp"
#include "config/load.hpp"

namespace sluice::broker {

namespace {

// Memory of a stream: its name, its map entry, its first few items.
constexpr std::size_t stream_bytes = 1'024;
constexpr std::size_t identities_share = 8;  // when memory is short, items are forgotten above 1/8 of the budget
constexpr std::size_t evictions_tried = 32;  // for a new stream, since some are being published to

std::size_t bytes_of(const config::StreamOptions& options) {
    std::size_t bytes = options.event_path.capacity() + options.id_path.capacity();
    for (const std::string& name : options.deduplication_ignore.value_or(std::vector<std::string>()))
        bytes += sizeof name + name.capacity();
    return bytes;
}

// Of options that are filled in. 0: no limit.
store::Retention retention_of(const config::StreamOptions& options) {
    const auto& [age, events, bytes] = options.retention;
    store::Retention retention;
    if (age->count() != 0) retention.age = *age;
    if (*events != 0) retention.events = *events;
    if (*bytes != 0) retention.bytes = *bytes;
    retention.identities = options.deduplication_window;
    return retention;
}

}  // namespace

StreamHold::StreamHold(Streams& streams, std::string name) : name_(std::move(name)) {
    streams.hold(name_);
    streams_ = &streams;
}

StreamHold::~StreamHold() {
    if (streams_ != nullptr) streams_->end_hold(name_);
}

void Streams::hold(const std::string& name) {
    const std::shared_lock lock(mutex_);
    const std::lock_guard holds_lock(holds_mutex_);
    ++holds_[name];
    if (const auto at = streams_.find(name); at != streams_.end()) eviction_order_.keep(at->second->eviction_place);
}

void Streams::end_hold(const std::string& name) {
    const std::shared_lock lock(mutex_);
    const std::lock_guard holds_lock(holds_mutex_);
    const auto held = holds_.find(name);
    if (--held->second == 0) holds_.erase(held);
    if (const auto at = streams_.find(name); at != streams_.end()) eviction_order_.release(at->second->eviction_place);
}

StreamPtr Streams::find(const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto found = streams_.find(name);
    return found == streams_.end() ? nullptr : found->second;
}

StreamOptionsPtr Streams::configured(const std::string& name) const {
    const auto found = settings_.configured.find(name);
    return filled_in(found == settings_.configured.end() ? config::StreamOptions{} : found->second);
}

// Adds the options for all streams where the stream has none of its own.
StreamOptionsPtr Streams::filled_in(config::StreamOptions options) const {
    if (options.deduplication_window.count() == 0) options.deduplication_window = settings_.deduplication_window;
    if (!options.deduplication_ignore) options.deduplication_ignore = settings_.deduplication_ignore;
    auto& [age, events, bytes] = options.retention;
    age = age.value_or(settings_.retention.age);
    events = events.value_or(settings_.retention.events);
    bytes = bytes.value_or(settings_.retention.bytes);
    return std::make_shared<const config::StreamOptions>(std::move(options));
}

boost::system::result<StreamPtr, PublishRefusal> Streams::find_or_create(const std::string& name,
                                                                         const MayBegin& may_begin) {
    if (StreamPtr found = find(name)) return found;
    std::vector<StreamPtr> evicted;  // destroyed without the lock: a stream may have remembered many items
    const std::lock_guard lock(mutex_);
    if (const auto found = streams_.find(name); found != streams_.end()) return found->second;
    if (may_begin && !may_begin()) return PublishRefusal::too_many_new_streams;
    return create(name, evicted);
}

// A stream from the disk has had its place before: it takes one of a stream that may go, or one more.
boost::system::result<StreamPtr, PublishRefusal> Streams::create(const std::string& name,
                                                                 std::vector<StreamPtr>& evicted, Origin origin) {
    const Clock::time_point now = Clock::now();
    evict_idle(now, evicted);
    if (streams_.size() >= settings_.streams_max) evict_least_used(evicted);
    base::MemoryCharge memory;
    if (origin == Origin::disk) {
        memory = memory_.force_charge(base::MemoryUse::identities, stream_bytes + name.size());
    } else {
        if (streams_.size() >= settings_.streams_max) return PublishRefusal::too_many_streams;
        memory = memory_.charge(base::MemoryUse::identities, stream_bytes + name.size());
        if (!memory) return PublishRefusal::no_memory;
    }
    auto stream = std::make_shared<Stream>(name, configured(name), settings_.deduplication_entries, std::move(memory));
    stream->counts = counters_.of(name);
    stream->window = stream->options->deduplication_window;
    const store::StreamExtent extent = log_.extent(name);
    stream->last_id = extent.events == 0 && origin == Origin::disk ? extent.dropped_id : extent.last_id;
    stream->is_restored = durable_ != nullptr && !durable_->has_seen_none(name);
    stream->any_shared = stream->is_restored;
    std::size_t keepers = settings_.configured.contains(name) ? 1 : 0;
    const std::lock_guard holds_lock(holds_mutex_);
    if (const auto held = holds_.find(name); held != holds_.end()) keepers += held->second;
    const auto at = streams_.emplace(name, stream).first;
    try {
        log_.retain(name, retention_of(*stream->options));
        // Those from the disk give way to each other before those that come new and once.
        eviction_order_.add(stream->eviction_place, *stream->name, now, keepers, origin == Origin::disk ? 2 : 0);
    } catch (...) {
        streams_.erase(at);
        throw;
    }
    return stream;
}

Streams::Known Streams::known(const std::string& name) const {
    Known known{find(name), nullptr};
    if (known.stream == nullptr) {
        known.options = configured(name);
        return known;
    }
    const std::lock_guard lock(known.stream->options_mutex);
    known.options = known.stream->options;
    return known;
}

boost::system::result<bool, PublishRefusal> Streams::define(const std::string& name,
                                                            const config::StreamOptions& options,
                                                            const MayBegin& may_begin) {
    for (;;) {
        const auto found = find_or_create(name, may_begin);
        if (!found) return found.error();
        Stream& stream = **found;
        const std::lock_guard lock(mutex_);
        const std::lock_guard stream_lock(stream.mutex);
        if (!stream.gone) return set_options(stream, options);
    }
}

boost::system::result<bool, PublishRefusal> Streams::redefine(const std::string& name, const Change& change) {
    for (;;) {
        const StreamPtr found = find(name);
        if (found == nullptr) return false;
        Stream& stream = *found;
        StreamOptionsPtr before;
        config::StreamOptions changed;
        {
            const std::lock_guard stream_lock(stream.mutex);
            before = stream.options;
            changed = own_options(stream);
        }
        if (!change(changed)) return false;
        const std::lock_guard lock(mutex_);
        const std::lock_guard stream_lock(stream.mutex);
        if (stream.gone || stream.options != before) continue;
        const auto set = set_options(stream, std::move(changed));
        if (!set) return set.error();
        return true;
    }
}

// Those that were set for the stream, without the ones for all streams. Called under its lock.
config::StreamOptions Streams::own_options(const Stream& stream) const {
    if (stream.own_options != nullptr) return *stream.own_options;
    const auto found = settings_.configured.find(*stream.name);
    return found == settings_.configured.end() ? config::StreamOptions{} : found->second;
}

// Returns true if the stream was not defined before. Called under both locks.
boost::system::result<bool, PublishRefusal> Streams::set_options(Stream& stream, config::StreamOptions own,
                                                                 Origin origin) {
    const bool is_new = !stream.defined, is_from_disk = origin == Origin::disk;
    if (is_new && !is_from_disk && defined_ >= (settings_.streams_max + 1) / 2)
        return PublishRefusal::too_many_defined_streams;
    const StreamOptionsPtr options = filled_in(own);
    const std::size_t bytes = bytes_of(*options) + bytes_of(own);
    base::MemoryCharge memory = is_from_disk ? memory_.force_charge(base::MemoryUse::identities, bytes)
                                             : memory_.charge(base::MemoryUse::identities, bytes);
    if (!memory) return PublishRefusal::no_memory;
    auto kept = std::make_shared<const config::StreamOptions>(std::move(own));
    log_.retain(*stream.name, retention_of(*options));
    if (durable_ != nullptr && !is_from_disk)
        durable_->define(*stream.name, boost::json::serialize(stream_options_json(*kept)));
    stream.options_memory = std::move(memory);
    stream.window = options->deduplication_window;
    {
        const std::lock_guard lock(stream.options_mutex);
        stream.options = options;
    }
    stream.own_options = std::move(kept);
    stream.defined = true;
    if (is_new) eviction_order_.keep(stream.eviction_place);
    defined_ += is_new ? 1u : 0u;
    return is_new;
}

void Streams::restore() {
    if (durable_ == nullptr) return;
    for (const store::StoredStream& stored : durable_->streams()) restore(stored);
}

void Streams::restore(const store::StoredStream& stored) {
    config::StreamOptions own;
    bool is_defined = stored.definition.has_value();
    if (is_defined) {
        const auto errors = config::parse_stream_options("definition", *stored.definition, own, check_event_path);
        if (!errors.empty()) {
            base::log_error("a stored definition of a stream can't be read, so the stream has the default options",
                            {{"stream", stored.name}, {"error", to_string(errors.front())}});
            is_defined = false;
        }
    }
    std::vector<StreamPtr> evicted;
    const std::lock_guard lock(mutex_);
    const StreamPtr stream = create(stored.name, evicted, Origin::disk).value();
    if (!is_defined) return;
    const std::lock_guard stream_lock(stream->mutex);
    set_options(*stream, std::move(own), Origin::disk).value();
}

// An append in progress completes as if the stream still existed; the items it remembers are forgotten with the stream.
bool Streams::erase(const std::string& name) {
    StreamPtr stream;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    const auto at = streams_.find(name);
    if (at == streams_.end()) return false;
    stream = at->second;
    const std::lock_guard stream_lock(stream->mutex);
    log_.clear(name);
    stream->gone = true;
    eviction_order_.remove(stream->eviction_place);
    defined_ -= stream->defined ? 1u : 0u;
    streams_.erase(at);
    return true;
}

std::optional<StreamState> Streams::state(const std::string& name) const {
    const StreamPtr stream = find(name);
    if (stream == nullptr) return std::nullopt;
    StreamState state;
    state.name = name;
    state.defined = stream->defined;
    {
        const std::lock_guard lock(stream->mutex);
        state.options = *stream->options;
        state.items = stream->seen.size();
    }
    state.retained = log_.extent(name);
    state.last_id = std::max(stream->last_id.load(), state.retained.last_id);
    return state;
}

std::uint64_t Streams::last_id(const std::string& name) const {
    const StreamPtr stream = find(name);
    return stream == nullptr ? 0 : stream->last_id.load();
}

std::size_t Streams::size() const {
    const std::shared_lock lock(mutex_);
    return streams_.size();
}

std::size_t Streams::subscribers() const {
    const std::lock_guard lock(holds_mutex_);
    std::size_t all = 0;
    for (const auto& [name, held] : holds_) all += held;
    return all;
}

std::size_t Streams::subscribers(const std::string& name) const {
    const std::lock_guard lock(holds_mutex_);
    const auto held = holds_.find(name);
    return held == holds_.end() ? 0 : held->second;
}

// Returns false if the stream is being published to.
bool Streams::evict(const std::string& name, std::vector<StreamPtr>& evicted) {
    const auto at = streams_.find(name);
    const StreamPtr& stream = evicted.emplace_back(at->second);
    const std::unique_lock lock(stream->mutex, std::try_to_lock);
    if (!lock || !stream->under_way.empty()) return false;
    log_.clear(name);
    stream->gone = true;
    eviction_order_.remove(stream->eviction_place);
    streams_.erase(at);
    return true;
}

// Evicts some of the streams without publications for so long that all their items have been forgotten, unless events
// are retained. Those that may be evicted have no window of their own.
void Streams::evict_idle(Clock::time_point now, std::vector<StreamPtr>& evicted) {
    const Clock::time_point then = now - settings_.deduplication_window;
    for (const std::string* name : eviction_order_.idle_since(then, evictions_tried))
        if (log_.extent(*name).events == 0) evict(*name, evicted);
}

void Streams::evict_least_used(std::vector<StreamPtr>& evicted) {
    for (const std::string* name : eviction_order_.first(evictions_tried))
        if (evict(*name, evicted)) return;
}

void Streams::relieve_memory() {
    if (memory_.used(base::MemoryUse::identities) < memory_.bytes_max() / identities_share) return;
    StreamPtr largest;
    std::size_t items = 0;
    {
        const std::shared_lock lock(mutex_);
        for (const auto& [name, stream] : streams_) {
            const std::lock_guard stream_lock(stream->mutex);
            if (stream->seen.size() < items) continue;
            largest = stream;
            items = stream->seen.size();
        }
    }
    if (largest == nullptr) return;
    const std::lock_guard lock(largest->mutex);
    largest->seen.forget_oldest(items / 2 + 1);
}

std::vector<std::string> Streams::names() const {
    std::vector<std::string> names;
    {
        const std::shared_lock lock(mutex_);
        names.reserve(streams_.size());
        for (const auto& [name, stream] : streams_) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace sluice::broker
