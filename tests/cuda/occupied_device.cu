#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/cuda/occupied_device.hpp"

namespace sluice::testing {

namespace {

__global__ void occupy(const volatile int* is_released, int* started) {
    if (threadIdx.x == 0) atomicAdd_system(started, 1);
    while (*is_released == 0) __nanosleep(1000);
}

__global__ void do_nothing() {}

void check(cudaError_t code) {
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorName(code));
}

}  // namespace

void enqueue_kernel(cudaStream_t stream) {
    do_nothing<<<1, 1, 0, stream>>>();
    check(cudaGetLastError());
}

struct OccupiedDevice::State {
    int* flags = nullptr;  // released, started; page-locked
    cudaStream_t stream = nullptr;
    std::atomic<bool> is_over = false, has_given_up = false;
    std::thread limit;
};

OccupiedDevice::OccupiedDevice() : state_(new State) {
    check(cudaMallocHost(&state_->flags, 2 * sizeof(int)));
    volatile int* const flags = state_->flags;
    flags[0] = 0;
    flags[1] = 0;
    check(cudaStreamCreateWithFlags(&state_->stream, cudaStreamNonBlocking));
    int device = 0, multiprocessors = 0, shared_bytes = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    check(cudaFuncSetAttribute(occupy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    occupy<<<multiprocessors, 1024, shared_bytes, state_->stream>>>(state_->flags, state_->flags + 1);
    check(cudaGetLastError());
    state_->limit = std::thread([state = state_] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (!state->is_over && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (state->is_over) return;
        state->has_given_up = true;
        *static_cast<volatile int*>(state->flags) = 1;
    });
    while (flags[1] < multiprocessors && !state_->has_given_up) std::this_thread::yield();
}

void OccupiedDevice::release() {
    *static_cast<volatile int*>(state_->flags) = 1;
    state_->is_over = true;
}

bool OccupiedDevice::has_given_up() const { return state_->has_given_up; }

OccupiedDevice::~OccupiedDevice() {
    release();
    state_->limit.join();
    cudaStreamSynchronize(state_->stream);
    cudaStreamDestroy(state_->stream);
    cudaFreeHost(state_->flags);
    delete state_;
}

}  // namespace sluice::testing
