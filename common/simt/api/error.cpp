// SPDX-License-Identifier: MIT
#include "common/simt/api/error.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "common/simt/include/simt/warp_state.hpp"
#include "common/simt/runtime/grid.hpp"

namespace simt {
namespace {

// Each host thread has its own. (In a kernel, each lane has its own: see Grid.)
cudaError_t& last_error() {
    static thread_local cudaError_t error = cudaSuccess;
    return error;
}

cudaError_t broken_device_error() {
    return runtime().device_count() == 0 ? cudaSuccess : static_cast<cudaError_t>(current_device().broken());
}

// The first refused launch of each thread that has not asked for errors since then, as a line for stderr.
class UnaskedLaunches {
public:
    void add(const std::string& line) {
        const std::lock_guard lock(mutex_);
        if (!exist_.exchange(true)) std::atexit(&UnaskedLaunches::print);
        lines_.emplace(std::this_thread::get_id(), line);
    }

    void asked() {
        if (!exist_.load(std::memory_order_relaxed)) return;
        const std::lock_guard lock(mutex_);
        lines_.erase(std::this_thread::get_id());
    }

private:
    static void print();

    std::atomic<bool> exist_{false};
    std::mutex mutex_;
    std::map<std::thread::id, std::string> lines_;
};

UnaskedLaunches& unasked_launches() {
    static UnaskedLaunches& launches = *new UnaskedLaunches;
    return launches;
}

void UnaskedLaunches::print() {
    UnaskedLaunches& launches = unasked_launches();
    const std::lock_guard lock(launches.mutex_);
    for (const auto& [thread, line] : launches.lines_) std::fputs(line.c_str(), stderr);
}

std::string as_text(const Extent& extent) {
    return '(' + std::to_string(extent.x) + ',' + std::to_string(extent.y) + ',' + std::to_string(extent.z) + ')';
}

}  // namespace

void launch_refused(const char* kernel, const Extent& grid, const Extent& block, cudaError_t error) {
    if (error == broken_device_error()) return;  // a line has told of the kernel that broke it
    unasked_launches().add(std::string("simcc: kernel ") + kernel + "<<<" + as_text(grid) + ", " + as_text(block) +
                           ">>> did not run, and nothing asked why (cudaGetLastError): " + cudaGetErrorName(error) +
                           ", " + cudaGetErrorString(error) + "\n");
}

cudaError_t report(const Result& result) {
    const cudaError_t error = result.error;
    if (error == cudaSuccess) return error;
    if (Grid* const grid = Grid::running()) {
        grid->set_error(error);
        return error;
    }
    const bool is_failure_of_device = error == broken_device_error();
    // (It is not a mistake to ask whether there is a device.)
    if (error != cudaErrorNoDevice && (!is_failure_of_device || current_device().tells_failure_first()))
        events().api_failed(error, result.why);
    return last_error() = error;
}

static thread_local bool in_driver_section = false;
static std::atomic<bool> is_used = false;

DriverSection::DriverSection() : before_(last_error()), is_outermost_(!std::exchange(in_driver_section, true)) {}
DriverSection::~DriverSection() {
    if (!is_outermost_) return;
    in_driver_section = false;
    last_error() = before_;
}

bool runtime_is_used() { return is_used; }

cudaError_t standing_error() {
    if (!in_driver_section) is_used.store(true, std::memory_order_relaxed);
    if (inside_host_function()) return cudaErrorNotPermitted;
    if (runtime().device_count() == 0) return cudaErrorNoDevice;
    return broken_device_error();
}

void refuse_in_kernels() {
    if (in_kernel()) fail_lane("a function of the runtime API was called that kernels cannot call");
}

cudaError_t reported_by(const std::function<void()>& body) {
    const cudaError_t before = std::exchange(last_error(), cudaSuccess);
    body();
    const cudaError_t error = last_error();
    if (error == cudaSuccess) last_error() = before;
    return error;
}

}  // namespace simt

cudaError_t cudaGetLastError() {
    if (simt::Grid* const grid = simt::Grid::running()) {
        const simt::RuntimeSection section;
        const cudaError_t error = grid->error();
        grid->set_error(cudaSuccess);
        return error;
    }
    simt::unasked_launches().asked();
    if (const cudaError_t error = simt::broken_device_error()) return error;
    return std::exchange(simt::last_error(), cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
    if (const simt::Grid* const grid = simt::Grid::running()) {
        const simt::RuntimeSection section;
        return grid->error();
    }
    simt::unasked_launches().asked();
    if (const cudaError_t error = simt::broken_device_error()) return error;
    return simt::last_error();
}

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
#define SIMT_NAME(name, value, description) \
    case name: return #name;
        SIMT_ERROR_CODES(SIMT_NAME)
#undef SIMT_NAME
    }
    return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
#define SIMT_DESCRIPTION(name, value, description) \
    case name: return description;
        SIMT_ERROR_CODES(SIMT_DESCRIPTION)
#undef SIMT_DESCRIPTION
    }
    return "unrecognized error code";
}

// ---- weak definitions of the runtime functions that the simulator does not have

namespace {

cudaError_t refuse(const char* function, std::atomic<bool>& said) {
    if (!said.exchange(true)) std::fprintf(stderr, "simcc: %s is not supported\n", function);
    return simt::report(cudaErrorNotSupported);
}

}  // namespace

#define SIMT_DEFINE_UNSUPPORTED(name)             \
    __attribute__((weak)) cudaError_t name(...) { \
        static std::atomic<bool> said{false};     \
        return refuse(#name, said);               \
    }
SIMT_UNSUPPORTED_FUNCTIONS(SIMT_DEFINE_UNSUPPORTED)
