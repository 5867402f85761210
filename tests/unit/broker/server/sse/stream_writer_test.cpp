#include "broker/server/sse/stream_writer.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "broker/server/net/turns.hpp"
#include "tests/unit/broker/core/delivery/plain_framer.hpp"

using sluice::server::piece_bytes;
using sluice::server::StreamWriter;

TEST_CASE("StreamWriter: as many deliveries as make a piece are written at once, and a longer one by itself") {
    const auto written_at_once = [](std::size_t deliveries, std::size_t bytes) {
        return StreamWriter::first_piece(sluice::broker::deliveries(deliveries, std::string(bytes, 'x'))).size();
    };
    CHECK(written_at_once(0, 1) == 0);
    CHECK(written_at_once(1'000, 1) == 1'000);
    CHECK(written_at_once(5, 20'000) == 3);
    CHECK(written_at_once(4, piece_bytes / 4) == 3);  // the chunk's own bytes count, too
    CHECK(written_at_once(2, piece_bytes) == 1);
    CHECK(written_at_once(2, 3 * piece_bytes) == 1);
}
