// SPDX-License-Identifier: MIT
#include "common/measure/bench.cuh"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "common/io/process.hpp"
#include "common/measure/profile_range.cuh"
#include "common/measure/random.hpp"
#include "common/simt/check/predict/predictions.hpp"

namespace BACKEND {

double Case::time(Stopwatch& stopwatch) {
    const auto run = [this](cudaStream_t stream) { launch(stream); };
    if (!is_on_host()) return stopwatch.time([this](cudaStream_t stream) { prepare(stream); }, run);
    prepare(stopwatch.stream());
    CHECK(cudaStreamSynchronize(stopwatch.stream()));
    return host_time([&] { run(stopwatch.stream()); });
}

const char* Case::timer() const { return is_on_host() ? "host" : Stopwatch::timer_name(); }

ClockReading Case::elapsed(const Stopwatch& stopwatch) const {
    return is_on_host() ? ClockReading{} : stopwatch.elapsed();
}

double HostClockCase::time(Stopwatch& stopwatch) {
    return by_host_clock_ ? time_by_host(stopwatch.stream()) : Case::time(stopwatch);
}

double HostClockCase::time_by_host(cudaStream_t stream) {
    prepare(stream);
    CHECK(cudaStreamSynchronize(stream));
    return host_time([&] {
        launch(stream);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
    });
}

// "4096", "64x64", or "none" if a library chose the shape or there was no launch.
static std::string extent_text(const dim3& extent) {
    if (extent.x == 0) return "none";
    std::string text = std::to_string(extent.x);
    if (extent.y > 1 || extent.z > 1) text += "x" + std::to_string(extent.y);
    if (extent.z > 1) text += "x" + std::to_string(extent.z);
    return text;
}

Bench::Bench(Run& run)
    : run_(run),
      clocks_(run.device.simulated ? "" : run.device.uuid),
      report_(run),
      stopwatch_(run.settings.cold_cache && !run.settings.profile, run.device.l2_bytes) {}

// What the kernels of a variant take together; none if one of them could not be followed.
static std::optional<PredictedTime> predicted_by(const std::vector<simt::check::KernelPrediction>& kernels) {
    PredictedTime time;
    double largest_ns = 0;
    for (const simt::check::KernelPrediction& kernel : kernels) {
        if (!kernel.is_known) return std::nullopt;
        time.ns += kernel.sum.ns;
        time.low_ns += kernel.sum.low_ns;
        time.high_ns += kernel.sum.high_ns;
        if (kernel.sum.ns < largest_ns) continue;
        largest_ns = kernel.sum.ns;
        time.limiter = name_of(kernel.sum.limiter);
        time.occupancy_percent = kernel.sum.achieved_occupancy_percent;
    }
    if (kernels.empty()) return std::nullopt;
    time.gpu = simt::check::predicted_gpu()->title();
    // (Each launch of a kernel is counted as one that follows another; the first one follows nothing.)
    const double work_ns = time.ns;
    add_first_launch(*simt::check::predicted_gpu(), time.ns, time.low_ns, time.high_ns);
    if (time.ns > 2 * (work_ns - kernels.size() * simt::check::predicted_gpu()->next_launch_ns))
        time.limiter = "launch";
    return time;
}

// Products that are added count twice. 0 for types whose rate the model does not have.
static double peak_gflop_per_s(const simt::check::GpuModel& gpu, std::optional<DType> type) {
    const double warps_per_cycle = type == DType::f32   ? gpu.single_per_cycle
                                   : type == DType::f64 ? gpu.double_per_cycle
                                                        : 0;
    return gpu.multiprocessors * gpu.clock_mhz * 1e-3 * warps_per_cycle * 32 * 2;
}

bool Bench::verify(Case& one, FirstLaunch& first) {
    if (one.is_on_host() && run_.settings.checks.sample_only) return true;  // only kernels count
    run_.begin_step(text("verifying {}, n = {}", one.variant->name, one.problem.n));
    const cudaStream_t stream = stopwatch_.stream();
    CHECK(cudaDeviceSynchronize());  // a cudaMemcpy from pageable memory may still be in flight
    one.tune(stopwatch_);
    one.poison(stream);
    one.prepare(stream);
    CHECK(cudaDeviceSynchronize());  // poison may have used other streams than the launch will
    const bool counts = run_.settings.checks.counters;
    if (counts) simt::check::take_counters();  // drops the counts so far
    const bool predicts = run_.settings.checks.predict;
    if (predicts) simt::check::take_predictions();
    first.time_ns = host_time([&] {
        const ProfileRange range(one.variant->name);
        first.shape = one.launch(stream);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
    });
    if (counts) first.kernels = simt::check::take_counters();
    if (predicts && one.is_all_kernels() && !one.variant->other_on_gpu) {
        const auto kernels = simt::check::take_predictions();
        first.predicted = predicted_by(kernels);
        if (first.predicted && run_.settings.checks.predict_lines)
            first.predicted->costs = simt::check::costs_by_line(kernels);
    }
    if (run_.settings.predicted_times) first.predicted = run_.settings.predicted_times->next(one.variant->name);
    if (first.predicted) add_costs(first.kernels, first.predicted->costs);
    if (!run_.settings.verify) return true;
    const Verdict verdict = verdict_of_all(team(), one.check());
    if (verdict.right) return true;
    const std::string dtype = one.problem.dtype ? text(", {}", one.problem.dtype_name()) : "";
    if (team().speaks())
        run_.complain(
            text("{}: wrong result for n = {}{}: {}", one.variant->name, one.problem.n, dtype, verdict.detail));
    run_.found_wrong_result();
    return false;
}

Bench::Pair Bench::sample_pair(Case& one, Case* peer, bool peer_first) {
    Pair pair;
    if (peer && peer_first) pair.peer_ns = peer->time(stopwatch_);
    pair.own_ns = one.time(stopwatch_);
    pair.clock = one.elapsed(stopwatch_);
    if (peer && !peer_first) pair.peer_ns = peer->time(stopwatch_);
    return pair;
}

// Whether the peer goes first in pair i: at random, but the same in every run. Samples at regular intervals may be
// slower than the rest (on one GPU every fourth launch took 0.8 us longer), so they must not always hit the same
// variant.
static bool peer_is_first(int i) { return random_bits(0, std::uint64_t(i)) % 2 != 0; }

// Samples until there are enough, the median is known well enough, or time is up. With a peer the two take turns.
void Bench::collect(Case& one, Case* peer, Measurement& result) {
    const MeasureSettings& settings = run_.settings;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(settings.timeout_s);
    // (Processes that measure together must continue or stop together.)
    const auto is_late = [&] { return team().any(std::chrono::steady_clock::now() >= deadline); };
    const auto is_throttled = [&] { return !one.is_on_host() && team().any(one.is_throttled(clocks_)); };
    const int fewest = std::min(run_.samples(), 10);
    ClockReading clock;
    StepCount& count = run_.begin_step(text("timing {}, n = {}, sample", one.variant->name, one.problem.n));
    count.total = std::size_t(run_.samples());
    count.most_seconds = settings.timeout_s;
    for (int i = 0; i < result.warmup && !is_late(); ++i) sample_pair(one, peer, false);
    for (int i = 0; i < run_.samples(); ++i) {
        Pair pair = sample_pair(one, peer, peer_is_first(i));
        if (is_throttled()) {  // try once more; if it persists, the row says so
            pair = sample_pair(one, peer, peer_is_first(i));
            result.throttled |= is_throttled();
        }
        result.samples_ns.push_back(pair.own_ns);
        ++count.done;
        if (peer) result.peer_ratios.push_back(pair.peer_ns / pair.own_ns);
        clock.cycles += pair.clock.cycles;
        clock.ns += pair.clock.ns;
        if (is_late()) break;
        if (i + 1 < fewest) continue;
        const bool may_end = !peer && settings.max_ci_percent > 0;  // --max-ci 0: never, even if the interval is zero
        const bool known = may_end && 100 * relative_half_width(result.samples_ns) <= settings.max_ci_percent;
        if (known) break;
    }
    if (one.is_on_host()) return;
    result.sm_clock_mhz = clock.ns > 0 ? int(1e3 * double(clock.cycles) / double(clock.ns)) : clocks_.sm_clock_mhz();
}

Measurement Bench::describe(const Case& one, const LaunchShape& shape) const {
    Measurement result;
    result.variant = one.variant;
    result.problem = one.problem;
    result.grid = extent_text(shape.grid);
    result.block = extent_text(shape.block);
    result.shared_bytes = shape.dynamic_shared_bytes;
    result.timer = one.timer();
    result.cache = one.is_on_host() || run_.device.simulated   ? "none"
                   : run_.settings.cold_cache && one.flushes() ? "cold"
                                                               : "warm";
    result.verify = run_.settings.verify ? "pass" : "skipped";
    return result;
}

Measurement Bench::measure(Case& one, const FirstLaunch& first, Case* peer) {
    Measurement result = describe(one, first.shape);
    if (run_.device.checked) {
        result.samples_ns = {first.time_ns};
        result.kernels = first.kernels;
    } else {
        result.warmup = run_.warmup();
        collect(one, peer, result);
    }
    result.predicted = first.predicted;
    if (result.predicted && run_.settings.checks.predict) {
        result.predicted->n = one.problem.n;
        result.predicted->bytes = one.problem.bytes;
        result.predicted->flop = one.problem.flop;
        result.predicted->peak_gbyte_per_s = simt::check::predicted_gpu()->dram_gbyte_per_s;
        result.predicted->peak_gflop_per_s = peak_gflop_per_s(*simt::check::predicted_gpu(), one.problem.dtype);
    }
    result.own = one.own_cells(summarize(result.samples_ns).median);
    return result;
}

std::vector<Measurement> Bench::run(Cases& cases) {
    const std::string& versus = run_.settings.versus;
    ++run_.blocks;
    run_.variants_that_ran += cases.size();
    const auto peer =
        std::find_if(cases.begin(), cases.end(), [&](const auto& one) { return one->variant->name == versus; });
    if (!versus.empty() && peer == cases.end())
        fail(Exit::usage, "--versus '{}' is not among the variants that run here; {} --list shows them", versus,
             called(run_.program_name));
    FirstLaunch of_peer;
    const bool peer_is_right = versus.empty() || verify(**peer, of_peer);  // before any comparison with it
    Case* const right_peer = versus.empty() || !peer_is_right ? nullptr : peer->get();
    std::size_t longest_name = 0, predicted_n = 0;
    for (const auto& one : cases) {
        longest_name = std::max(longest_name, std::strlen(one->variant->name));
        if (run_.settings.predicted_times && predicted_n == 0)
            predicted_n = run_.settings.predicted_times->next_size(one->variant->name);
    }
    if (!cases.empty()) report_.begin_block(cases.front()->problem, longest_name, "", predicted_n);
    std::vector<Measurement> rows;
    for (const auto& one : cases) {
        const bool is_peer = !versus.empty() && one == *peer;
        FirstLaunch first = of_peer;
        const bool right = is_peer ? peer_is_right : verify(*one, first);
        if (!right || run_.settings.profile) continue;
        rows.push_back(measure(*one, first, right_peer));
        run_.end_step();
        report_.add(rows.back());
    }
    run_.end_step();
    report_.end_block();
    return rows;
}

std::vector<Measurement> Bench::time(Cases& cases) {
    std::vector<Measurement> rows;
    for (const auto& one : cases) {
        FirstLaunch first;
        if (verify(*one, first)) rows.push_back(measure(*one, first, nullptr));
    }
    run_.end_step();
    return rows;
}

void Bench::print_predicted(const std::vector<Measurement>& rows) {
    std::size_t longest_name = 0;
    for (const Measurement& row : rows) longest_name = std::max(longest_name, std::strlen(row.variant->name));
    if (!rows.empty()) report_.begin_block(rows.front().problem, longest_name, ", predicted");
    for (const Measurement& row : rows) report_.add(row);
    report_.end_block(false);
}

}  // namespace BACKEND
