// SPDX-License-Identifier: MIT
#include "common/simt/check/predict/launch_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "common/simt/check/predict/residency.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {

const char* name_of(Limiter limiter) {
    constexpr const char* names[] = {"dram", "l2", "l1", "issue", "unit", "atomics", "latency", "launch", "shared"};
    return names[static_cast<int>(limiter)];
}

LaunchCosts::LaunchCosts(const GpuModel& model, const Extent& grid, const Extent& block, size_t dynamic_shared_bytes)
    : model_(model), grid_(grid), block_(block), dynamic_shared_bytes_(dynamic_shared_bytes), sample_(grid) {}

double LaunchCosts::resident_blocks(double shared_bytes) const {
    constexpr double registers_per_thread = 32, reserved_shared_bytes = 1024;
    const double threads = std::ceil(double(block_.x) * block_.y * block_.z / lanes_of_warp) * lanes_of_warp;
    const double fits =
        std::min({model_.blocks_per_multiprocessor, model_.threads_per_multiprocessor / threads,
                  model_.registers_per_multiprocessor / (registers_per_thread * threads),
                  model_.shared_kib_per_multiprocessor * 1024 / (shared_bytes + reserved_shared_bytes)});
    return std::max(1.0, std::floor(fits));
}

size_t LaunchCosts::l1_bytes_of_block() const {
    const double shared = static_cast<double>(dynamic_shared_bytes_);
    const double resident = resident_blocks(shared);
    const double left = model_.l1_kib_per_multiprocessor * 1024 - resident * (shared + 1024);
    return static_cast<size_t>(std::max(left, 16.0 * 1024) / resident);
}

void LaunchCosts::add(uint64_t block, BlockCost&& cost) {
    const std::lock_guard lock(mutex_);
    costs_.emplace_back(block, std::move(cost));
}

void LaunchCosts::clear() {
    const std::lock_guard lock(mutex_);
    costs_.clear();
    is_known_ = true;
}

// ---- from a sample to the grid

namespace {

double different_in_all(const std::vector<const std::vector<uint64_t>*>& sets) {
    std::vector<uint64_t> all;
    for (const auto* set : sets) all.insert(all.end(), set->begin(), set->end());
    std::sort(all.begin(), all.end());
    return static_cast<double>(std::unique(all.begin(), all.end()) - all.begin());
}

// The allocations that hold these sectors.
double bytes_around(const std::vector<const std::vector<uint64_t>*>& sets) {
    std::map<uintptr_t, double> found;
    for (const auto* set : sets) {
        uintptr_t end = 0;
        for (const uint64_t sector : *set) {
            const uintptr_t address = sector << 5;
            if (address < end) continue;
            const auto allocation = runtime().memory.find(reinterpret_cast<const void*>(address));
            if (!allocation) continue;
            found[allocation->base] = static_cast<double>(allocation->bytes);
            end = allocation->base + allocation->bytes;
        }
    }
    double bytes = 0;
    for (const auto& [base, size] : found) bytes += size;
    return bytes;
}

}  // namespace

// The different sectors of a rectangle of a x b neighboring blocks are s + a p + b q + a b r: what all blocks share, what
// those of a column share, what those of a row share, and each block's own. Four neighbors give the coefficients. In a
// row of n blocks they are s + n r.
LaunchCosts::Footprint LaunchCosts::footprint(const Costs& costs, std::vector<uint64_t> BlockCost::*sectors,
                                              double resident) const {
    using Set = const std::vector<uint64_t>*;
    std::vector<Set> all;
    std::map<uint64_t, Set> of_block;
    double mean = 0;
    for (const auto& [block, cost] : costs) {
        of_block[block] = &(cost.*sectors);
        all.push_back(&(cost.*sectors));
        mean += static_cast<double>((cost.*sectors).size()) / static_cast<double>(costs.size());
    }
    const double blocks = double(grid_.x) * grid_.y * grid_.z;
    if (sample_.holds_all()) {
        const double whole = different_in_all(all);
        return {whole, whole, whole};
    }
    std::vector<Set> near;
    for (const uint64_t block : sample_.neighbors())
        if (of_block.count(block)) near.push_back(of_block[block]);
    double one = 0;
    for (const Set set : near) one += static_cast<double>(set->size()) / 4;
    const double most = bytes_around(all) / 32;
    // Blocks in the middle of a grid that is too large may have nothing to do: they do not tell what others share.
    if (near.size() < 4 || one == 0) {
        const double touched = mean * blocks, whole = std::min(most, touched);
        return {whole, touched, std::min(whole, mean * std::min(blocks, resident))};
    }
    const auto different = [&](std::initializer_list<int> which) {
        std::vector<Set> chosen;
        for (const int i : which) chosen.push_back(near[i]);
        return different_in_all(chosen);
    };
    const double scale = mean / one;  // the neighbors may do more than others, or less
    const double layers = grid_.z;
    double shared = 0, by_column = 0, by_row = 0, own = 0, width = grid_.x, height = grid_.y;
    const double four = different({0, 1, 2, 3});
    if (sample_.is_row()) {
        width *= height;
        height = 1;
        own = std::clamp((four - one) / 3, 0.0, one);
        shared = one - own;
    } else {
        const double across = (different({0, 1}) + different({2, 3})) / 2;
        const double down = (different({0, 2}) + different({1, 3})) / 2;
        own = std::clamp(four - across - down + one, 0.0, one);
        by_column = std::clamp(across - one - own, 0.0, one);
        by_row = std::clamp(down - one - own, 0.0, one);
        shared = std::max(0.0, one - own - by_column - by_row);
    }
    const auto of_rectangle = [&](double a, double b) {
        return (shared + a * by_column + b * by_row + a * b * own) * scale;
    };
    Footprint result;
    result.touched = of_rectangle(width, height) * layers;
    result.whole = std::min(most, result.touched);
    const double in_layer = std::min(resident, width * height);
    const double a = std::min(width, in_layer), b = std::max(1.0, in_layer / width);
    result.wave = std::min(result.whole, of_rectangle(a, b) * std::max(1.0, std::min(resident, blocks) / in_layer));
    return result;
}

