#include "gpu/matcher.hpp"

#include "gpu/cpu/cpu_set.hpp"
#include "gpu/cuda/cuda_accelerator.hpp"
#include "gpu/naive/naive_set.hpp"

namespace sluice {

std::unique_ptr<SubscriptionSet> make_subscription_set(const EngineOptions& options) {
    switch (options.backend) {
        case Backend::naive:
            return make_naive_set();
        case Backend::cuda:
        case Backend::automatic:
            return make_cpu_set(make_cuda_accelerator(options));
        case Backend::cpu:
            break;
    }
    return make_cpu_set();
}

}  // namespace sluice
