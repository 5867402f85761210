#include "broker/core/ingest/streams.hpp"

#include <algorithm>

namespace sluice::broker {

namespace {

// Memory of a stream: its name, its map entry, its first few items.
constexpr std::size_t stream_bytes = 1'024;
constexpr std::size_t identities_share = 8;       // when memory is short, items are forgotten above 1/8 of the budget
constexpr std::size_t evicted_share = 64;         // when there are too many streams, 1/64 of them are evicted together
constexpr std::chrono::minutes look_interval{1};  // between searches for idle streams

std::size_t bytes_of(const config::StreamOptions& options) {
    std::size_t bytes = options.event_path.capacity() + options.id_path.capacity();
    for (const std::string& name : options.deduplication_ignore.value_or(std::vector<std::string>()))
        bytes += sizeof name + name.capacity();
    return bytes;
}

}  // namespace

StreamHold::StreamHold(Streams& streams, std::string name) : name_(std::move(name)) {
    const std::lock_guard lock(streams.holds_mutex_);
    ++streams.holds_[name_];
    streams_ = &streams;
}

StreamHold::~StreamHold() {
    if (streams_ == nullptr) return;
    const std::lock_guard lock(streams_->holds_mutex_);
    const auto at = streams_->holds_.find(name_);
    if (--at->second == 0) streams_->holds_.erase(at);
}

StreamPtr Streams::find(const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto found = streams_.find(name);
    return found == streams_.end() ? nullptr : found->second;
}

StreamOptionsPtr Streams::configured(const std::string& name) const {
    const auto found = settings_.configured.find(name);
    config::StreamOptions options = found == settings_.configured.end() ? config::StreamOptions{} : found->second;
    fill_in(options);
    return std::make_shared<const config::StreamOptions>(std::move(options));
}

// What holds for all streams, where the options of one do not say otherwise.
void Streams::fill_in(config::StreamOptions& options) const {
    if (options.deduplication_window.count() == 0) options.deduplication_window = settings_.deduplication_window;
    if (!options.deduplication_ignore) options.deduplication_ignore = settings_.deduplication_ignore;
}

boost::system::result<StreamPtr, PublishRefusal> Streams::find_or_create(const std::string& name,
                                                                         const MayBegin& may_begin) {
    if (StreamPtr found = find(name)) return found;
    const std::lock_guard lock(mutex_);
    if (const auto found = streams_.find(name); found != streams_.end()) return found->second;
    return create(name, may_begin);
}

boost::system::result<StreamPtr, PublishRefusal> Streams::create(const std::string& name, const MayBegin& may_begin) {
    const Clock::time_point now = Clock::now();
    if (may_begin && !may_begin()) return PublishRefusal::too_many_new_streams;
    if (now >= next_look_) evict_idle(now);
    if (streams_.size() >= settings_.streams_max) evict_least_used();
    if (streams_.size() >= settings_.streams_max) return PublishRefusal::too_many_streams;
    base::MemoryCharge memory = memory_.charge(base::MemoryUse::identities, stream_bytes + name.size());
    if (!memory) return PublishRefusal::no_memory;
    auto stream = std::make_shared<Stream>(name, configured(name), settings_.deduplication_entries, std::move(memory));
    stream->window = stream->options->deduplication_window;
    streams_.emplace(name, stream);
    return stream;
}

StreamOptionsPtr Streams::options(const std::string& name) const {
    const StreamPtr stream = find(name);
    if (stream == nullptr) return configured(name);
    const std::lock_guard lock(stream->mutex);
    return stream->options;
}

boost::system::result<bool, PublishRefusal> Streams::define(const std::string& name,
                                                            const config::StreamOptions& options,
                                                            const MayBegin& may_begin) {
    config::StreamOptions filled_in = options;
    fill_in(filled_in);
    const auto whole = std::make_shared<const config::StreamOptions>(std::move(filled_in));
    for (;;) {
        const auto found = find_or_create(name, may_begin);
        if (!found) return found.error();
        Stream& stream = **found;
        const std::lock_guard lock(mutex_);
        const std::lock_guard stream_lock(stream.mutex);
        if (stream.gone) continue;
        const bool is_new = !stream.defined;
        if (is_new && defined_ >= (settings_.streams_max + 1) / 2) return PublishRefusal::too_many_defined_streams;
        base::MemoryCharge memory = memory_.charge(base::MemoryUse::identities, bytes_of(*whole));
        if (!memory) return PublishRefusal::no_memory;
        stream.options_memory = std::move(memory);
        stream.window = whole->deduplication_window;
        stream.options = whole;
        stream.defined = true;
        defined_ += is_new ? 1u : 0u;
        return is_new;
    }
}

// An append in progress completes as if the stream still existed; the items it remembers are forgotten with the stream.
bool Streams::erase(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto at = streams_.find(name);
    if (at == streams_.end()) return false;
    const StreamPtr stream = at->second;
    const std::lock_guard stream_lock(stream->mutex);
    log_.clear(name);
    stream->gone = true;
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
    state.last_id = log_.extent(name).last_id;
    return state;
}

bool Streams::is_kept(const Stream& stream) const {
    if (stream.defined || settings_.configured.contains(*stream.name)) return true;
    const std::lock_guard lock(holds_mutex_);
    return holds_.contains(*stream.name);
}

// Returns false if the stream is kept or being published to.
bool Streams::evict(Map::iterator at) {
    Stream& stream = *at->second;
    std::unique_lock lock(stream.mutex, std::try_to_lock);
    if (!lock || is_kept(stream) || !stream.under_way.empty()) return false;
    log_.clear(*stream.name);
    stream.gone = true;
    const StreamPtr keep = at->second;  // until it is unlocked
    streams_.erase(at);
    lock.unlock();
    return true;
}

// Evicts streams without publications for so long that all their items have been forgotten.
void Streams::evict_idle(Clock::time_point now) {
    next_look_ = now + look_interval;
    for (auto at = streams_.begin(); at != streams_.end();) {
        const auto next = std::next(at);
        if (now - at->second->published_at.load() > at->second->window.load()) evict(at);
        at = next;
    }
}

// Evicts streams with at most one publication first: a flood of names that are used once must not evict other streams.
void Streams::evict_least_used() {
    std::vector<Map::iterator> streams;
    streams.reserve(streams_.size());
    for (auto at = streams_.begin(); at != streams_.end(); ++at)
        if (!is_kept(*at->second)) streams.push_back(at);
    const auto usefulness = [](const Map::iterator& at) {
        return std::pair(at->second->publications.load() > 1, at->second->published_at.load());
    };
    const std::size_t n = std::min(streams.size(), streams.size() / evicted_share + 1);
    std::partial_sort(streams.begin(), streams.begin() + static_cast<std::ptrdiff_t>(n), streams.end(),
                      [&](const auto& a, const auto& b) { return usefulness(a) < usefulness(b); });
    for (std::size_t i = 0; i < n; ++i) evict(streams[i]);
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
