#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <ostream>

#include "broker/cli/client/problem.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/input.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/content_type.hpp"
#include "broker/cli/events/event_text.hpp"
#include "broker/cli/match_past.hpp"
#include "broker/match/annotator.hpp"
#include "broker/match/batch_limits.hpp"
#include "broker/match/batch_matcher.hpp"
#include "config/load.hpp"
#include "protocol/feed/data/json_text.hpp"
#include "protocol/feed/item/event_json.hpp"
#include "protocol/feed/item/fields.hpp"
#include "protocol/feed/item/item_xml.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/text/stream_name.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

// Matches as the broker does, with one subscription and one thread.
class FileMatcher {
public:
    FileMatcher(const filter::Filter& filter, const config::LimitOptions& limits)
        : program_(compile(filter)), matcher_(broker::batch_limits(limits, nullptr)) {}

    // The events that satisfy the filter, in order. Tells `progress` the share of the events that it has done.
    std::vector<feed::Event> match(std::span<const feed::Event> events, const std::function<void(double)>& progress) {
        std::vector<feed::Event> matching;
        unreadable_ = 0;
        undecided_.clear();
        const std::size_t all = events.size();
        for (; !events.empty(); events = events.subspan(std::min(events.size(), engine::EventBatch::events_max))) {
            const auto batch = events.first(std::min(events.size(), engine::EventBatch::events_max));
            const Words accepted = words_of(matcher_.match(*program_, batch), batch.size());
            const Words undecided = words_of(matcher_.undecided(), batch.size());
            for (std::size_t e = 0; e < batch.size(); ++e) {
                const auto has = [e](const Words& words) { return (words[e / 32] >> (e % 32) & 1u) != 0; };
                if (has(accepted))
                    matching.push_back(batch[e]);
                else if (has(undecided))  // and no other condition decides
                    undecided_.push_back(batch[e]);
            }
            for (const auto& kind : matcher_.operator_work().kinds) unreadable_ += kind.unreadable;
            progress(1 - static_cast<double>(events.size() - batch.size()) / static_cast<double>(all));
        }
        return matching;
    }
    // How often, in the last match(), a condition's measure was undefined for a text.
    std::uint64_t unreadable() const { return unreadable_; }
    // The events of the last match() for which the filter would exceed a budget.
    const std::vector<feed::Event>& undecided() const { return undecided_; }

private:
    using Words = std::vector<std::uint32_t>;  // a bit for each event

    static Words words_of(std::span<const engine::Match> matches, std::size_t events) {
        Words words((events + 31) / 32);
        for (const engine::Match& match : matches) words[match.word] |= match.accepted;
        return words;
    }

    static std::shared_ptr<const engine::Program> compile(const filter::Filter& filter) {
        const auto set = engine::make_subscription_set(engine::Backend::cpu);
        set->add(filter.disjunction);
        return set->compile();
    }

    std::shared_ptr<const engine::Program> program_;
    broker::BatchMatcher matcher_;
    std::uint64_t unreadable_ = 0;
    std::vector<feed::Event> undecided_;
};

std::string title_of(const feed::Event& event) {
    const auto fields = feed::read_fields(*event.document, event.item());
    for (const auto& field : {fields.title, fields.link, fields.id}) {
        if (field && !field->empty()) return text::terminal_line(*field);
    }
    return event_text(feed::event_json(event));
}

// "feed.xml:3:5: what is wrong"
void report_fault(const Console& console, const std::string& name, const feed::FeedError& fault,
                  const std::string& before = {}) {
    const bool has_place = fault.kind != feed::FeedError::Kind::event_path;
    const std::string place = has_place ? ":" + std::to_string(fault.line) + ":" + std::to_string(fault.column) : "";
    boost::json::object more{{"about", name}, {"detail", fault.message}};
    if (has_place) {
        more["line"] = fault.line;
        more["column"] = fault.column;
    }
    console.error(name + place + ": " + before + fault.message, more);
}

// "feed.xml:3:5: repaired: what was wrong (and 4 more)"
void report_repair(const Console& console, const std::string& name, const feed::Repair& repair) {
    const std::string more = repair.count > 1 ? " (and " + std::to_string(repair.count - 1) + " more)" : "";
    console.warning(name + ":" + std::to_string(repair.line) + ":" + std::to_string(repair.column) +
                        ": repaired: " + repair.reason + more,
                    {{"about", name},
                     {"detail", "repaired: " + repair.reason},
                     {"line", repair.line},
                     {"column", repair.column},
                     {"count", repair.count}});
}

std::string estimated_member(const std::vector<std::string>& conditions) {
    feed::JsonWriter json;
    json.follow_members();
    json.written_name(R"("estimated":)");
    json.open('[');
    for (const std::string& condition : conditions) json.string(condition);
    json.close(']');
    return json.take();
}

class FilesMatcher {
public:
    FilesMatcher(const MatchOptions& options, const filter::Filter& filter, const config::LimitOptions& limits,
                 const Console& console)
        : options_(options),
          console_(console),
          matcher_(filter, limits),
          annotator_({filter.leaves}, std::nullopt),
          bar_(console_.err, console_.progress_columns) {}

