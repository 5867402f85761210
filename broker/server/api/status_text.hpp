// The text of GET /v1/status. A text that was costly to make is reused for a while, so that it takes a small part of
// the CPU time however often it is requested. Any thread.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

namespace sluice::server {

struct Services;

class StatusText {
public:
    std::shared_ptr<const std::string> get(Services& services);

private:
    static constexpr std::chrono::milliseconds worth_keeping{1};  // CPU time from which a text is reused
    static constexpr int kept_times = 50;                         // reused for this multiple of that time

    std::mutex mutex_{};
    std::shared_ptr<const std::string> text_{};
    std::chrono::steady_clock::time_point valid_until_{};
};

}  // namespace sluice::server
