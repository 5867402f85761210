#include <algorithm>
#include <chrono>
#include <exception>
#include <ostream>

#include "broker/cli/common/input.hpp"
#include "broker/cli/common/interrupt.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/workbench/distance_input.hpp"
#include "broker/cli/workbench/distance_output.hpp"
#include "broker/cli/workbench/file_errors.hpp"
#include "broker/cli/workbench/operator_options.hpp"
#include "broker/cli/workbench/text_reader.hpp"
#include "gpu/tools/distance/gpu_sets.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::cli {

namespace {

using edits::AllPairs;
using edits::Extent;
using edits::Processor;

// The distances of a batch of texts take 16 MiB at most, unless there are more patterns than that.
constexpr std::size_t batch_pairs_max = std::size_t{1} << 22;
// Work that can't be interrupted in this time, such as a pair of very long whole texts, is abandoned.
constexpr std::chrono::seconds interrupt_patience{1};

// Compares all texts with all patterns, batch by batch, and prints the results.
class DistanceRun {
public:
    DistanceRun(const DistanceOptions& options, const DistancePatterns& patterns, const edits::Costs& costs,
                const Console& console)
        : options_(options),
          patterns_(patterns),
          costs_(costs),
          console_(console),
          bar_(console.err, console.progress_columns),
          reader_(options.text_file, reader_options()) {
        if (options.summary || options.json) return;
        for (const std::string_view pattern : patterns.file.patterns) shown_patterns_.push_back(shown_string(pattern));
    }

    int run() {
        if (!reader_.error().empty()) return fail_reading();
        double share_before = 0;
        for (auto batch = reader_.read(); !batch.empty(); batch = reader_.read()) {
            if (!pairs_ && !prepare(batch)) return exit_failed;
            const double share_after = reader_.share_read().value_or(0);
            const auto distances = match(batch, share_before, share_after);
            bar_.hide();
            if (!distances) return exit_status_;
            for (std::size_t i = 0; i < batch.size(); ++i)
                take_piece(batch[i], std::span(*distances).subspan(i * patterns_.patterns.size()));
            if (!console_.out.good()) return exit_failed;
            share_before = share_after;
        }
        if (!reader_.error().empty()) return fail_reading();
        if (reader_.is_fasta() && reader_.texts() == 0) note_no_sequences(options_.text_file, console_);
        if (options_.summary) print_summary();
        return options_.all_pairs.within && within_ == 0 ? exit_no_match : exit_done;
    }

private:
    TextReader::Options reader_options() const {
        TextReader::Options how;
        how.one_text = options_.one_text;
        how.plain = options_.plain;
        how.whole = options_.all_pairs.extent == Extent::whole;
        how.overlap = costs_.longest_substring(patterns_.longest());
        how.texts_max = std::max<std::size_t>(1, batch_pairs_max / patterns_.patterns.size());
        constexpr std::uint64_t character_bytes_max = 4;
        how.piece_bytes = std::max<std::size_t>(how.piece_bytes, 2 * character_bytes_max * how.overlap);
        return how;
    }

    int fail_reading() {
        boost::json::object more{{"about", input_name(options_.text_file)}};
        if (reader_.error_line() > 0) more["line"] = reader_.error_line();
        console_.error(reader_.error(), more);
        return exit_failed;
    }

    // Chooses how to compare once the amount of work is known.
    bool prepare(const std::vector<TextReader::Piece>& batch) {
        std::uint64_t bytes = 0;
        for (const auto& piece : batch) bytes += piece.utf8.size();
        edits::AllPairsOptions how = options_.all_pairs;
        how.cells_expected = static_cast<double>(patterns_.characters()) *
                             static_cast<double>(std::max(bytes, reader_.file_bytes().value_or(0)));
        const auto plan = AllPairs::plan(patterns_.lengths, costs_, how, edits::why_no_gpu().empty());
        pairs_.emplace(patterns_.patterns, costs_, how, plan);
        return true;
    }

