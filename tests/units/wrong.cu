// SPDX-License-Identifier: MIT
// wrong: doubles n numbers, once correctly, and incorrectly in every way that the verification must notice. Its table
// must show only the right variant, and its exit code must be 1. tests/common.bats builds it with simcc.
#include <memory>
#include <vector>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "common/measure/random.hpp"

namespace BACKEND {
namespace {

constexpr unsigned block_size = 256;

__device__ size_t thread_index() { return blockIdx.x * size_t(blockDim.x) + threadIdx.x; }

__global__ void writes_nothing(const float*, float*, size_t) {}

__global__ void forgets_last(const float* in, float* out, size_t n) {
    const size_t i = thread_index();
    if (i + 1 < n) out[i] = 2 * in[i];
}

__global__ void right(const float* in, float* out, size_t n) {
    const size_t i = thread_index();
    if (i < n) out[i] = 2 * in[i];
}

__global__ void slightly_off(const float* in, float* out, size_t n) {
    const size_t i = thread_index();
    if (i < n) out[i] = i == n / 2 ? nextafterf(2 * in[i], 1e30f) : 2 * in[i];
}

__global__ void writes_nan(const float* in, float* out, size_t n) {
    const size_t i = thread_index();
    if (i < n) out[i] = i == n / 2 ? sqrtf(-1 - in[i] * in[i]) : 2 * in[i];
}

__global__ void reads_neighbor(const float* in, float* out, size_t n) {
    const size_t i = thread_index();
    if (i < n) out[i] = 2 * in[i + 1 < n ? i + 1 : 0];
}

struct WrongVariant : Variant {
    void (*kernel)(const float* in, float* out, size_t n) = nullptr;
};
const WrongVariant variants[] = {
    {{"writes-nothing", "the output keeps what was there before"}, writes_nothing},
    {{"forgets-last", "the guard ends one element early"}, forgets_last},
    {{"right", "every element doubled"}, right},
    {{"slightly-off", "one element differs in its last bit"}, slightly_off},
    {{"writes-nan", "one element is not a number"}, writes_nan},
    {{"reads-neighbor", "every element comes from the next one"}, reads_neighbor},
};

const Program program = {
    .name = "wrong",
    .summary = "Doubles numbers, most of its variants wrongly; exits 1.",
    .simulator_sizes = "1000",
    .variants = variants_of(variants),
};

class WrongCase final : public Case {
public:
    WrongCase(const WrongVariant& variant_, const std::vector<float>& in, const DeviceBuffer<float>& d_in,
              const DeviceBuffer<float>& d_out)
        : Case(variant_, {DType::f32, in.size(), 8.0 * double(in.size()), double(in.size())}),
          kernel_(variant_.kernel),
          in_(in),
          d_in_(d_in),
          d_out_(d_out) {}

    void poison(cudaStream_t stream) override { CHECK(cudaMemsetAsync(d_out_.data(), 0xa5, d_out_.bytes(), stream)); }
    LaunchShape launch(cudaStream_t stream) override {
        const unsigned grid = grid_for(in_.size(), block_size);
        kernel_<<<grid, block_size, 0, stream>>>(d_in_.data(), d_out_.data(), in_.size());
        return {dim3(grid), dim3(block_size), 0};
    }
    Verdict check() override {
        std::vector<float> out(in_.size());
        CHECK(cudaMemcpy(out.data(), d_out_.data(), d_out_.bytes(), cudaMemcpyDeviceToHost));
        return compare_elements(
            out.data(), out.size(), [&](size_t i) { return 2.0 * in_[i]; }, [](double) { return 0.0; });
    }

private:
    void (*const kernel_)(const float* in, float* out, size_t n);
    const std::vector<float>& in_;
    const DeviceBuffer<float>&d_in_, &d_out_;
};

void run(Session& session) {
    Bench bench(session);
    for (size_t n : session.sizes()) {
        std::vector<float> in(n);
        fill(in.data(), n, [&](size_t i) { return uniform<float>(session.options.seed, i); });
        const DeviceBuffer<float> d_in(n), d_out(n);
        CHECK(cudaMemcpy(d_in.data(), in.data(), d_in.bytes(), cudaMemcpyHostToDevice));
        Cases cases;
        for (const WrongVariant* variant : session.selected<WrongVariant>())
            cases.push_back(std::make_unique<WrongCase>(*variant, in, d_in, d_out));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)
