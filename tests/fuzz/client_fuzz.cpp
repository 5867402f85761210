// Any bytes as the client's input: a FASTA file, an event stream that arrives in pieces, the lines of a reply's head,
// an event, and text on its way to a terminal.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/client/http_headers.hpp"
#include "broker/cli/client/sse_reader.hpp"
#include "broker/cli/common/fasta.hpp"
#include "broker/cli/common/joined_fasta.hpp"
#include "broker/cli/events/event_text.hpp"
#include "protocol/text/terminal.hpp"

namespace {

using namespace sluice::cli;

void check_fasta(std::string_view text) {
    const FastaFile file = parse_fasta(text);
    if (!file.error.empty()) {
        if (file.error_line > text.size() + 1) std::abort();
        return;
    }
    std::string written;
    for (const FastaRecord& record : file.records) written += ">" + record.name + "\n" + record.sequence + "\n";
    const FastaFile again = parse_fasta(written);
    if (!again.error.empty() || again.records.size() != file.records.size()) std::abort();
    for (std::size_t i = 0; i < file.records.size(); ++i) {
        if (again.records[i].sequence != file.records[i].sequence) std::abort();
    }
}

std::string joined(std::string_view text, std::size_t piece) {
    JoinedFasta fasta;
    std::string all, portion(1 + piece / 2, ' ');
    const auto take_all = [&] {
        for (std::size_t n = 1; n > 0;) all.append(portion, 0, n = fasta.take(portion.data(), portion.size()));
    };
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
        fasta.give(text.substr(0, piece), false);
        take_all();
    }
    fasta.give("", true);
    take_all();
    return all + fasta.error() + std::to_string(fasta.error_line());
}

// The sequences are the same for all pieces.
void check_joined(std::string_view text) {
    const std::string whole = joined(text, text.size() + 1);
    for (const std::size_t piece : {1u, 7u})
        if (joined(text, piece) != whole) std::abort();
}

std::vector<SseEvent> events(std::string_view bytes, std::size_t piece) {
    std::vector<SseEvent> list;
    SseReader reader;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        const SseReceiver receiver{[&](const SseEvent& event) { list.push_back(event); },
                                   [&](const std::string& id) {
                                       list.push_back({"id", id, ""});
                                   }};
        if (!reader.read(bytes.substr(0, piece), receiver)) std::abort();
    }
    return list;
}

// The events are the same for all pieces.
void check_stream(std::string_view bytes) {
    const auto whole = events(bytes, bytes.size());
    for (const std::size_t piece : {1u, 7u}) {
        const auto pieces = events(bytes, piece);
        if (pieces.size() != whole.size()) std::abort();
        for (std::size_t i = 0; i < whole.size(); ++i) {
            if (pieces[i].type != whole[i].type || pieces[i].id != whole[i].id || pieces[i].data != whole[i].data)
                std::abort();
        }
    }
}

void check_head(std::string_view bytes) {
    HttpReply reply;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size() - 1) + 1))
        read_header(bytes.substr(0, bytes.find('\n')), reply);
    if (reply.status > 999) std::abort();
}

// Nothing may be left that a terminal obeys; cleaning again changes nothing.
void check_terminal(std::string_view bytes) {
    const std::string line = sluice::text::terminal_line(bytes), lines = sluice::text::terminal_lines(bytes);
    for (const char c : line)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') std::abort();
    for (const char c : lines)
        if ((static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7F') std::abort();
    if (sluice::text::terminal_line(line) != line || sluice::text::terminal_lines(lines) != lines) std::abort();
    const std::string event = event_text(std::string(bytes));
    if (sluice::text::terminal_lines(event) != event) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check_fasta(bytes);
    check_joined(bytes);
    check_stream(bytes);
    check_head(bytes);
    check_terminal(bytes);
    return 0;
}
