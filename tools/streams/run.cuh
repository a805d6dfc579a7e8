// What every experiment of streams makes: a case of the benchmark, and a way to look at one run of it.
#pragma once

#include <functional>

#include "common/cli/session.hpp"
#include "common/measure/bench.cuh"
#include "tools/streams/table.cuh"
#include "tools/streams/tracer.cuh"

namespace BACKEND {

struct StreamsRun {
    Case one;
    std::function<Timeline()> trace = {};  // runs once more, with events around every operation; empty: nothing to draw
};

// The program's own columns. Zeros and "none" are what does not apply.
struct StreamsCells {
    const char* experiment = "none";
    size_t streams = 0, chunks = 0;
    std::string memory = "none";
    unsigned steps = 0;
    size_t operations = 0;  // launches, queries or callbacks of one sample
    double sum_ns = 0;      // of the parts, each measured alone
    double ideal_ns = 0;    // of a run in which everything overlaps that can

    std::vector<Cell> row(double median_ns) const {
        const auto count = [](size_t value) { return static_cast<long long>(value); };
        const double concurrency = median_ns > 0 ? sum_ns / median_ns : 0;
        const double efficiency = median_ns > 0 ? ideal_ns / median_ns : 0;
        const double overhead_ns = ideal_ns > 0 ? median_ns - ideal_ns : 0;
        return {experiment, count(streams), count(chunks), memory, count(steps), count(operations), Fixed{sum_ns, 1},
                Fixed{ideal_ns, 1}, Fixed{overhead_ns, 1}, Fixed{concurrency, 3}, Fixed{efficiency, 4}};
    }
};

// Steps of the chain per element.
inline unsigned steps_per_element(const Session& session) {
    return session.own<StreamsOptions>().work.on(session.device.simulated);
}

inline const char* clock_name(const Session& session) {
    return session.device.simulated ? "host time of the simulation" : "time of the device's events";
}

// Samples by the host's clock: on a GPU "host", in the simulator "sim" as all others.
inline const char* host_clock_timer(const Session& session) { return session.device.simulated ? "sim" : "host"; }

inline Tracer::Mode tracer_mode(const Session& session) {
    return session.options.profile ? Tracer::Mode::ranges : Tracer::Mode::off;
}

inline Verdict compare_integers(const int* got, const int* expected, size_t n) {
    return compare_elements(
        got, n, [=](size_t i) { return static_cast<long double>(expected[i]); }, [](long double) { return 0.0L; });
}

}  // namespace BACKEND
