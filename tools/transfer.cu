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

// Between devices without peer access the driver copies through the host, and a call may wait for that.
bool goes_through_host(const Way& way) {
    int can = 0;
    CHECK(cudaDeviceCanAccessPeer(&can, way.data().ordinal(), way.data().peer()));
    return !can;
}

Case case_of(Session& session, const std::shared_ptr<Way>& way, CopyCosts& costs) {
    const TransferVariant& variant = way->variant();
    const size_t n = way->size(), offset = session.own<TransferOptions>().offset;
    const bool twice = variant.is_both() || variant.direction == Direction::on_device;
    Case one;
    one.variant = &variant;
    one.problem = {std::nullopt, n, double(n) * (twice ? 2 : 1), 0, 0, "bytes"};
    one.poison = [=](cudaStream_t stream) { way->poison(stream); };
    one.prepare = [=](cudaStream_t stream) { way->prepare(stream); };
    one.launch = [=](cudaStream_t stream) { return way->run(stream); };
    one.check = [=] { return way->check(); };
    if (variant.touches_host() || (variant.needs_peer() && goes_through_host(*way))) {
        one.time = [=] { return way->time(); };
        if (!session.device.simulated) one.timer = "host";
    }
    one.own_cells = [=, &variant, &costs](double median_ns) {
        const TransferCells cells = way->cells(offset);
        costs[variant.name][n] = {median_ns, cells.allocate_ns};
        return cells_of(transfer_columns, cells);
    };
    return one;
}

// One way for each combination of a variant's settings.
std::vector<std::shared_ptr<Way>> ways_of(const Session& session, const TransferVariant& variant,
                                          const std::shared_ptr<TransferData>& data) {
    if (variant.by != By::threads) return {std::make_shared<Way>(session, variant, data)};
    std::vector<std::shared_ptr<Way>> ways;
    const auto& asked = session.own<TransferOptions>();
    for (size_t threads : asked.threads)
        for (size_t slot_bytes : asked.slots)
            ways.push_back(std::make_shared<StagedWay>(session, variant, data, threads, slot_bytes));
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
        const auto data = std::make_shared<TransferData>(session, n, session.own<TransferOptions>().offset);
        std::vector<Case> cases;
        for (const TransferVariant* variant : variants) {
            if (variant->needs_peer()) data->use_peer(*peer);
            for (const auto& way : ways_of(session, *variant, data)) cases.push_back(case_of(session, way, costs));
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
bool is_right(Session& session, Way& way) {
    const char* name = way.variant().name;
    session.begin_step(text("verifying {}, n = {}", name, way.size()));
    way.poison(nullptr);
    CHECK(cudaDeviceSynchronize());
    way.time();
    const Verdict verdict = session.options.verify ? way.check() : Verdict{};
    if (verdict.right) return true;
    session.complain(text("{}: wrong result for n = {}: {}", name, way.size(), verdict.detail));
    session.found_wrong_result();
    return false;
}

using Clock = std::chrono::steady_clock;

// Times all rivals in turn, each until its time is up, and prints only the break-even sizes that follow.
void run_break_even(Session& session) {
    CopyCosts costs;
    for (size_t n : session.sizes()) {
        const auto data = std::make_shared<TransferData>(session, n, session.own<TransferOptions>().offset);
        std::vector<std::shared_ptr<Way>> ways;
        for (const TransferVariant& variant : transfer_variants) {
            if (!is_rival(variant)) continue;
            const auto way = ways_of(session, variant, data).front();
            if (is_right(session, *way)) ways.push_back(way);
        }
        std::vector<std::vector<double>> samples(ways.size());
        std::vector<double> seconds(ways.size(), 0);
        session.begin_step(text("timing copies of {} bytes", n));
        for (int i = -session.warmup(); i < session.samples(); ++i)
            for (size_t k = 0; k < ways.size(); ++k) {
                const bool is_needed = i >= 0 && samples[k].empty();
                if (seconds[k] >= session.options.timeout_s && !is_needed) continue;
                const Clock::time_point begin = Clock::now();
                if (const double ns = ways[k]->time(); i >= 0) samples[k].push_back(ns);
                seconds[k] += std::chrono::duration<double>(Clock::now() - begin).count();
            }
        for (size_t k = 0; k < ways.size(); ++k)
            costs[ways[k]->variant().name][n] = {summarize(samples[k]).median, ways[k]->cells(0).allocate_ns};
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
