#include <algorithm>
#include <ostream>

#include "broker/cli/commands.hpp"
#include "broker/cli/input.hpp"
#include "broker/cli/problem.hpp"
#include "broker/matching/batch_matcher.hpp"
#include "protocol/feed/event_json.hpp"
#include "protocol/feed/fields.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::cli {

namespace {

// The broker's way of matching, with one subscription and one thread.
class FileMatcher {
public:
    explicit FileMatcher(const Filter& filter) : program_(compile(filter)) {}

    // The events that satisfy the filter, in order.
    std::vector<Event> match(std::span<const Event> events) {
        std::vector<Event> matching;
        unreadable_ = 0;
        for (; !events.empty(); events = events.subspan(std::min(events.size(), EventBatch::events_max))) {
            const auto batch = events.first(std::min(events.size(), EventBatch::events_max));
            std::vector<std::uint32_t> words((batch.size() + 31) / 32);
            for (const Match& match : matcher_.match(*program_, batch)) words[match.word] |= match.accepted;
            for (const auto& kind : matcher_.operator_work().kinds) unreadable_ += kind.unreadable;
            for (std::size_t e = 0; e < batch.size(); ++e) {
                if ((words[e / 32] >> (e % 32) & 1u) != 0) matching.push_back(batch[e]);
            }
        }
        return matching;
    }
    // How often, among these events, a condition asked for a measure of a text that has none.
    std::uint64_t unreadable() const { return unreadable_; }

private:
    static std::shared_ptr<const Program> compile(const Filter& filter) {
        const auto set = make_subscription_set(Backend::cpu);
        set->add(filter.conjunctions);
        return set->compile();
    }

    std::shared_ptr<const Program> program_;
    BatchMatcher matcher_;
    std::uint64_t unreadable_ = 0;
};

std::string title_of(const Event& event) {
    const auto fields = read_fields(*event.document, event.item());
    for (const auto& field : {fields.title, fields.link, fields.id}) {
        if (field && !field->empty()) return *field;
    }
    return "(untitled)";
}

std::string text_of(const Event& event, ItemFormat format) {
    switch (format) {
        case ItemFormat::json:
            return event_json(event);
        case ItemFormat::xml:
            return std::string(event.item().source);
        case ItemFormat::title:
            break;
    }
    return title_of(event);
}

// Prints the items of one file that match, with its name before them if there are several files. Gives the exit status.
int match_file(const MatchOptions& options, const std::string& file, FileMatcher& matcher, Console console) {
    const auto name = input_name(file);
    auto bytes = read_input(file);
    if (!bytes) {
        console.err << "sluice: can't read " << name << ": " << bytes.error().message() << '\n';
        return exit_failed;
    }
    DocumentOptions how;
    how.event_path = options.event_path;
    const auto document = parse_document(std::move(*bytes), how);
    if (!document) {
        const auto& error = document.error();
        console.err << "sluice: " << name << ':' << error.line << ':' << error.column << ": " << error.message << '\n';
        return exit_failed;
    }
    const auto stream = std::make_shared<const std::string>(options.stream);
    std::vector<Event> events;
    for (std::size_t i = 0; i < (*document)->items().size(); ++i) events.push_back({*document, i, stream, i + 1});
    const auto matching = matcher.match(events);
    if (const auto n = matcher.unreadable(); n > 0)
        console.err << "sluice: " << name << ": " << n
                    << (n == 1 ? " text to be measured is" : " texts to be measured are")
                    << " no series of numbers, or too long\n";
    for (const auto& event : matching) {
        if (options.files.size() > 1) console.out << name << ": ";
        console.out << text_of(event, options.format) << '\n';
    }
    return matching.empty() ? exit_no_match : exit_done;
}

}  // namespace

int match(const MatchOptions& options, Console console) {
    const auto filter = compile_filter(options.filter);
    if (!filter) {
        console.err << "sluice: " << describe_problem(filter.error()) << '\n';
        return exit_failed;
    }
    FileMatcher matcher(*filter);
    bool any = false, failed = false;
    for (const auto& file : options.files) {
        const auto status = match_file(options, file, matcher, console);
        any |= status == exit_done;
        failed |= status == exit_failed;
    }
    if (failed) return exit_failed;
    return any ? exit_done : exit_no_match;
}

}  // namespace sluice::cli
