#include "gpu/device/device.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "gpu/device/arena.hpp"
#include "gpu/device/graph.hpp"
#include "tests/cuda/on_device.hpp"

using namespace sluice::cuda;
using sluice::testing::has_device;

TEST_CASE("without a device there are none, and an allocation says why", "[cuda]") {
    if (device_count() > 0) return;
    REQUIRE_THROWS_WITH(DeviceBuffer<int>(1), Catch::Contains("cudaMalloc of 4 bytes: cudaError"));
}

TEST_CASE("what is copied to the device comes back", "[cuda]") {
    if (!has_device()) return;
    std::vector<int> sent(1000), received(1000);
    std::iota(sent.begin(), sent.end(), 1);
    const auto on_device = to_device(std::span<const int>(sent));
    const Stream stream;
    copy_to_host(std::span(received), on_device.data(), stream);
    stream.wait();
    CHECK(received == sent);
}

TEST_CASE("transfers: every copy counts its bytes, by direction", "[cuda]") {
    if (!has_device()) return;
    const Transfers before = transfers(0);
    std::vector<int> numbers(1000);
    const auto on_device = to_device(std::span<const int>(numbers));
    CHECK(transfers(0).to_device - before.to_device == 4'000);
    const Stream stream;
    copy_to_device(on_device.data(), std::span<const int>(numbers.data(), 10), stream);
    CHECK(transfers(0).to_device - before.to_device == 4'040);
    copy_to_host(std::span(numbers), on_device.data(), stream);
    stream.wait();
    CHECK(transfers(0).to_host - before.to_host == 4'000);
    Uploader uploader;
    MemoryPool memory;
    const std::vector<std::byte> large(3'000'000);
    const std::byte* uploaded = nullptr;
    ArenaLayout layout;
    layout.add(std::span(large), &uploaded);
    const Arena arena(layout, memory, uploader);
    CHECK(transfers(0).to_device - before.to_device == 3'004'040);
    CHECK(transfers(0).to_host - before.to_host == 4'000);
}

TEST_CASE("transfers: a graph's copies count at each launch, not when they are recorded", "[cuda]") {
    if (!has_device()) return;
    const Stream stream;
    const PinnedBuffer<int> there(100), back(100);
    const DeviceBuffer<int> on_device(100);
    std::iota(there.begin(), there.end(), 1);
    const Transfers before = transfers(0);
    Graph recorded(stream, [&] {
        copy_from_pinned(on_device.data(), std::span<const int>(there.data(), 100), stream);
        copy_to_pinned(std::span(back.data(), 50), on_device.data(), stream);
    });
    const Graph graph = std::move(recorded);
    CHECK(transfers(0).to_device == before.to_device);
    CHECK(transfers(0).to_host == before.to_host);
    for (std::uint64_t launches = 1; launches <= 2; ++launches) {
        graph.launch(stream);
        stream.wait();
        CHECK(transfers(0).to_device - before.to_device == launches * 400);
        CHECK(transfers(0).to_host - before.to_host == launches * 200);
    }
    CHECK(back[49] == 50);
    copy_from_pinned(on_device.data(), std::span<const int>(there.data(), 1), stream);
    stream.wait();
    CHECK(transfers(0).to_device - before.to_device == 804);
}

TEST_CASE("transfers: none of a device that there is not", "[cuda]") {
    count_transfers(-1, {1, 1});
    count_transfers(1000, {1, 1});
    for (const int device : {-1, 1000}) {
        CHECK(transfers(device).to_device == 0);
        CHECK(transfers(device).to_host == 0);
    }
}

TEST_CASE("more memory than there is, is refused by name", "[cuda]") {
    if (!has_device()) return;
    try {
        const DeviceBuffer<char> everything(std::size_t{1} << 50);
        FAIL("allocated a petabyte");
    } catch (const CudaError& error) {
        CHECK(error.out_of_memory());
    }
}
