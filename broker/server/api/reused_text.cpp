#include "broker/server/api/reused_text.hpp"

#include "broker/base/cpu_time.hpp"

namespace sluice::server {

std::shared_ptr<const std::string> ReusedText::get(const std::function<std::string()>& make) {
    const std::lock_guard lock(mutex_);
    if (std::chrono::steady_clock::now() < valid_until_) return text_;
    const auto begun = base::cpu_time();
    text_ = std::make_shared<const std::string>(make());
    const auto took = base::cpu_time() - begun;
    if (took >= worth_keeping) valid_until_ = std::chrono::steady_clock::now() + kept_times * took;
    return text_;
}

}  // namespace sluice::server