// ---- from costs to time

namespace {

// What stands between the host compiler's code of a kernel and nvcc's, and how the parts of a kernel overlap: fitted to
// half of the kernels of vecadd, reduce, conv1d, trapezoid, transpose, matadd, matmul, texture, banks, access and
// diverge on an H200, at sizes from 2^16 to 2^26, with the figures of its model as they were measured. The other half is
// the test: see gridutils-simulator(7).
constexpr double integer_weight = 0.67;  // of the host's integer instructions, so many are left,
constexpr double loop_weight = 0.58;     // and in loops, where every turn adds
constexpr double turn_weight = 0.25;
constexpr double chain_weight = 1.25;
constexpr double start_cycles = 700;  // from the start of a block to its first load, and from its last step to its end
constexpr double l2_efficiency = 0.625;  // of the bandwidth that reading alone reaches
constexpr double fetch_ns = 740;         // a kernel's code and parameters, which an empty kernel does not have,
constexpr double first_fetch_ns = 3100;  // and after the caches have been flushed
constexpr double norm = 4.25;            // parts that take equally long do not overlap entirely

// By limiter: of ten measured times, eight are within these multiples of the prediction, both among the fitted programs
// and among 81 kernels of other people (of HeCBench and Rodinia).
struct Interval {
    double low, high;
};
constexpr Interval intervals[] = {{0.92, 1.45}, {0.62, 1.69}, {0.63, 1.94}, {0.80, 2.60},
                                  {1.00, 2.10}, {0.97, 1.08}, {0.40, 2.03}, {0.79, 1.33}};

// Nobody has measured how far predictions from published figures are off: the figures of others are of other samples
// of the GPU, at other clocks, by other methods.
constexpr double published_widening = 1.5;

Interval interval_of(Limiter limiter, const GpuModel& model) {
    const double widening = model.is_published() ? published_widening : 1;
    const Interval& interval = intervals[static_cast<int>(limiter)];
    return {interval.low / widening, interval.high * widening};
}

}  // namespace

void add_first_launch(const GpuModel& model, double& ns, double& low_ns, double& high_ns) {
    const double more_ns = model.launch_ns + first_fetch_ns - model.next_launch_ns - fetch_ns;
    const Interval interval = interval_of(Limiter::launch, model);
    ns += more_ns;
    low_ns += more_ns * interval.low;
    high_ns += more_ns * interval.high;
}

// How long each unit takes, in cycles of a multiprocessor.
static std::array<double, 4> unit_cycles(const BlockCost& sum, const GpuModel& model) {
    return {sum.texture_cycles, sum.special / model.special_per_cycle, sum.double_ / model.double_per_cycle,
            sum.single / model.single_per_cycle};
}

LaunchCosts::Whole LaunchCosts::whole() const {
    Whole all;
    BlockCost sum;
    std::map<uintptr_t, double> operations;
    for (const auto& [block, cost] : costs_) {
        sum += cost;
        for (const auto& [address, count] : cost.contended) operations[address] += count;
    }
    double most = 0;
    for (const auto& [address, count] : operations)
        if (count > most) all.hottest = address, most = count;
    all.shared_bytes = std::max(sum.shared_bytes, static_cast<double>(dynamic_shared_bytes_));
    const double on_gpu = resident_blocks(all.shared_bytes) * model_.multiprocessors;
    all.loaded = footprint(costs_, &BlockCost::loaded, on_gpu);
    all.stored = footprint(costs_, &BlockCost::stored, on_gpu);
    const auto units = unit_cycles(sum, model_);
    all.unit = static_cast<size_t>(std::max_element(units.begin(), units.end()) - units.begin());
    return all;
}

