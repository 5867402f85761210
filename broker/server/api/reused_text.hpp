// A text that is made when it is asked for. One that was costly to make is reused for a while, so that it takes a small
// part of the CPU time however often it is requested. Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace sluice::server {

class ReusedText {
public:
    std::shared_ptr<const std::string> get(const std::function<std::string()>& make);

private:
    static constexpr std::chrono::milliseconds worth_keeping{1};  // CPU time from which a text is reused
    static constexpr int kept_times = 50;                         // reused for this multiple of that time

    std::mutex mutex_{};
    std::shared_ptr<const std::string> text_{};
    std::chrono::steady_clock::time_point valid_until_{};
};

}  // namespace sluice::server
