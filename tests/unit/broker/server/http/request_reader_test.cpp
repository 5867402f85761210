#include "broker/server/http/request_reader.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <utility>

#include "tests/support/rounds.hpp"

using sluice::server::RequestReader;
using Step = RequestReader::Step;

namespace {

constexpr std::size_t head_bytes_max = 256u << 10;
constexpr std::size_t body_bytes_max = 1'000;

void put(RequestReader& reader, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto room = reader.prepare();
        const std::size_t n = std::min(room.size(), bytes.size());
        std::memcpy(room.data(), bytes.data(), n);
        reader.commit(n);
        bytes.remove_prefix(n);
    }
}

// The requests of a connection as text, and how it ends, if the bytes arrive in pieces of `piece`. `by_parts`: bodies
// are taken part by part.
std::string outcome(std::string_view bytes, std::size_t piece, bool by_parts = false) {
    RequestReader reader(head_bytes_max);
    reader.next();
    std::string text, body;
    bool in_body = false;
    for (;;) {
        const Step step = !in_body   ? reader.read_head()
                          : by_parts ? reader.read_body_part()
                                     : reader.read_body(body_bytes_max);
        if (step == Step::refused) {
            return text + std::to_string(reader.refusal().status) + " " + reader.refusal().reason;
        }
        if (in_body && (by_parts || step == Step::done)) {
            body += reader.body();
            reader.body().clear();
        }
        if (step == Step::more) {
            if (bytes.empty()) return text + (reader.has_begun() ? "unfinished" : "end");
            put(reader, bytes.substr(0, piece));
            bytes.remove_prefix(std::min(piece, bytes.size()));
        } else if (!in_body) {
            text += std::string(reader.head().method_string()) + " " + std::string(reader.head().target()) + " ";
            in_body = true;
        } else {
            text += "[" + std::exchange(body, {}) + "] ";
            in_body = false;
            reader.next();
        }
    }
}

