#include "broker/server/api/filter_compiler.hpp"

#include <algorithm>

#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "protocol/filter/explain.hpp"
#include "protocol/filter/siblings.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// Filters up to this size are compiled on the I/O thread, unless they have regular expressions.
constexpr std::size_t small_filter_bytes = 256;

constexpr std::size_t subscriber_bytes = 2'048;  // a subscriber with all its table entries, and its stream's coroutine

// A worker compiles the filters of a request for about so long, then those of others. Most take microseconds, those
// with regular expressions milliseconds.
constexpr std::chrono::milliseconds compile_piece{5};

// Adds a comment line about a filter, without line feeds.
void add_note(std::string& notes, std::size_t filter, std::string text) {
    constexpr std::size_t notes_bytes_max = 16u << 10;
    if (notes.size() > notes_bytes_max) return;
    for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    notes += ": filter " + std::to_string(filter) + ": " + text + "\n";
}

void add_notes(std::string& notes, std::size_t number, const filter::Filter& filter) {
    constexpr std::size_t leaf_bytes_max = 200;
    for (const filter::Hint& hint : filter.hints)
        add_note(notes, number,
                 "hint: " + std::to_string(hint.line) + ":" + std::to_string(hint.column) + ": " + hint.message);
    for (const filter::Leaf& leaf : filter.leaves) {
        if (leaf.indexed) continue;
        add_note(notes, number, text::shortened_utf8(leaf.text, leaf_bytes_max) + " is " + filter::how_decided(leaf));
    }
}

HttpReply too_many_conditions(bool literals, const auth::Scope& scope, const config::LimitOptions& limits) {
    const std::string filters = scope.is_restricted() ? "the filters and their user's rights" : "the filters";
    if (literals)
        return status_reply(413, filters + " have more literals in normal form than limits.literals_per_connection, " +
                                     std::to_string(limits.literals_per_connection));
    return status_reply(413, "the filters have more computed conditions than limits.operators_per_connection, " +
                                 std::to_string(limits.operators_per_connection));
}

HttpReply beside_problem(std::optional<std::size_t> number, const std::string& part) {
    return status_reply(403, (number ? "filter " + std::to_string(*number) : "the filter") +
                                 " looks beside the item (" + part +
                                 "), which a user whose rights have row filters may not do; use only the item's own "
                                 "content");
}

// Long or many filters and regular expressions take long to compile. So do those of rights, once for each stream.
bool compiles_quickly(const std::vector<std::string>& filters, const auth::Scope& scope) {
    std::size_t bytes = 0;
    for (const auth::Scope::Part& part : scope.parts()) {
        const std::size_t streams = part.streams.names().size() + part.streams.prefixes().size();
        bytes += std::max<std::size_t>(streams, 1) * (1 + (part.filter ? part.filter->canonical.size() : 0));
    }
    for (const std::string& text : filters) {
        bytes += text.size();
        if (text.find("matches") != std::string::npos) return false;
    }
    return bytes <= small_filter_bytes;
}

}  // namespace

std::optional<HttpReply> refuse_beside(const filter::Filter& filter, const auth::Scope& scope,
                                       std::optional<std::size_t> number) {
    if (!scope.is_filtered()) return std::nullopt;
    if (const auto part = filter::needs_siblings(filter)) return beside_problem(number, *part);
    return std::nullopt;
}

FilterCompiler::FilterCompiler(std::vector<std::string> filters, auth::Scope scope, Annotate annotate,
                               const Services& services)
    : scope_(std::move(scope)), annotate_(annotate), limits_(services.options.limits) {
    compiled_.filters = std::move(filters);
    compiled_.memory = services.memory.charge(base::MemoryUse::filters, subscriber_bytes);
    compiled_.kept = subscriber_bytes;
}

bool FilterCompiler::compile_until(Clock::time_point enough) {
    do {
        if (next_ == texts().size()) {
            finish();
            return true;
        }
        compile(texts()[next_++]);
    } while (!compiled_.refusal && Clock::now() < enough);
    return compiled_.refusal.has_value();
}

bool FilterCompiler::charge(std::size_t bytes) {
    if (compiled_.memory && compiled_.memory.resize(bytes)) return true;
    compiled_.refusal = memory_problem(broker::MemoryShortage::temporary);
    return false;
}

// What a filter may be by itself, it may be for all the streams that a subscription names. What rights add to it is not
// its author's: with that, it may be as large as any filter.
bool FilterCompiler::fits_scope(const engine::Disjunction& filter, const broker::SubscriptionSize& size) {
    if (size.conjunctions == filter.conjunctions.size() && size.literals == broker::literals_of(filter)) return true;
    using Most = config::LimitOptions;
    const auto refuse = [&](const std::string& what, std::size_t configured, std::size_t most) {
        const std::size_t each = scope_.streams().names().size() + scope_.streams().prefixes().size();
        std::string text =
            texts().empty() ? "the subscription" : "filter " + std::to_string(compiled_.subscriptions.size());
        if (each > 1) text += " for " + std::to_string(each) + " streams and prefixes";
        if (scope_.is_filtered()) text += std::string(each > 1 ? " and" : "") + " with the row filters of its user";
        text += " has more " + what + " in normal form than ";
        text += scope_.is_restricted() ? "any filter may have, " + std::to_string(most)
                                       : "limits.filter_" + what + ", " + std::to_string(configured);
        compiled_.refusal = status_reply(413, std::move(text));
        return false;
    };
    const bool is_restricted = scope_.is_restricted();
    if (size.conjunctions > (is_restricted ? Most::filter_conjunctions_max : limits_.filter_conjunctions))
        return refuse("conjunctions", limits_.filter_conjunctions, Most::filter_conjunctions_max);
    if (size.literals > (is_restricted ? Most::filter_literals_max : limits_.filter_literals))
        return refuse("literals", limits_.filter_literals, Most::filter_literals_max);
    return true;
}