    std::optional<std::vector<std::uint32_t>> match(const std::vector<TextReader::Piece>& batch, double share_before,
                                                    double share_after) {
        const Interrupt interrupt;
        std::vector<std::string> folded;
        if (options_.ignore_case)
            for (const auto& piece : batch) folded.push_back(text::ascii_lower(piece.utf8));
        std::vector<std::string_view> texts(folded.begin(), folded.end());
        if (!options_.ignore_case)
            for (const auto& piece : batch) texts.push_back(piece.utf8);
        std::vector<std::uint32_t> distances(texts.size() * patterns_.patterns.size());
        std::optional<std::chrono::steady_clock::time_point> interrupted;
        const auto watch = [&](double share) {
            if (!Interrupt::requested()) {
                if (share_after > 0) bar_.show(share_before + share * (share_after - share_before));
                return true;
            }
            bar_.hide();
            const auto now = std::chrono::steady_clock::now();
            if (!interrupted) interrupted = now;
            if (now - *interrupted > interrupt_patience) {
                console_.out.flush();
                end_by_interrupt();
            }
            return false;
        };
        try {
            if (pairs_->match(texts, distances, watch) && !Interrupt::requested()) return distances;
            exit_status_ = exit_interrupted;
        } catch (const std::bad_alloc&) {
            bar_.hide();
            console_.error("not enough memory to compare " + std::to_string(patterns_.patterns.size()) +
                           " patterns with " + std::to_string(texts.size()) + " texts");
            exit_status_ = exit_failed;
        } catch (const std::exception& error) {  // of the GPU
            bar_.hide();
            console_.error(error.what());
            exit_status_ = exit_failed;
        }
        return std::nullopt;
    }

    // Takes the distances of a text or of its next piece; prints them once the text ends.
    void take_piece(const TextReader::Piece& piece, std::span<const std::uint32_t> distances) {
        distances = distances.first(patterns_.patterns.size());
        if (piece.begins) {
            least_.assign(distances.begin(), distances.end());
            if (!shown_patterns_.empty()) shown_text_ = shown_string(piece.record ? *piece.record : piece.utf8);
        } else {
            std::ranges::transform(least_, distances, least_.begin(),
                                   [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); });
        }
        if (piece.ends) take_text(piece);
    }

    void take_text(const TextReader::Piece& piece) {
        const std::uint32_t bound = options_.all_pairs.within.value_or(~0u - 1);
        const auto nearest = std::ranges::min_element(least_);
        for (auto distance = options_.best ? nearest : least_.begin(); distance != least_.end(); ++distance) {
            if (*distance <= bound) {
                ++within_;
                if (!options_.summary) print(*distance, static_cast<std::size_t>(distance - least_.begin()), piece);
            }
            if (options_.best) break;
        }
    }

    void print(std::uint32_t distance, std::size_t pattern, const TextReader::Piece& text) {
        if (options_.json)
            console_.print_json(plain_json(distance_json(distance, pattern + 1, text.text, text.record)));
        else
            console_.out << distance_line(distance, pattern + 1, text.text, shown_patterns_[pattern], shown_text_);
    }

    void print_summary() {
        DistanceSummary summary;
        summary.patterns = patterns_.patterns.size();
        summary.pattern_characters = patterns_.characters();
        summary.texts = reader_.texts();
        summary.text_characters = reader_.characters();
        summary.within = within_;
        if (pairs_) summary.work = pairs_->work();
        if (options_.json)
            console_.print_json(plain_json(summary_json(options_, summary)));
        else
            console_.out << summary_line(options_, summary);
    }

    const DistanceOptions& options_;
    const DistancePatterns& patterns_;
    const edits::Costs& costs_;
    const Console& console_;
    ProgressBar bar_;
    TextReader reader_;
    std::optional<AllPairs> pairs_;
    std::vector<std::string> shown_patterns_;  // if lines are printed
    std::string shown_text_;
    std::vector<std::uint32_t> least_;  // of the current text
    std::uint64_t within_ = 0;
    int exit_status_ = exit_failed;
};

// Whether the patterns can be compared as the options ask; the error is printed.
bool can_compare(const DistanceOptions& options, const DistancePatterns& patterns, const edits::Costs& costs,
                 const Console& console) {
    const std::string no_gpu = options.all_pairs.processor == Processor::gpu ? edits::why_no_gpu() : "";
    const auto plan = AllPairs::plan(patterns.lengths, costs, options.all_pairs, false);
    if (plan.pattern)
        report_error(options.pattern_file, patterns.file.is_fasta ? 0 : *plan.pattern + 1, plan.error, console);
    else if (!plan.error.empty() || !no_gpu.empty())
        console.error(plan.error.empty() ? no_gpu : plan.error);
    return plan.error.empty() && no_gpu.empty();
}

}  // namespace

int distance(const DistanceOptions& options, Console console) {
    if (options.pattern_file == "-" && options.text_file == "-") {
        console.error("only one of the two files can be standard input");
        return exit_failed;
    }
    const auto costs = read_costs(options.costs, console);
    const auto patterns =
        costs ? read_patterns(options.pattern_file, options.plain, options.ignore_case, console) : std::nullopt;
    if (!patterns || !can_compare(options, *patterns, *costs, console)) return exit_failed;
    return DistanceRun(options, *patterns, *costs, console).run();
}

}  // namespace sluice::cli