// The same outcome for all pieces.
std::string outcome(std::string_view bytes) {
    const std::string whole = outcome(bytes, bytes.size());
    const bool is_bounded = whole.find("413 ") != std::string::npos;  // a body that is taken by parts is not
    for (const std::size_t piece : std::initializer_list<std::size_t>{1, 2, 3, 7, 100, 4'096}) {
        if (bytes.size() / piece > (sluice::testing::is_sanitized ? 10'000 : 100'000)) continue;
        CAPTURE(piece, bytes.substr(0, 200), bytes.size());
        CHECK(outcome(bytes, piece) == whole);
        if (!is_bounded) CHECK(outcome(bytes, piece, true) == whole);
    }
    return whole;
}

std::string get(const std::string& fields) { return "GET / HTTP/1.1\r\n" + fields + "\r\n"; }

std::string chunked(const std::string& body) { return "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body; }

bool begins(const std::string& text, std::string_view with) { return text.starts_with(with); }

}  // namespace

TEST_CASE("requests follow each other") {
    CHECK(outcome("GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyzGET /c "
                  "HTTP/1.0\r\n\r\n") == "GET /a [] POST /b [xyz] GET /c [] end");
    CHECK(outcome(chunked("5\r\nhello\r\n00001;a=\"b;c\";d \r\n \r\nA\r\n0123456789\r\n0\r\n\r\n") + get("")) ==
          "POST / [hello 0123456789] GET / [] end");
    CHECK(outcome("") == "end");
    CHECK(outcome("GET / HT") == "unfinished");
    CHECK(outcome("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nxy") == "POST / unfinished");
    CHECK(outcome(chunked("3\r\nxyz\r\n0\r\n")) == "POST / unfinished");
}

TEST_CASE("empty lines before a request are passed over, a few of them") {
    CHECK(outcome("\r\n\r\n" + get("")) == "GET / [] end");
    CHECK(outcome("\r\n") == "end");
    std::string lines;
    for (std::size_t i = 0; i < sluice::server::empty_lines_max; ++i) lines += "\r\n";
    CHECK(outcome(lines + get("") + lines + get("")) == "GET / [] GET / [] end");
    CHECK(begins(outcome(lines + "\r\n" + get("")), "400 "));
    CHECK(begins(outcome("\n" + get("")), "400 "));
    CHECK(begins(outcome("\r\r\n" + get("")), "400 "));
}

TEST_CASE("a later minor version of HTTP/1 is read as 1.1, another major version is refused") {
    for (const char* minor : {"2", "3", "4", "5", "6", "7", "8", "9"}) {
        CAPTURE(minor);
        const std::string line = std::string("GET /HTTP/1.2 HTTP/1.") + minor + "\r\n";
        CHECK(outcome(line + "Host: a\r\n\r\n") == "GET /HTTP/1.2 [] end");
        CHECK(outcome(line + "\r\n" + line + "\r\n") == "GET /HTTP/1.2 [] GET /HTTP/1.2 [] end");
    }
    CHECK(outcome("POST / HTTP/1.2\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n") ==
          outcome("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"));
    for (const char* version : {"HTTP/2.0", "HTTP/0.9", "HTTP/3.1", "HTTP/2.2", "HTTP/1.:"}) {
        CAPTURE(version);
        CHECK(begins(outcome(std::string("GET / ") + version + "\r\n\r\n"), "505 "));
    }
    for (const char* line : {"GET / HTTP/1.22\r\n\r\n", "GET / http/1.2\r\n\r\n", "GET /HTTP/1.2\r\n\r\n"})
        CHECK(outcome(line)[0] >= '4');
}

TEST_CASE("what is no request is refused where that shows") {
    CHECK(begins(outcome("\x16\x03\x01"), "400 "));  // TLS, which would otherwise wait for an answer
    CHECK(begins(outcome("nonsense\r\n\r\n"), "400 "));
    CHECK(begins(outcome("GET / H\r\n\r\n"), "400 "));
    CHECK(begins(outcome("GET / HTTP/2.0\r\n\r\n"), "505 "));
    CHECK(begins(outcome("GET / HTTP/1.1\n"), "400 "));
    CHECK(begins(outcome(get("a: b\rc: d\r\n")), "400 "));
    CHECK(begins(outcome(get("a : b\r\n")), "400 "));
    CHECK(begins(outcome(get("no field\r\n")), "400 "));
    CHECK(begins(outcome(get(std::string("a: \0\r\n", 6))), "400 "));
    CHECK(begins(outcome(get("Content-Length: 1\r\nContent-Length: 2\r\n")), "400 "));
    CHECK(begins(outcome(get("Content-Length: 18446744073709551616\r\n")), "400 "));
    CHECK(begins(outcome(get("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")), "400 "));
}

TEST_CASE("a head is bounded, line by line and altogether") {
    const std::string name_and_end = "a: \r\n";
    const auto field = [&](std::size_t bytes) {
        return "a: " + std::string(bytes - name_and_end.size(), 'x') + "\r\n";
    };
    CHECK(outcome(get(field(sluice::server::field_bytes_max))) == "GET / [] end");
    const std::string long_field = "431 a header field has at most 32768 bytes";
    CHECK(outcome(get(field(sluice::server::field_bytes_max + 1))) == long_field);
    CHECK(outcome(get(std::string(65'536, 'n') + ": x\r\n")) == long_field);
    CHECK(outcome("GET / HTTP/1.1\r\nX: " + std::string(70'000, 'a')) == long_field);  // without waiting for its end
    CHECK(begins(outcome(get("a: b\r\n " + std::string(8'000, 'x') + "\r\n")), "431 "));

    const std::string long_head = "431 a request head has at most 262144 bytes";
    CHECK(outcome("GET /" + std::string(200'000, 'x') + " HTTP/1.1\r\n\r\n") ==
          "GET /" + std::string(200'000, 'x') + " [] end");
    CHECK(outcome("GET /" + std::string(head_bytes_max, 'x')) == long_head);
    std::string fields;
    for (int i = 0; i < 9; ++i) fields += field(30'000);
    CHECK(outcome(get(fields)) == long_head);
    fields.clear();
    for (std::size_t i = 0; i < sluice::server::fields_max; ++i) fields += "a: b\r\n";
    CHECK(outcome(get(fields)) == "GET / [] end");
    CHECK(outcome(get(fields + "a: b\r\n")) == "431 a request has at most 200 header fields");
}

TEST_CASE("fields that arrive one by one are no more than those that come together") {
    RequestReader reader(4'096);
    reader.next();
    put(reader, "GET / HTTP/1.1\r\n");
    Step step = reader.read_head();
    for (int i = 0; i < 100 && step == Step::more; ++i) {
        put(reader, "a: " + std::string(95, 'x') + "\r\n");
        step = reader.read_head();
    }
    CHECK(step == Step::refused);
    CHECK(reader.refusal().status == 431);
}

TEST_CASE("a body is bounded") {
    const std::string too_large = "POST / 413 a body of this request has at most 1000 bytes";
    CHECK(outcome("POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n") == too_large);
    CHECK(outcome(chunked("3e9\r\n")) == too_large);
    CHECK(outcome(chunked("3e8\r\n" + std::string(1'000, 'x') + "\r\n1\r\n")) == too_large);
    CHECK(outcome(chunked("ffffffffffffffff\r\n")) == too_large);
}

TEST_CASE("an announced body takes no memory before it arrives") {
    RequestReader reader(head_bytes_max);
    reader.next();
    put(reader, "POST / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\nx");
    REQUIRE(reader.read_head() == Step::done);
    CHECK(reader.read_body(10'000'000) == Step::more);
    CHECK(reader.body().capacity() < 100'000);
    std::size_t room_max = 0;
    for (std::size_t left = 9'999'999; left > 0;) {
        const auto room = reader.prepare();
        const std::size_t n = std::min(room.size(), left);
        std::memset(room.data(), 'x', n);
        reader.commit(n);
        left -= n;
        room_max = std::max(room_max, room.size());
        CHECK(reader.read_body(10'000'000) == (left > 0 ? Step::more : Step::done));
    }
    CHECK(room_max <= 64u << 10);
    CHECK(reader.body().size() == 10'000'000);
    CHECK(reader.body().capacity() <= 10'000'001);
}

TEST_CASE("chunks are read strictly") {
    const auto refusal = [](const std::string& body) { return outcome(chunked(body)).substr(0, 11); };
    CHECK(refusal("zz\r\n") == "POST / 400 ");
    CHECK(refusal("\r\n") == "POST / 400 ");
    CHECK(refusal("-1\r\n") == "POST / 400 ");
    CHECK(refusal("0x1\r\nx\r\n") == "POST / 400 ");
    CHECK(refusal("1ffffffffffffffff\r\n") == "POST / 400 ");
    CHECK(refusal("1\nx\r\n") == "POST / 400 ");
    CHECK(refusal("1;a\nx\r\n") == "POST / 400 ");
    CHECK(refusal("1;a\rb\r\nx\r\n") == "POST / 400 ");
    CHECK(refusal("1 x\r\nx\r\n") == "POST / 400 ");
    CHECK(refusal("1\r\nxy\r\n") == "POST / 400 ");
    CHECK(refusal("1\r\nx\n0\r\n\r\n") == "POST / 400 ");
    CHECK(refusal("0\r\nno field\r\n\r\n") == "POST / 400 ");
    CHECK(refusal("0\r\n: x\r\n\r\n") == "POST / 400 ");
    CHECK(refusal("0\r\na: b\n\r\n") == "POST / 400 ");
    CHECK(refusal("1;" + std::string(sluice::server::chunk_line_bytes_max, 'a')) == "POST / 400 ");
}

TEST_CASE("extensions and trailers are bounded and dropped") {
    CHECK(outcome(chunked("1;a=b\r\nx\r\n0;c\r\nA: b\r\nContent-Length: 7\r\n\r\n") + get("")) ==
          "POST / [x] GET / [] end");
    std::string chunks;
    for (int i = 0; i < 16; ++i) chunks += "1;" + std::string(900, 'a') + "\r\nx\r\n";
    CHECK(begins(outcome(chunked(chunks + "0\r\n\r\n")), "POST / [x"));
    for (int i = 0; i < 16; ++i) chunks += "1;" + std::string(900, 'a') + "\r\nx\r\n";
    CHECK(begins(outcome(chunked(chunks + "0\r\n\r\n")), "POST / 400 "));
    chunks.clear();
    for (int i = 0; i < 1'000; ++i) chunks += "1\r\nx\r\n";  // odd, but not an attack
    CHECK(begins(outcome(chunked(chunks + "0\r\n\r\n")), "POST / [x"));

    const std::string trailer = "a: " + std::string(1'019, 'x') + "\r\n";
    std::string trailers;
    for (int i = 0; i < 7; ++i) trailers += trailer;
    CHECK(outcome(chunked("0\r\n" + trailers + "\r\n")) == "POST / [] end");
    CHECK(outcome(chunked("0\r\n" + trailers + trailer + "\r\n")) == "POST / 431 trailers have at most 8192 bytes");
    CHECK(outcome(chunked("0\r\nX: " + std::string(70'000, 'a'))) == "POST / 431 trailers have at most 8192 bytes");
}

TEST_CASE("a request that has been read leaves no large buffer behind") {
    RequestReader reader(head_bytes_max);
    reader.next();
    put(reader, "GET /" + std::string(200'000, 'x') + " HTTP/1.1\r\n\r\n");
    REQUIRE(reader.read_head() == Step::done);
    reader.next();
    CHECK(reader.prepare().size() == 4'096);
}

TEST_CASE("a body that is dropped, or left behind by the next request, takes no memory") {
    RequestReader reader(head_bytes_max);
    reader.next();
    put(reader, "POST / HTTP/1.1\r\nContent-Length: 100001\r\n\r\n" + std::string(100'000, 'x'));
    REQUIRE(reader.read_head() == Step::done);
    const bool complete = GENERATE(false, true);
    if (complete) put(reader, "x");
    CHECK(reader.read_body(200'000) == (complete ? Step::done : Step::more));
    CHECK(reader.body().capacity() >= 100'000);
    if (complete)
        reader.next();
    else
        reader.drop();
    CHECK(reader.body().capacity() < 100);
}

TEST_CASE("a body that is taken part by part may be of any length") {
    RequestReader reader(head_bytes_max);
    reader.next();
    put(reader, "POST / HTTP/1.1\r\nContent-Length: 10000000000\r\n\r\n");
    REQUIRE(reader.read_head() == Step::done);
    const std::string part(50'000, 'x');
    std::size_t taken = 0;
    for (int i = 0; i < 100; ++i) {
        put(reader, part);
        REQUIRE(reader.read_body_part() == Step::more);
        taken += reader.body().size();
        reader.body().clear();
    }
    CHECK(taken == 100 * part.size());
    CHECK(reader.input_capacity() <= head_bytes_max + RequestReader::read_bytes_max);
    CHECK(!reader.is_complete());
    reader.next();
    reader.narrow();
    CHECK(reader.input_capacity() == 0);
}

TEST_CASE("a pipeline that has more than a read had room for is behind, until a wide read") {
    RequestReader reader(head_bytes_max);
    reader.next();
    const std::string request = get("Host: a\r\n");
    const auto fill = [&](bool wide) {
        const auto room = reader.prepare(wide);
        std::string bytes;
        while (bytes.size() < room.size()) bytes += request;
        std::memcpy(room.data(), bytes.data(), room.size());
        reader.commit(room.size());
        return room.size();
    };
    const auto read_all = [&] {
        std::size_t read = 0;
        for (; reader.read_head() == Step::done; ++read) reader.next();
        return read;
    };
    CHECK(fill(false) == 4'096);
    CHECK_FALSE(reader.is_behind());  // this may be one request
    CHECK(read_all() == 4'096 / request.size());
    REQUIRE(4'096 % request.size() != 0);
    CHECK(reader.is_behind());
    CHECK(fill(true) == RequestReader::read_bytes_max);
    CHECK_FALSE(reader.is_behind());  // there is no more room to have
    CHECK(reader.input_capacity() < RequestReader::read_bytes_max + 4'096);
}

TEST_CASE("the room of a wide read is offered again, and freed once nothing is in it") {
    RequestReader reader(head_bytes_max);
    reader.next();
    REQUIRE(reader.prepare(true).size() == RequestReader::read_bytes_max);
    const std::string begun = "GET / HT";
    std::memcpy(reader.prepare(true).data(), begun.data(), begun.size());
    reader.commit(begun.size());
    CHECK(reader.read_head() == Step::more);
    reader.narrow();
    CHECK(reader.input_capacity() >= RequestReader::read_bytes_max);
    CHECK(reader.prepare().size() > RequestReader::read_bytes_max / 2);
    put(reader, "TP/1.1\r\n\r\n");
    CHECK(reader.read_head() == Step::done);
    CHECK(reader.head_bytes() == begun.size() + 10);
    reader.next();
    reader.narrow();
    CHECK(reader.input_capacity() == 0);
    CHECK(reader.prepare().size() == 4'096);
}