// Adds the subscription to what a filter accepts. `held`: bytes charged for the filter until then. Returns false if it
// is refused.
bool FilterCompiler::add(const std::string& canonical, engine::Disjunction filter, std::size_t held) {
    const broker::SubscriptionSize size = broker::size_of(scope_, filter);
    if (!fits_scope(filter, size)) return false;
    if (scope_.is_restricted()) {  // it may become much larger than its text
        const std::size_t bytes = size.conjunctions * (sizeof(engine::Conjunction) + sizeof(engine::Literal)) +
                                  size.literals * sizeof(engine::Literal);
        if (!charge(compiled_.memory.bytes() + bytes)) return false;
        held += bytes;
    }
    compiled_.subscriptions.push_back(broker::make_subscription(scope_, canonical, std::move(filter)));
    const broker::Subscription& made = compiled_.subscriptions.back();
    literals_ += broker::literals_of(made.disjunction);
    operators_ += made.operators;
    if (literals_ > limits_.literals_per_connection || operators_ > limits_.operators_per_connection) {
        compiled_.refusal = too_many_conditions(literals_ > limits_.literals_per_connection, scope_, limits_);
        return false;
    }
    compiled_.is_costly = compiled_.is_costly || made.operators != 0 || !made.scanned.empty();
    compiled_.kept += made.memory.kept;
    return charge(compiled_.memory.bytes() - held + made.memory.while_added);
}

void FilterCompiler::compile(const std::string& text) {
    const std::size_t number = compiled_.subscriptions.size();
    if (number == limits_.filters_per_connection) {
        compiled_.refusal = status_reply(
            400, "more filters than limits.filters_per_connection, " + std::to_string(limits_.filters_per_connection));
        return;
    }
    if (!charge(compiled_.memory.bytes() + text.size() * syntax_times)) return;
    auto filter = filter::compile_filter(text, filter_limits(limits_));
    if (!filter) {
        compiled_.refusal = filter_problem(filter.error(), number);
        return;
    }
    add_notes(compiled_.notes, number, *filter);
    if (!compiled_.beside)
        if (auto part = filter::needs_siblings(*filter)) compiled_.beside = {number, std::move(*part)};
    if (compiled_.beside && scope_.is_filtered()) {
        compiled_.refusal = beside_problem(number, compiled_.beside->part);
        return;
    }
    std::string canonical = std::move(filter->canonical);
    if (!add(canonical, std::move(filter->disjunction), text.size() * syntax_times)) return;
    compiled_.kept += text.size();
    if (compiled_.subscriptions.back().operators != 0) {
        compiled_.kept += canonical.size();
        compiled_.computed.emplace_back(static_cast<std::uint32_t>(number), std::move(canonical));
    }
    std::erase_if(filter->leaves, [](const filter::Leaf& leaf) { return !leaf.computed(); });
    leaves_.push_back(std::move(filter->leaves));
}

void FilterCompiler::finish() {
    if (annotate_ != Annotate::nothing) {
        auto annotator = std::make_unique<const broker::Annotator>(
            leaves_, annotate_ == Annotate::alignments ? std::optional(limits_.alignment_cells) : std::nullopt);
        if (!annotator->is_idle()) compiled_.annotator = std::move(annotator);
    }
    if (!compiled_.notes.empty()) compiled_.notes += '\n';
    if (!compiled_.subscriptions.empty()) return;
    engine::Disjunction all{{}, {engine::Conjunction{}}};
    if (scope_.is_restricted())
        add("", std::move(all), 0);
    else  // no larger than what it names, which is bounded already
        compiled_.subscriptions.push_back(broker::make_subscription(scope_, "", std::move(all)));
}

asio::awaitable<CompiledFilters> compile_filters(Services& services, const HttpRequest& request,
                                                 std::vector<std::string> filters, auth::Scope scope,
                                                 Annotate annotate) {
    const bool is_quick = compiles_quickly(filters, scope);
    FilterCompiler compiler(std::move(filters), std::move(scope), annotate, services);
    if (is_quick) {
        compiler.compile_until(FilterCompiler::Clock::time_point::max());
        co_return compiler.take();
    }
    for (;;) {
        auto work = [&] {
            return services.draining || compiler.compile_until(FilterCompiler::Clock::now() + compile_piece);
        };
        const auto ended =
            co_await run_on_worker(services.compilers, request.address_use, worker_deadline(services.options.publish),
                                   std::move(work), request.departure, filter_estimate(compiler.next_bytes()));
        std::optional<HttpReply> refusal;
        if (request.is_abandoned())
            refusal = abandoned_problem(services.counters);
        else if (services.draining)
            refusal = busy_problem("the broker is shutting down");
        else if (!ended)
            refusal = busy_problem("too many filters are being compiled");
        if (!refusal && !*ended) continue;
        CompiledFilters compiled = compiler.take();
        if (refusal) compiled.refusal = std::move(refusal);
        co_return compiled;
    }
}

}  // namespace sluice::server
