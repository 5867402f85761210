#include "gpu/matcher.hpp"

#include "gpu/cpu/cpu_set.hpp"
#include "gpu/naive/naive_set.hpp"

namespace sluice {

std::unique_ptr<SubscriptionSet> make_subscription_set(Backend backend) {
    return backend == Backend::naive ? make_naive_set() : make_cpu_set();
}

}  // namespace sluice