LaunchPrediction LaunchCosts::predict() const {
    const std::lock_guard lock(mutex_);
    const Whole all = whole();
    LaunchPrediction result = predict(costs_, all);
    result.achieved_occupancy_percent = 100 * achieved_occupancy(result);
    add_places(result, all);
    return result;
}

LaunchPrediction LaunchCosts::predict(const Costs& costs, const Whole& all) const {
    LaunchPrediction result;
    result.blocks = double(grid_.x) * grid_.y * grid_.z;
    result.threads_per_block = double(block_.x) * block_.y * block_.z;
    BlockCost sum;
    double hot_operations = 0;
    for (const auto& [block, cost] : costs) {
        sum += cost;
        for (const auto& [address, count] : cost.contended) hot_operations += address == all.hottest ? count : 0;
    }
    const double sampled = std::max<double>(1, static_cast<double>(costs.size())), scale = result.blocks / sampled;
    result.shared_bytes = all.shared_bytes;
    result.resident_blocks = resident_blocks(result.shared_bytes);
    const double on_gpu = result.resident_blocks * model_.multiprocessors;
    result.instructions = (integer_weight * sum.integer + loop_weight * sum.loop_integer + turn_weight * sum.turns +
                           sum.single + sum.double_ + sum.special + sum.accesses + sum.exchanges + sum.barriers) *
                          scale;
    result.special = sum.special * scale;
    result.wavefronts = (sum.global_wavefronts + sum.shared_wavefronts) * scale;
    result.asked_bytes = sum.asked_sectors * scale * 32;
    result.l2_bytes = (sum.missed_sectors + sum.stored_sectors + sum.atomic_sectors) * scale * 32;
    result.hot_operations = hot_operations * scale;

    const bool is_whole = &costs == &costs_;
    const Footprint loaded = is_whole ? all.loaded : footprint(costs, &BlockCost::loaded, on_gpu);
    const Footprint stored = is_whole ? all.stored : footprint(costs, &BlockCost::stored, on_gpu);
    const double l2_bytes = model_.l2_mib * (1 << 20);
    const double waves = std::max(1.0, result.blocks / on_gpu);
    // Half of the L2 cache belongs to either half of the GPU, and what both need is in both.
    const double l2_sectors = l2_bytes / 32, effective = 0.4 * l2_sectors;
    const bool keeps_all = all.loaded.whole + all.stored.whole <= l2_sectors;
    const double asked = sum.missed_sectors * scale, once = std::min(loaded.whole, asked);
    const double loads = keeps_all ? once : std::min(std::max(loaded.whole, loaded.wave * waves), asked);
    // Sectors that blocks far apart share are there again only by chance, and come in pieces of 64 bytes. (The rounds of
    // blocks count the same loads in another way: the larger number is taken, not both.)
    const double again = std::max(0.0, loaded.touched - loaded.whole) * std::max(0.0, 1 - effective / all.loaded.whole);
    const double piece = sum.missed_sectors > 0 ? 2 * sum.missed_pairs / sum.missed_sectors : 1;
    const double of_stored = all.stored.whole > 0 ? stored.whole / all.stored.whole : 0;
    const double written_back = std::max(0.0, all.stored.whole * 32 - l2_bytes / 2) * of_stored;
    result.dram_bytes = std::max(loads, once + (keeps_all ? 0 : again * piece)) * 32 + written_back;

    const double in_use = std::min(result.blocks, model_.multiprocessors);
    const double cycle_ns = 1e3 / model_.clock_mhz, per_multiprocessor = cycle_ns / in_use;
    const auto part = [&](Limiter limiter) -> double& { return result.parts_ns[static_cast<int>(limiter)]; };
    part(Limiter::dram) = result.dram_bytes / model_.dram_gbyte_per_s;
    part(Limiter::l2) = (result.l2_bytes - sum.partial_sectors * scale * 32) / (l2_efficiency * model_.l2_gbyte_per_s) +
                        sum.partial_sectors * scale / model_.partial_stores_per_cycle * per_multiprocessor;
    part(Limiter::l1) = result.wavefronts / model_.wavefronts_per_cycle * per_multiprocessor;
    part(Limiter::issue) = result.instructions / model_.issue_per_cycle * per_multiprocessor;
    part(Limiter::unit) = unit_cycles(sum, model_)[all.unit] * scale * per_multiprocessor;
    part(Limiter::atomics) = result.hot_operations * model_.atomic_ns;
    const double from_dram = sum.missed_sectors > 0 ? std::min(1.0, loads / (sum.missed_sectors * scale)) : 0;
    result.dram_cycles = (model_.dram_latency - model_.l2_latency) * from_dram;
    part(Limiter::latency) =
        ((chain_weight * sum.chain + sum.waits_for_l2 * result.dram_cycles) / sampled + start_cycles) * waves *
        cycle_ns;
    const double starts_ns = result.blocks * model_.block_ns;
    part(Limiter::launch) = starts_ns + model_.next_launch_ns + fetch_ns;

    double total = std::pow(starts_ns, norm);
    for (int i = 0; i < static_cast<int>(Limiter::launch); ++i) total += std::pow(result.parts_ns[i], norm);
    result.ns = std::pow(total, 1 / norm) + model_.next_launch_ns + fetch_ns;
    const auto* const largest = std::max_element(std::begin(result.parts_ns), std::end(result.parts_ns));
    result.limiter = static_cast<Limiter>(largest - result.parts_ns);
    const Interval interval = interval_of(result.limiter, model_);
    result.low_ns = result.ns * interval.low;
    result.high_ns = result.ns * interval.high;
    if (result.limiter == Limiter::l1 && sum.shared_wavefronts > sum.global_wavefronts)
        result.limiter = Limiter::shared;
    return result;
}

