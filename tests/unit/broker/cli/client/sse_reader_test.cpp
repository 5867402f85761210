#include "broker/cli/client/sse_reader.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

using sluice::cli::SseEvent;
using sluice::cli::SseReader;
using sluice::cli::SseReceiver;

namespace {

// "type|id|data" of each event, with the stream arriving in pieces of `piece` bytes.
std::vector<std::string> read(std::string_view stream, std::size_t piece) {
    SseReader reader;
    std::vector<std::string> events;
    for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size()))) {
        CHECK(reader.read(stream.substr(0, piece),
                          {[&](const SseEvent& e) { events.push_back(e.type + "|" + e.id + "|" + e.data); }, {}}));
    }
    return events;
}

// "data" of each event and "id:ID" of each id to continue after, in the order in which they are reported.
std::vector<std::string> read_places(std::string_view stream, std::size_t piece) {
    SseReader reader;
    std::vector<std::string> places;
    for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size()))) {
        CHECK(reader.read(stream.substr(0, piece), {[&](const SseEvent& e) { places.push_back(e.data); },
                                                    [&](const std::string& id) { places.push_back("id:" + id); }}));
    }
    return places;
}

}  // namespace

TEST_CASE("events come out whole however the bytes are cut") {
    const std::string_view stream =
        "\xEF\xBB\xBF: welcome\n\n"
        "id: 1\ndata: {\"a\": 1}\n\n"
        "event:bye\r\ndata:one\r\ndata: two\r\ndata\r\n\r\n"
        "id: 3\rdata:  spaced\r\r"
        "retry: 10\nunknown: x\n:data: comment\ndata: last\n\n"
        "data: never ended";
    const std::vector<std::string> expected{"message|1|{\"a\": 1}", "bye|1|one\ntwo\n", "message|3| spaced",
                                            "message|3|last"};
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) CHECK(read(stream, piece) == expected);
}

TEST_CASE("an id with a NUL is ignored, an empty one clears") {
    using namespace std::string_view_literals;
    CHECK(read("id: 7\ndata: a\n\nid: x\0y\ndata: b\n\nid\ndata: c\n\n"sv, 5) ==
          std::vector<std::string>{"message|7|a", "message|7|b", "message||c"});
}

TEST_CASE("an event without data is not dispatched and its type is forgotten") {
    CHECK(read("event: a\n\ndata: b\n\n", 3) == std::vector<std::string>{"message||b"});
    CHECK(read("data\n\n", 3) == std::vector<std::string>{"message||"});
}

TEST_CASE("SseReader: a block ends → its id is reported, after its event or without one") {
    const std::string_view stream =
        ": subscribed\n\nid: k-3\n\ndata: a\nid: k-5\n\ndata: b\n\n: heartbeat\nid: k-9\n\nid\n\nid: k-12\ndata: cut";
    for (std::size_t piece = 1; piece <= stream.size(); ++piece)
        CHECK(read_places(stream, piece) == std::vector<std::string>{"id:k-3", "a", "id:k-5", "b", "id:k-9", "id:"});
}

TEST_CASE("an endless event is refused") {
    SseReader reader;
    const std::string megabyte(1u << 20, 'x');
    std::size_t megabytes = 0;
    while (megabytes < 100 && reader.read(megabyte, {[](const SseEvent&) {}, {}})) ++megabytes;
    CHECK(megabytes == SseReader::event_bytes_max >> 20);
}

TEST_CASE("the stream says when to connect again, in digits") {
    using std::chrono::milliseconds;
    SseReader reader;
    const SseReceiver none{[](const SseEvent&) {}, {}};
    CHECK(!reader.retry());
    CHECK(reader.read("retry: 250\n", none));
    CHECK(reader.retry() == milliseconds(250));
    CHECK(reader.read("retry: 1s\nretry: -1\nretry:\nretry: 99999999999\n", none));
    CHECK(reader.retry() == milliseconds(250));
    CHECK(reader.read("retry: 4000000000\n", none));
    CHECK(reader.retry() == milliseconds(86'400'000));
}
