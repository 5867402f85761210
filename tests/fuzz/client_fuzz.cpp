// Any bytes as what the client reads: a FASTA file, and an event stream that arrives in pieces.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "broker/cli/fasta.hpp"
#include "broker/cli/sse_reader.hpp"

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

std::vector<SseEvent> events(std::string_view bytes, std::size_t piece) {
    std::vector<SseEvent> list;
    SseReader reader;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
        if (!reader.read(bytes.substr(0, piece), [&](const SseEvent& event) { list.push_back(event); })) std::abort();
    }
    return list;
}

// Whatever the pieces, the events are the same.
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check_fasta(bytes);
    check_stream(bytes);
    return 0;
}