// The blocks of the sample stand for all, in turn. Atomic operations are not waited for, and barriers keep the warps of a
// block together.
double LaunchCosts::achieved_occupancy(const LaunchPrediction& of) const {
    if (costs_.empty()) return 0;
    Residency residency;
    residency.blocks = of.blocks;
    residency.warps_per_block = std::ceil(of.threads_per_block / lanes_of_warp);
    residency.multiprocessors = model_.multiprocessors;
    residency.blocks_per_multiprocessor = of.resident_blocks;
    residency.warps_per_multiprocessor = model_.threads_per_multiprocessor / lanes_of_warp;
    residency.start_ns = model_.block_ns;
    residency.whole_ns = of.ns - model_.next_launch_ns - fetch_ns;
    double barriers = 0;
    for (const auto& [block, cost] : costs_) {
        const double before = chain_weight * cost.chain + cost.waits_for_l2 * of.dram_cycles;
        const double cycles = before + start_cycles;
        residency.stays.push_back({cycles * 1e3 / model_.clock_mhz, (before * cost.of_warps + start_cycles) / cycles});
        barriers += cost.barriers;
    }
    for (const Limiter limiter : {Limiter::dram, Limiter::l2, Limiter::l1, Limiter::issue, Limiter::unit})
        residency.served_ns = std::max(residency.served_ns, of.parts_ns[static_cast<int>(limiter)]);
    residency.served_ns *= barriers > 0 ? 0 : std::min(of.blocks, model_.multiprocessors) / of.blocks;
    return check::achieved_occupancy(residency);
}

// The time is a norm of the parts, so that each adds to it by its power: the largest adds most. A place's share of a part
// is what the part would be for that place alone, beside those of the others.
void LaunchCosts::add_places(LaunchPrediction& result, const Whole& all) const {
    Costs none;
    for (const auto& [block, cost] : costs_) none.emplace_back(block, BlockCost());
    std::map<uint64_t, std::pair<PlaceTime, Costs>> places;
    for (size_t i = 0; i < costs_.size(); ++i) {
        for (const PlaceCost& of : costs_[i].second.places) {
            const auto [place, is_new] = places.try_emplace(of.place.word(), PlaceTime{of.place, of.file, 0}, none);
            place->second.second[i].second = of.cost;
        }
    }
    if (places.empty()) return;
    const LaunchPrediction start = predict(none, all);
    std::vector<LaunchPrediction> alone;
    for (auto& [word, place] : places) {
        result.places.push_back(place.first);
        alone.push_back(predict(place.second, all));
    }
    const double time_ns = result.ns - model_.next_launch_ns - fetch_ns;
    for (int i = 0; i < static_cast<int>(Limiter::launch); ++i) {
        const double part_ns = result.parts_ns[i], start_ns = start.parts_ns[i];
        double sum = 0;
        for (const LaunchPrediction& place : alone) sum += place.parts_ns[i] - start_ns;
        if (sum <= 0) continue;
        const double to_share = time_ns * std::pow(part_ns / time_ns, norm) * (part_ns - start_ns) / part_ns;
        for (size_t place = 0; place < alone.size(); ++place)
            result.places[place].ns += to_share * (alone[place].parts_ns[i] - start_ns) / sum;
    }
}

}  // namespace simt::check
