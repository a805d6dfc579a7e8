// SPDX-License-Identifier: MIT
// transfer: copies between the host and devices, by size, kind of memory, direction and way, with every byte verified.
// make: -O1 (it simulates too little to be worth the compile time of a higher level)
#include "common/cuda/passes.hpp"
#include "kernels/transfer.cuh"

#if HOST_PASS
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/transfer/break_even.hpp"
#include "tools/transfer/matrix.cuh"
#include "tools/transfer/ways.cuh"

namespace BACKEND {
namespace {

// Why a variant cannot run here; "" if it can.
std::string obstacle(const TransferVariant& variant, PeerAccess& access, int here, std::optional<int> peer) {
    if (variant.by == By::paging && attribute(cudaDevAttrConcurrentManagedAccess, here) == 0)
        return "this system moves managed memory as a whole, not by pages";
    if (!variant.needs_peer()) return "";
    if (!peer) return "there is only one device";
    if (!access.enable_both(here, *peer) && variant.by == By::kernel)
        return text("device {} cannot reach the memory of device {}", here, *peer);
    return "";
}

// The next device, if there is one.
std::optional<int> find_peer(int here) {
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices < 2) return {};
    return (here + 1) % devices;
}

// One way for each combination of a variant's settings.
std::vector<std::unique_ptr<Way>> ways_of(const Session& session, const TransferVariant& variant, TransferData& data,
                                          CopyCosts& costs) {
    std::vector<std::unique_ptr<Way>> ways;
    if (variant.by != By::threads) {
        ways.push_back(std::make_unique<Way>(session, variant, data, costs));
        return ways;
    }
    const auto& asked = session.own<TransferOptions>();
    for (size_t threads : asked.threads)
        for (size_t slot_bytes : asked.slots)
            ways.push_back(std::make_unique<StagedWay>(session, variant, data, costs, threads, slot_bytes));
    return ways;
}

void run_benchmark(Session& session) {
    Bench bench(session);
    CopyCosts costs;
    const int here = session.device.ordinal;
    const std::optional<int> peer = find_peer(here);
    PeerAccess access;
    std::vector<const TransferVariant*> variants;
    for (const TransferVariant* variant : session.selected<TransferVariant>()) {
        const std::string why = obstacle(*variant, access, here, peer);
        if (why.empty()) variants.push_back(variant);
        else session.leave_out(variant->name, why);
    }
    for (size_t n : session.sizes()) {
        session.begin_step(text("generating {} bytes", n));
        TransferData data(session, n, session.own<TransferOptions>().offset);
        Cases cases;
        for (const TransferVariant* variant : variants) {
            if (variant->needs_peer()) data.use_peer(*peer);
            for (auto& way : ways_of(session, *variant, data, costs)) cases.push_back(std::move(way));
        }
        bench.run(cases);
    }
    say_break_evens(session, costs);
}

bool is_rival(const TransferVariant& variant) {
    const std::string name = variant.name;
    return std::any_of(std::begin(all_rivals), std::end(all_rivals),
                       [&](const Rivals& rivals) { return name == rivals.way || name == rivals.versus; });
}

// Copies once and compares; complains and returns false if a byte is wrong.
bool is_right(Session& session, Way& way, cudaStream_t stream) {
    const char* name = way.variant->name;
    const size_t n = way.problem.n;
    session.begin_step(text("verifying {}, n = {}", name, n));
    way.poison(nullptr);
    CHECK(cudaDeviceSynchronize());
    way.time_by_host(stream);
    const Verdict verdict = session.options.verify ? way.check() : Verdict{};
    if (verdict.right) return true;
    session.complain(text("{}: wrong result for n = {}: {}", name, n, verdict.detail));
    session.found_wrong_result();
    return false;
}

using Clock = std::chrono::steady_clock;

// Times all rivals in turn, each until its time is up, and prints only the break-even sizes that follow.
void run_break_even(Session& session) {
    CopyCosts costs;
    const Stream stream;
    for (size_t n : session.sizes()) {
        TransferData data(session, n, session.own<TransferOptions>().offset);
        std::vector<std::unique_ptr<Way>> ways;
        for (const TransferVariant& variant : transfer_variants) {
            if (!is_rival(variant)) continue;
            auto way = std::move(ways_of(session, variant, data, costs).front());
            if (is_right(session, *way, stream)) ways.push_back(std::move(way));
        }
        std::vector<std::vector<double>> samples(ways.size());
        std::vector<double> seconds(ways.size(), 0);
        session.begin_step(text("timing copies of {} bytes", n));
        for (int i = -session.warmup(); i < session.samples(); ++i)
            for (size_t k = 0; k < ways.size(); ++k) {
                const bool is_needed = i >= 0 && samples[k].empty();
                if (seconds[k] >= session.options.timeout_s && !is_needed) continue;
                const Clock::time_point begin = Clock::now();
                if (const double ns = ways[k]->time_by_host(stream); i >= 0) samples[k].push_back(ns);
                seconds[k] += std::chrono::duration<double>(Clock::now() - begin).count();
            }
        for (size_t k = 0; k < ways.size(); ++k) static_cast<void>(ways[k]->own_cells(summarize(samples[k]).median));
        session.end_step();
    }
    print_break_evens(session, costs);
}

// --matrix and --break-even print tables of their own: refuses options that only shape a benchmark's.
void refuse_ignored_options(const Session& session, const char* table) {
    const Options& options = session.options;
    const char* ignored = !options.kernels.empty()                            ? "--kernel"
                          : !options.versus.empty()                           ? "--versus"
                          : options.ladder                                    ? "--ladder"
                          : options.raw                                       ? "--raw"
                          : options.profile                                   ? "--profile"
                          : options.checks.counters                           ? "--counters"
                          : session.own<TransferOptions>().threads.size() > 1 ? "a list of --threads"
                          : session.own<TransferOptions>().slots.size() > 1   ? "a list of --slot"
                                                                              : nullptr;
    if (ignored)
        fail(Exit::usage, "{} prints a table of its own, to which {} means nothing; leave it out", table, ignored);
}

void run(Session& session) {
    const auto& asked = session.own<TransferOptions>();
    if (asked.matrix && asked.break_even) fail(Exit::usage, "--matrix and --break-even exclude each other");
    if (asked.matrix) {
        refuse_ignored_options(session, "--matrix");
        const std::string& device = session.options.device;
        if (device == "all" || device.find(',') != device.npos)
            fail(Exit::usage, "--matrix measures all devices at once: leave --device {} out", device);
        return run_matrix(session);
    }
    if (!asked.break_even) return run_benchmark(session);
    refuse_ignored_options(session, "--break-even");
    run_break_even(session);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(transfer_program, run)
#endif
