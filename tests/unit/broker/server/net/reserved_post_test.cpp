#include "broker/server/net/reserved_post.hpp"

#include <catch2/catch.hpp>
#include <memory>

using sluice::server::post_reserved;
using sluice::server::PostMemory;

TEST_CASE("a reserved post runs once for all that were made before it ran", "[memory]") {
    boost::asio::io_context io;
    const boost::asio::any_io_executor executor = io.get_executor();
    const auto memory = std::make_shared<PostMemory>();
    int runs = 0;
    for (int i = 0; i < 3; ++i) post_reserved(executor, *memory, [memory, &runs] { ++runs; });
    io.run();
    CHECK(runs == 1);
    io.restart();
    post_reserved(executor, *memory, [&, memory] {
        if (++runs == 2) post_reserved(executor, *memory, [&, memory] { ++runs; });
    });
    io.run();
    CHECK(runs == 3);
}

TEST_CASE("what a reserved post keeps alive holds its memory until it has run, or never will", "[memory]") {
    std::weak_ptr<PostMemory> seen;
    {
        boost::asio::io_context io;
        const auto memory = std::make_shared<PostMemory>();
        seen = memory;
        post_reserved(io.get_executor(), *memory, [memory] {});
    }
    CHECK(seen.expired());
}