    int run() {
        bool any = false, failed = false;
        for (std::size_t i = 0; i < options_.files.size() && console_.out; ++i) {
            const auto status = match_file(i);
            any |= status == exit_done;
            failed |= status == exit_failed;
        }
        if (failed) return exit_failed;
        if (has_undecided_) return exit_undecided;
        return any ? exit_done : exit_no_match;
    }

private:
    // Prints the matching items of one file. Returns the exit status.
    int match_file(std::size_t index) {
        const std::string& file = options_.files[index];
        const auto name = input_name(file);
        feed::DocumentOptions how;
        auto [bytes, error] = read_unpacked(file, how.limits.document_bytes_max);
        if (!error.empty()) {
            console_.error(describe_unreadable(file, error), {{"about", name}});
            return exit_failed;
        }
        how.event_path = options_.event_path;
        how.content_type =
            options_.content_type.empty() ? content_type_of(inner_name(file), bytes) : options_.content_type;
        how.repair = options_.repair == "strict" ? feed::RepairMode::strict : feed::RepairMode::lenient;
        const auto document = feed::parse_document(std::move(bytes), how);
        if (!document) {
            report_fault(console_, name, document.error());
            return exit_failed;
        }
        for (const auto& [item, fault] : (*document)->refusals().first)
            report_fault(console_, name, fault, "left out: ");
        for (const feed::Repair& repair : (*document)->repairs().list()) report_repair(console_, name, repair);
        const auto stream = std::make_shared<const std::string>(options_.stream);
        std::vector<feed::Event> events;
        for (std::size_t i = 0; i < (*document)->items().size(); ++i) events.push_back({*document, i, stream, i + 1});
        const auto matching = matcher_.match(events, [&](double share) {
            bar_.show((static_cast<double>(index) + share) / static_cast<double>(options_.files.size()));
        });
        bar_.hide();
        if (const auto n = matcher_.unreadable(); n > 0)
            console_.warning(name + ": " + std::to_string(n) +
                                 (n == 1 ? " text is not a series of numbers, or is too long"
                                         : " texts are not series of numbers, or are too long"),
                             {{"about", name}});
        for (const auto& event : matcher_.undecided()) report_undecided(event, name);
        findings_ = broker::BatchFindings();
        for (const auto& event : matching) print(event, name);
        return matching.empty() ? exit_no_match : exit_done;
    }

    void report_undecided(const feed::Event& event, const std::string& name) {
        has_undecided_ = true;
        console_.error(name + ": item " + std::to_string(event.id) + " (" + title_of(event) +
                           ") is undecided: the filter would exceed a budget for conditions, as it would in a broker "
                           "with the default limits (limits.condition_steps, limits.condition_time …): " +
                           options_.filter,
                       {{"about", name}, {"item", event.id}, {"filter", options_.filter}});
    }

    // If there are several files, the item's line begins with the file's name; its JSON, with a member "file".
    void print(const feed::Event& event, const std::string& name) {
        const bool with_name = options_.files.size() > 1;
        const auto estimated = estimated_for(event);
        if (options_.format == ItemFormat::json) {
            std::string line =
                feed::event_json(event, options_.all_values ? feed::JsonValues::all : feed::JsonValues::where_needed);
            if (!estimated.empty()) line.replace(line.size() - 1, 1, estimated_member(estimated) + "}");
            if (with_name) line.replace(0, 1, "{\"file\":" + boost::json::serialize(boost::json::string(name)) + ",");
            console_.print_json(line);
            return;
        }
        if (with_name) console_.out << console_.coloured(text::terminal_line(name), Colour::magenta) << ": ";
        if (options_.format == ItemFormat::xml)
            console_.print_raw(feed::item_xml(event));
        else if (options_.format == ItemFormat::source)
            console_.print_raw(event.item().source);
        else
            console_.out << title_of(event) << '\n';
        if (options_.format == ItemFormat::title)
            for (const std::string& condition : estimated)
                console_.out << "  " << text::terminal_line(condition) << ": estimated\n";
    }

    std::vector<std::string> estimated_for(const feed::Event& event) {
        const std::uint32_t only_filter[] = {0};
        const auto annotations = annotator_.annotate(event, event.id, only_filter, findings_);
        return annotations ? annotations->estimated : std::vector<std::string>();
    }

    const MatchOptions& options_;
    Console console_;
    FileMatcher matcher_;
    const broker::Annotator annotator_;
    broker::BatchFindings findings_;  // of the file
    ProgressBar bar_;
    bool has_undecided_ = false;
};

}  // namespace

int match(const MatchOptions& options, Console console) {
    if (options.since) return match_past(options, console);
    if (!text::is_stream_name(options.stream)) {
        console.error("--stream: expected " + std::string(text::stream_name_rule) + ", not \"" + options.stream + "\"");
        return exit_failed;
    }
    const auto filter = filter::compile_filter(options.filter);
    if (!filter) {
        report_problem(console, filter.error());
        return exit_failed;
    }
    if (!options.event_path.empty()) {
        const auto path = filter::compile_path(options.event_path);
        if (!path) {
            report_problem(console, path.error(), "event path");
            return exit_failed;
        }
    }
    print_hints(*filter, console);
    const config::LoadedConfig defaults = config::parse_config("", "");
    return FilesMatcher(options, *filter, defaults.options.limits, console).run();
}

}  // namespace sluice::cli
