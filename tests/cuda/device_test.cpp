#include "gpu/device/device.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

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

TEST_CASE("more memory than there is, is refused by name", "[cuda]") {
    if (!has_device()) return;
    try {
        const DeviceBuffer<char> everything(std::size_t{1} << 50);
        FAIL("allocated a petabyte");
    } catch (const CudaError& error) {
        CHECK(error.out_of_memory());
    }
}
