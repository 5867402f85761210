// The lines of a source on their way to the broker, each a document. What has been sent is kept until the broker has
// said what became of it, so that it can be sent again. If too much is kept, nothing is taken from the source. Belongs
// to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/cli/common/line_source.hpp"

namespace sluice::cli {

struct SentLine {
    std::uint64_t number = 0;  // as the broker counts documents, from 1: lines with nothing but white space are none
    std::uint64_t line = 0;    // of the source, from 1
    std::string text{};        // with its end
};

class SentLines {
public:
    // Of what is kept. One line may be longer.
    static constexpr std::size_t lines_max = 256, bytes_max = 1u << 20;

    // The source has to outlive it. `stops`: whether no more is to be sent; a line that has begun still is.
    SentLines(LineSource& source, std::function<bool()> stops) : source_(source), stops_(std::move(stops)) {}

    // The next part of a body that has them all, as HttpBodySource has it.
    std::optional<std::size_t> read(char* room, std::size_t bytes);
    bool is_ready();
    int descriptor() const { return is_full() ? -1 : source_.descriptor(); }
    // Whether what was read last is to be continued at once: the broker waits for the rest of a line.
    bool is_within_line() const { return !rest_.empty(); }

    // The source's only line, instead of reading it. None: there are more, or may be.
    std::optional<SentLine> take_only_line();

    // Takes the first of the lines that have been sent. None: that is not the line of this number.
    std::optional<SentLine> take_answered(std::uint64_t number);
    // The first one that has no answer yet, sent or not. Null: all have.
    const SentLine* first_unanswered() const { return lines_.empty() ? nullptr : &lines_.front(); }
    // Keeps one that has to be sent again, by itself. Until it is taken nothing is taken from the source.
    void keep_refused(SentLine line);
    std::optional<SentLine> take_refused();

    // The broker has taken nothing: the next body begins with the first line.
    void begin_again();

private:
    bool is_full() const { return lines_.size() + refused_.size() >= lines_max || bytes_ >= bytes_max; }
    bool begin_line();
    bool take_line();
    SentLine take_first(std::deque<SentLine>& from);

    LineSource& source_;
    const std::function<bool()> stops_;
    std::deque<SentLine> lines_;           // that have no answer
    std::deque<SentLine> refused_;         // for now
    std::size_t bytes_ = 0;                // of both
    std::size_t next_ = 0;                 // of `lines_`: the first that has not begun
    std::string blank_;                    // a line that is no document and is not kept
    std::string_view rest_;                // of the line that has begun
    const SentLine* begun_ = nullptr;      // that line; null: `blank_`
    std::uint64_t line_ = 0, number_ = 0;  // of the last line that was taken from the source
    bool has_ended_ = false;
};

}  // namespace sluice::cli
