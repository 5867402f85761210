#include "protocol/filter/evaluator/meter.hpp"

namespace sluice::xpath {

void Meter::stop() {
    if (spent_ > steps_max_) throw OverBudget();
    next_pause_ = spent_ + steps_per_pause;
    stop_ = std::min(steps_max_ + 1, next_pause_);
    if (pause_) pause_();
}

void* MeteredMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
    if (bytes > bytes_max_ - std::min(held_, bytes_max_)) throw OverBudget();
    void* const memory = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    held_ += bytes;
    return memory;
}

void MeteredMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
    held_ -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
}

}  // namespace sluice::xpath
