#include <algorithm>
#include <cstring>

#include "gpu/device/device.hpp"
#include "gpu/operators/recurrence/cuda_solver.hpp"
#include "gpu/operators/recurrence/exact.hpp"
#include "gpu/operators/recurrence/kernels.cuh"

namespace sluice::recurrence {
namespace {

using namespace sluice::recurrence::cuda;
using sluice::cuda::check;

LineSums line_sums(const DeviceSums& sums, std::span<const double> series, const LineQuestion& question,
                   std::size_t theiler) {
    LineSums lines;
    lines.vectors = series.size();
    lines.vertical.points = lines.diagonal.points = sums.points;
    if (question.v_min != 0) {
        lines.vertical.min = sums.vertical_min;
        lines.vertical.next = sums.vertical_next;
    }
    if (question.l_min == 1) {  // the kernel counted stretches of 2 and 3
        lines.diagonal.min = sums.points;
        lines.diagonal.next = sums.diagonal_min;
    } else if (question.l_min != 0) {
        lines.diagonal.min = sums.diagonal_min;
        lines.diagonal.next = sums.diagonal_next;
    }
    leave_out_theiler_window(series, question.epsilon, question.l_min, theiler, lines.diagonal);
    return lines;
}

class CudaSolver final : public Solver {
public:
    explicit CudaSolver(int device) : device_(device) {
        check(cudaSetDevice(device), "cudaSetDevice");
        stream_ = sluice::cuda::Stream();
        int processors = 0;
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
        processors_ = static_cast<std::size_t>(processors);
    }

    void exact(Series series, std::span<ExactTask> tasks, const Options& options) override {
        check(cudaSetDevice(device_), "cudaSetDevice");
        const ExactPlan plan = make_plan(series, tasks, processors_);
        if (!plan.tasks.empty()) launch(plan, options.go_on);
        for (ExactTask& task : tasks) {
            task.sums = {};
            task.sums.vectors = series[task.series].size();
            if (!for_device(task.question)) on_cpu_.exact(series, std::span(&task, 1), options);
        }
        if (plan.tasks.empty()) return;
        stream_.wait();
        for (std::size_t q = 0; q < plan.tasks.size(); ++q) {
            ExactTask& task = tasks[plan.tasks[q]];
            task.sums = line_sums(answers_[q], series[task.series], task.question, options.theiler);
        }
    }

    MicrostateSums sample(std::span<const double> series, const LineQuestion& question,
                          const Options& options) override {
        check(cudaSetDevice(device_), "cudaSetDevice");
        values_.reserve(series.size());
        sluice::cuda::copy_to_device(values_.data(), series, stream_);
        return sample_microstates(question, options.microstates,
                                  [&](std::uint64_t first, std::uint64_t windows, MicrostateSums& sums) {
                                      return add_windows(series.size(), question, options, first, windows, sums);
                                  });
    }

private:
    // Copies the plan in one piece, runs it, and fetches the answers, which are complete after stream_.wait(). To ask
    // `go_on`, waits after every two thread blocks of each multiprocessor.
    void launch(const ExactPlan& plan, const GoOn& go_on) {
        const std::size_t sizes[3] = {plan.values.size() * sizeof(double), plan.work.size() * sizeof(ExactWork),
                                      plan.questions.size() * sizeof(DeviceQuestion)};
        stream_.wait();  // a call before it, which has failed, may still read what is staged
        const void* const parts_of_plan[3] = {plan.values.data(), plan.work.data(), plan.questions.data()};
        std::size_t at[4] = {};
        for (int i = 0; i < 3; ++i) at[i + 1] = at[i] + (sizes[i] + 15) / 16 * 16;
        staged_.reserve(at[3]);
        arena_.reserve(at[3]);
        for (int i = 0; i < 3; ++i) std::memcpy(staged_.data() + at[i], parts_of_plan[i], sizes[i]);
        sums_.reserve(plan.questions.size());
        answers_.reserve(plan.questions.size());
        sluice::cuda::copy_to_device(arena_.data(), std::span<const char>(staged_.data(), at[3]), stream_);
        check(cudaMemsetAsync(sums_.data(), 0, plan.questions.size() * sizeof(DeviceSums), stream_), "cudaMemsetAsync");
        const std::size_t works = plan.work.size(), at_once = go_on ? 2 * processors_ : works;
        for (std::size_t first = 0; first < works; first += at_once) {
            if (go_on && first != 0) stream_.wait();
            if (go_on && !go_on(static_cast<double>(first) / static_cast<double>(works))) break;
            launch_exact(reinterpret_cast<const double*>(arena_.data()),
                         reinterpret_cast<const ExactWork*>(arena_.data() + at[1]) + first,
                         static_cast<std::uint32_t>(std::min(at_once, works - first)),
                         reinterpret_cast<const DeviceQuestion*>(arena_.data() + at[2]), sums_.data(),
                         plan.rows_together, stream_);
        }
        sluice::cuda::copy_to_host(std::span(answers_.data(), plan.questions.size()), sums_.data(), stream_);
    }

    // Returns false if it was stopped.
    bool add_windows(std::size_t points, const LineQuestion& question, const Options& options, std::uint64_t first,
                     std::uint64_t windows, MicrostateSums& sums) {
        constexpr std::uint64_t windows_at_once = std::uint64_t{1} << 27;  // some 50 ms
        for (std::uint64_t done = 0; done < windows; done += windows_at_once) {
            if (options.go_on && !options.go_on(static_cast<double>(done) / static_cast<double>(windows))) return false;
            add_piece(points, question, options.microstates, first + done, std::min(windows_at_once, windows - done),
                      sums);
        }
        return true;
    }

    void add_piece(std::size_t points, const LineQuestion& question, const MicrostateOptions& options,
                   std::uint64_t first, std::uint64_t windows, MicrostateSums& sums) {
        numbers_.reserve(microstate_numbers);
        counted_.reserve(microstate_numbers);
        check(cudaMemsetAsync(numbers_.data(), 0, numbers_.bytes(), stream_), "cudaMemsetAsync");
        launch_microstates({values_.data(), static_cast<std::uint32_t>(points), question.epsilon, question.v_min,
                            question.l_min, options.size, options.theiler, options.seed, first, windows},
                           numbers_.data(), stream_);
        sluice::cuda::copy_to_host(std::span(counted_.data(), microstate_numbers), numbers_.data(), stream_);
        stream_.wait();
        const unsigned long long* from = counted_.data();
        for (MicrostateSums::Direction* d : {&sums.vertical, &sums.diagonal}) {
            for (std::uint64_t* number : {&d->ones, &d->min, &d->next, &d->ones_ones, &d->ones_min, &d->ones_next,
                                          &d->min_min, &d->min_next, &d->next_next})
                *number += *from++;
        }
        sums.laminar += *from++;
        sums.nonempty += *from++;
        sums.windows += windows;
    }

    int device_;
    std::size_t processors_ = 0;
    sluice::cuda::Stream stream_;
    sluice::cuda::PinnedBuffer<char> staged_;
    sluice::cuda::DeviceBuffer<char> arena_;
    sluice::cuda::DeviceBuffer<DeviceSums> sums_;
    sluice::cuda::PinnedBuffer<DeviceSums> answers_;
    sluice::cuda::DeviceBuffer<double> values_;
    sluice::cuda::DeviceBuffer<unsigned long long> numbers_;
    sluice::cuda::PinnedBuffer<unsigned long long> counted_;
    CpuSolver on_cpu_;
};

}  // namespace

std::unique_ptr<Solver> make_cuda_solver(int device) { return std::make_unique<CudaSolver>(device); }

}  // namespace sluice::recurrence
