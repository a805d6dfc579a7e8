// SPDX-License-Identifier: MIT
// Five slow kernels, each in one block, so that a device has room for all at once, and what they must compute.
#pragma once

#include <algorithm>
#include <vector>

#include "common/measure/random.hpp"
#include "kernels/streams.cuh"
#include "tools/streams/run.cuh"
#include "tools/streams/team.cuh"

namespace BACKEND {

// Five kernels of one block and a block of elements each. Kernel k reads input k and writes output k.
class SlowKernels {
public:
    static constexpr size_t count = 5;

    explicit SlowKernels(const Session& session)
        : block_size_(session.options.block),
          steps_(steps_per_element(session) * (session.device.simulated ? 256 : 2048)),
          h_in_(elements()),
          h_out_(elements()),
          d_in_(elements()),
          d_out_(elements()) {
        fill(h_in_.data(), elements(), [&](size_t i) { return uniform<int>(session.options.seed, i); });
        CHECK(cudaMemcpy(d_in_.data(), h_in_.data(), d_in_.bytes(), cudaMemcpyHostToDevice));
        const AffineStep shortcut = streams_shortcut(steps_);
        for (size_t i = 0; i < elements(); ++i) independent_.push_back(int(shortcut(unsigned(h_in_.data()[i]))));
        dependent_ = independent_;
        for (size_t i = 0; i < block_size_; ++i) {  // kernels 1 to 3 go on from kernel 0, and kernel 4 from the three
            const unsigned middle = shortcut(unsigned(independent_[i]));
            for (size_t k = 1; k <= 3; ++k) dependent_[k * block_size_ + i] = int(middle);
            dependent_[4 * block_size_ + i] = int(shortcut(3 * middle));
        }
    }

    size_t elements() const { return count * block_size_; }
    unsigned steps() const { return steps_; }
    Problem problem() const {
        const double n = double(elements());
        return {DType::i32, elements(), 2 * n * sizeof(int), 2 * n * steps_};
    }
    LaunchShape shape() const { return {dim3(1), dim3(block_size_), 0}; }

    void launch(size_t k, cudaStream_t stream) const { launch_from(d_in_.data() + k * block_size_, k, stream); }
    // The diamond: kernel 0, then 1 to 3 on its output, then 4 on the sum of theirs.
    void launch_after_first(size_t k, cudaStream_t stream) const { launch_from(d_out_.data(), k, stream); }
    void launch_last(cudaStream_t stream) const {
        launch_streams_join({output(1), output(4), block_size_, steps_, unsigned(block_size_), stream});
        CHECK(cudaGetLastError());
    }

    void poison() const {
        CHECK(cudaMemset(d_out_.data(), 0xa5, d_out_.bytes()));
        std::fill_n(h_out_.data(), elements(), -77);
    }
    // Enqueues the copy of output k to the host.
    void download(size_t k, cudaStream_t stream) const {
        CHECK(cudaMemcpyAsync(h_out_.data() + k * block_size_, output(k), block_size_ * sizeof(int),
                              cudaMemcpyDeviceToHost, stream));
    }
    // Whether output k, as the host has it now, is right.
    bool arrived(size_t k) const {
        const int* const output = h_out_.data() + k * block_size_;
        return std::equal(output, output + block_size_, independent_.data() + k * block_size_);
    }
    Verdict check_host(bool diamond = false) const {
        return compare_integers(h_out_.data(), (diamond ? dependent_ : independent_).data(), elements());
    }
    Verdict check_device(bool diamond) const {
        CHECK(cudaMemcpy(h_out_.data(), d_out_.data(), d_out_.bytes(), cudaMemcpyDeviceToHost));
        return check_host(diamond);
    }

    // Nanoseconds of each kernel alone on the device; measured at the first call.
    const std::vector<double>& parts_ns() {
        if (!parts_ns_.empty()) return parts_ns_;
        const StreamTeam team(std::vector<Stream>{});
        for (size_t k = 0; k < count; ++k)
            parts_ns_.push_back(median_of(5, [&] { return team.time([&] { launch(k, team.origin()); }); }));
        return parts_ns_;
    }

private:
    int* output(size_t k) const { return d_out_.data() + k * block_size_; }
    void launch_from(const int* d_in, size_t k, cudaStream_t stream) const {
        launch_streams_slow({d_in, output(k), block_size_, steps_, unsigned(block_size_), stream});
        CHECK(cudaGetLastError());
    }

    size_t block_size_;
    unsigned steps_;
    PinnedBuffer<int> h_in_, h_out_;
    DeviceBuffer<int> d_in_, d_out_;
    std::vector<int> independent_, dependent_;
    std::vector<double> parts_ns_;
};

}  // namespace BACKEND
