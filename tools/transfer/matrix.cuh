// SPDX-License-Identifier: MIT
// How fast copies are between any two places: the host's pinned memory and every device.
#pragma once

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tools/transfer/data.cuh"

namespace BACKEND {

// The host, or a device by its number.
struct Place {
    int device = -1;

    bool is_host() const { return device < 0; }
    std::string name() const { return is_host() ? "host" : std::to_string(device); }
};

// Memory in a place.
class PlaceMemory {
public:
    PlaceMemory(Place place, size_t n) {
        if (place.is_host()) {
            host_ = PinnedBuffer<unsigned char>(n, cudaHostAllocPortable);
            return;
        }
        const OnDevice there(place.device);
        device_ = DeviceBuffer<unsigned char>(n);
    }
    unsigned char* data() const { return host_.data() ? host_.data() : device_.data(); }

private:
    PinnedBuffer<unsigned char> host_;
    DeviceBuffer<unsigned char> device_;
};

struct PairResult {
    Place from, to;
    size_t bytes = 0;
    const char* path = "bus";
    double median_ns = 0;
    const char* verify = "pass";
    std::string device = {};  // whose runtime copied
    const char* timer = "host";

    // As everywhere, copies within a device count twice: every byte is read and written.
    double gbyte_per_s() const {
        const double moved = double(bytes) * (from.device == to.device ? 2 : 1);
        return median_ns > 0 ? moved / median_ns : 0;
    }
};

inline const ColumnOf<PairResult> pair_columns[] = {
    {{"tool"}, [](const PairResult&) -> Cell { return "transfer"; }},
    {{"device"}, [](const PairResult& of) -> Cell { return of.device; }},
    {{"timer"}, [](const PairResult& of) -> Cell { return of.timer; }},
    {{"from"}, [](const PairResult& of) -> Cell { return of.from.name(); }},
    {{"to"}, [](const PairResult& of) -> Cell { return of.to.name(); }},
    {{"bytes"}, [](const PairResult& of) -> Cell { return whole(of.bytes); }},
    {{"path"}, [](const PairResult& of) -> Cell { return of.path; }},
    {{"median_ns"},
     [](const PairResult& of) -> Cell {
         return Fixed{of.median_ns, 1};
     }},
    {{"gbyte_per_s"}, [](const PairResult& of) -> Cell { return computed(of.gbyte_per_s(), 3); }},
    {{"verify"}, [](const PairResult& of) -> Cell { return of.verify; }},
};

// The median of as many samples as the options allow, in the time that they allow.
template <typename Sample>
double median_of_samples(const Session& session, Sample sample) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::duration<double>(session.options.timeout_s);
    for (int i = 0; i < session.warmup() && Clock::now() < deadline; ++i) sample();
    std::vector<double> samples;
    do samples.push_back(sample());
    while (int(samples.size()) < session.samples() && Clock::now() < deadline);
    return summarize(samples).median;
}

inline PairResult measure_pair(Session& session, PeerAccess& access, Place from, Place to, size_t n) {
    session.begin_step(text("copying {} bytes from {} to {}", n, from.name(), to.name()));
    PairResult result{from, to, n};
    result.device = session.device.name;
    if (session.device.simulated) result.timer = "sim";
    const bool between = !from.is_host() && !to.is_host() && from.device != to.device;
    if (between) result.path = access.enable_both(from.device, to.device) ? "peer" : "through-host";
    else if (from.device == to.device) result.path = "memory";
    const PlaceMemory source(from, n), target(to, n);
    const int on_it_ordinal = from.is_host() ? to.device : from.device;
    const OnDevice on_it(on_it_ordinal);
    const Stream stream;
    const auto copy = [&] {
        if (between) CHECK(cudaMemcpyPeerAsync(target.data(), to.device, source.data(), from.device, n, stream));
        else CHECK(cudaMemcpyAsync(target.data(), source.data(), n, cudaMemcpyDefault, stream));
        stream.synchronize();
    };
    const Pattern pattern{session.options.seed, 0};
    const std::unique_ptr<unsigned char[]> bytes(new unsigned char[n + 1]);
    if (session.options.verify && n > 0) {
        pattern.write(bytes.get(), n);
        CHECK(cudaMemcpy(source.data(), bytes.get(), n, cudaMemcpyDefault));
        std::memset(bytes.get(), 0xa5, n);
        CHECK(cudaMemcpy(target.data(), bytes.get(), n, cudaMemcpyDefault));
        for (const Place& place : {from, to}) {
            const OnDevice there(place.is_host() ? on_it_ordinal : place.device);
            CHECK(cudaDeviceSynchronize());
        }
        copy();
        CHECK(cudaMemcpy(bytes.get(), target.data(), n, cudaMemcpyDefault));
        const Verdict verdict = pattern.compare(bytes.get(), n);
        if (!verdict.right) {
            session.complain(text("{} to {}: wrong bytes: {}", from.name(), to.name(), verdict.detail));
            session.found_wrong_result();
            result.verify = "fail";
        }
    } else if (!session.options.verify) {
        result.verify = "skipped";
    }
    result.median_ns = median_of_samples(session, [&] { return host_time(copy); });
    session.end_step();
    return result;
}

// For a person: a row per source and a column per destination, in GB/s.
inline void print_matrix(Session& session, const std::vector<Place>& places, const std::vector<PairResult>& pairs) {
    std::vector<Column> columns = {{"from", "from"}};
    for (const Place& place : places) columns.push_back({"to_" + place.name(), "to " + place.name(), 1, 1});
    Table table(session.output, session.format(), session.options.header, columns);
    for (const Place& from : places) {
        std::vector<Cell> row = {from.name()};
        for (const Place& to : places) {
            Cell cell = absent(1);
            for (const PairResult& pair : pairs)
                if (pair.from.device == from.device && pair.to.device == to.device)
                    cell = computed(pair.gbyte_per_s(), 3);
            row.push_back(cell);
        }
        table.add(row);
    }
    table.flush(text("GB/s, copies of {}{}", human_bytes(double(pairs.front().bytes)),
                     session.device.simulated ? ": the simulation's on this CPU, not a GPU's" : ""));
}

inline void run_matrix(Session& session) {
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    std::vector<Place> places(1);
    for (int device = 0; device < devices; ++device) places.push_back({device});
    std::vector<size_t> sizes = session.sizes();
    if (!session.options.sizes.given) sizes = {sizes.back()};
    const bool for_people = session.format() == Format::human || session.format() == Format::markdown;
    Table table(session.output, session.format(), session.options.header, columns_of(pair_columns));
    PeerAccess access;
    for (size_t n : sizes) {
        std::vector<PairResult> pairs;
        for (const Place& from : places)
            for (const Place& to : places) {
                if (from.is_host() && to.is_host()) continue;
                pairs.push_back(measure_pair(session, access, from, to, n));
                if (!for_people) table.add(cells_of(pair_columns, pairs.back()));
            }
        if (for_people) print_matrix(session, places, pairs);
    }
}

}  // namespace BACKEND
