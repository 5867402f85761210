#include "gpu/api/matcher.hpp"
#include "gpu/cpu/cpu_set.hpp"
#include "gpu/cuda/cuda_accelerator.hpp"
#include "gpu/naive/naive_set.hpp"

namespace sluice::engine {

std::unique_ptr<SubscriptionSet> make_subscription_set(const EngineOptions& options) {
    switch (options.backend) {
        case Backend::naive:
            return make_naive_set();
        case Backend::cuda:
        case Backend::automatic:
            return cpu::make_cpu_set(cuda::make_cuda_accelerator(options));
        case Backend::cpu:
            break;
    }
    return cpu::make_cpu_set();
}

}  // namespace sluice::engine
