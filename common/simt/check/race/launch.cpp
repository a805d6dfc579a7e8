// SPDX-License-Identifier: MIT
#include "common/simt/check/race/launch.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/memory.hpp"
#include "common/simt/check/race/place.hpp"

namespace simt::check {
namespace {

// The number of executions remembered; anything older counts as ordered.
constexpr size_t remembered_executions = 1 << 16;

uint32_t block_count_of(const LaunchCheck& launch) {
    constexpr uint64_t most = 1 << 30;
    return static_cast<uint32_t>(std::min(most, uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z));
}

// Why the race is less than an error.
const char* reason_of(const Race& race) {
    const bool is_trying = tried_read(race.clash) != 0;
    switch (race.severity) {
        case Severity::error: return nullptr;
        case Severity::warning:
            return is_trying
                       ? "A plain read may see any value that other threads' atomic operations leave"
                       : "Both threads are in one warp, whose lanes need not advance in lockstep: __syncwarp() orders "
                         "them, and simcc --schedule lockstep runs them as GPUs before Volta did";
        case Severity::info:
            return is_trying ? "The reading thread then makes an atomic operation, which reads the value again"
                             : "The same value is written";
    }
    return nullptr;
}

const char* name_of_access(bool is_store, AccessKind kind, bool is_write) {
    if (is_atomic(kind)) return "Atomic access";
    return is_store || is_write ? "Write access" : "Read access";
}

Finding finding_of(const Race& race, const std::string& kernel) {
    const auto& [earlier, earlier_is_store, current, earlier_lane] = race.clash;
    const BlockNumbers numbers = LaunchHistory::numbers_of(current.record.owner());
    const BlockNumbers others = LaunchHistory::numbers_of(earlier.owner());
    Finding finding;
    finding.tool = Tool::racecheck;
    finding.severity = race.severity;
    finding.title = "Race reported";
    // In a race of two kernels, either may be the second; name the same one in both cases.
    finding.kernel = std::min(others.kernel, kernel);
    finding.sides = {side_of(others, name_of_access(earlier_is_store, earlier.kind(), false), earlier.place(),
                             earlier.owner(), earlier_lane),
                     side_of(numbers, name_of_access(false, current.kind, current.is_write), current.record.place(),
                             current.record.owner(), {current.lane})};
    if (race.clash.earlier_comes_second()) std::swap(finding.sides[0], finding.sides[1]);
    char where[80];
    std::snprintf(where, sizeof where, "Address 0x%zx in %s memory", static_cast<size_t>(current.address),
                  current.is_shared ? "__shared__" : "__global__");
    finding.details.push_back(where);
    if (earlier.has(ShadowRecord::pending) && earlier_is_store) {
        finding.details.push_back("The write is an asynchronous copy that has not been waited for");
    }
    if (is_atomic(earlier.kind()) && current.kind != AccessKind::plain && current.is_too_narrow_for(earlier)) {
        finding.details.push_back("The scope of an atomic operation is too narrow: it is atomic only within its block");
    }
    if (const char* const reason = reason_of(race)) finding.details.push_back(reason);
    finding.times = race.count;
    return finding;
}

void add_to(std::map<RaceKey, Race>& races, const RaceKey& key, const Race& race) {
    const auto [position, is_new] = races.try_emplace(key, race);
    if (is_new) return;
    Race& known = position->second;
    const uint64_t count = known.count + race.count;
    if (race.speaks_for(known)) known = race;
    known.count = count;
}

}  // namespace

uint64_t tried_read(const Clash& clash) {
    const auto& [earlier, earlier_is_store, current, earlier_lane] = clash;
    if (earlier_is_store || current.bytes > 8 || current.address % current.bytes) return 0;
    // (If the bytes of a word have records of their own, these do not say how wide the access was.)
    const unsigned bytes = bytes_in_word(current.word, current.address, current.address + current.bytes);
    const bool is_one_byte = (earlier.bytes() & (earlier.bytes() - 1)) == 0;
    if (earlier.bytes() != bytes && !(bytes != 15 && is_one_byte)) return 0;
    if (earlier.kind() == AccessKind::plain && is_atomic(current.kind)) return earlier.place();
    if (is_atomic(earlier.kind()) && current.kind == AccessKind::plain && !current.is_write) {
        return current.record.place();
    }
    return 0;
}

Side side_of(const BlockNumbers& launch, const char* what, uint64_t place, uint32_t owner, const RecordedLane& lane) {
    const auto position = [](uint64_t rank, const Extent& extent) {
        Extent result;
        result.x = static_cast<unsigned>(rank % extent.x);
        result.y = static_cast<unsigned>(rank / extent.x % extent.y);
        result.z = static_cast<unsigned>(rank / extent.x / extent.y);
        return result;
    };
    Side side;
    side.what = what;
    side.place.pc = pc_of(place);
    side.who.thread = position(lane.lane, launch.block);
    if (lane.is_any_of_warp) side.who.warp = lane.lane / 32;
    side.who.block = position(owner - launch.first, launch.grid);
    return side;
}

RaceLaunch::RaceLaunch(const LaunchCheck& launch, const OrderPointer& order)
    : launch_(launch),
      order_(order ? std::make_shared<const OperationOrder>(*order) : nullptr),
      block_count_(block_count_of(launch)),
      execution_(LaunchHistory::instance().next_execution()) {
    known_ = known_at_start(order_);
    ordered_below_ = LaunchHistory::instance().ordered_below(order_);
    const uint32_t first = first_block(0);
    if (ordered_below_ == 0 || ordered_below_ > first) ordered_below_ = first;
}

uint32_t RaceLaunch::first_block(unsigned generation) {
    const std::lock_guard lock(mutex_);
    while (first_blocks_.size() <= generation) {
        first_blocks_.push_back(LaunchHistory::instance().take_numbers(
            {0, block_count_, execution_, order_, launch_.kernel, launch_.grid, launch_.block}));
    }
    return first_blocks_[generation];
}

bool RaceLaunch::comes_after_block(uint32_t owner, uint32_t own_first) const {
    const auto other = LaunchHistory::instance().find(owner);
    if (!other) return true;
    if (other->execution == execution_) return other->first < own_first;
    return !order_ || !other->order || order_->comes_after(*other->order);
}

std::shared_ptr<const LogRanges> RaceLaunch::known() {
    const std::lock_guard lock(mutex_);
    return known_;
}

// Leaves out what the launch's own threads or earlier launches have published in the variable, and what counts only
// within a block.
void RaceLaunch::add_learned(const std::shared_ptr<const LogRanges>& learned) {
    if (!learned || !order_) return;
    LogRanges news;
    for (LogRange range : *learned) {
        if (range.reach == check::Reach::block) continue;
        range.reader = 0;
        if (range.log->tells_of_others(range, *order_)) add_range(news, range);
    }
    if (news.empty()) return;
    const std::lock_guard lock(mutex_);
    known_ = joined(known_, std::make_shared<const LogRanges>(std::move(news)));
}

std::shared_ptr<const LogRanges> RaceLaunch::known_at_end() {
    const std::lock_guard lock(mutex_);
    if (!known_) return nullptr;
    auto known = std::make_shared<LogRanges>();
    for (LogRange range : *known_) {
        if (range.if_flag.block && !is_flag(std::exchange(range.if_flag, {}))) continue;
        add_range(*known, range);
    }
    return known;
}

void RaceLaunch::add(const RaceKey& key, const Race& race) {
    const std::lock_guard lock(mutex_);
    add_to(races_, key, race);
}

void RaceLaunch::count(const RaceKey& key, uint64_t times, Severity severity) {
    const std::lock_guard lock(mutex_);
    Race& known = races_[key];
    known.count += times;
    known.severity = std::min(known.severity, severity);
}

void RaceLaunch::add_trying_read(uint64_t place) {
    const std::lock_guard lock(mutex_);
    trying_reads_.insert(place);
}

void RaceLaunch::add_shared_flag(const PossibleFlag& flag) {
    const std::lock_guard lock(mutex_);
    shared_flags_.insert(flag);
}

bool RaceLaunch::is_flag(const PossibleFlag& flag) const {
    return flag.block ? shared_flags_.contains(flag) : race_memory().polled_variables.contains(flag.address);
}

// The races that remain become one per pair of places.
void RaceLaunch::forget_races_of_flags() {
    std::map<RaceKey, Race> remaining;
    for (const auto& [key, race] : races_) {
        if (key.unless_flag.address && is_flag(key.unless_flag)) continue;
        add_to(remaining, {key.places, key.kinds, {}}, race);
    }
    races_ = std::move(remaining);
}

void RaceLaunch::report_races() {
    const std::lock_guard lock(mutex_);
    forget_races_of_flags();
    for (auto& [key, race] : races_) {
        if (trying_reads_.contains(tried_read(race.clash))) race.severity = Severity::info;
        Finding finding = finding_of(race, launch_.kernel);
        finding.backtrace = launch_.host_backtrace;
        finding.backtrace_time = "at kernel launch time";
        report(std::move(finding));
    }
    races_.clear();
}

void RaceLaunch::add_foreign(ForeignRange range) {
    constexpr size_t most_ranges = 4096;
    const std::lock_guard lock(mutex_);
    // The host reads an array element by element.
    if (!foreign_.empty() && foreign_.back().goes_on_with(range)) foreign_.back().bytes += range.bytes;
    else if (foreign_.size() < most_ranges) foreign_.push_back(std::move(range));
    has_foreign_.store(true, std::memory_order_release);
}

LaunchHistory& LaunchHistory::instance() {
    static LaunchHistory& history = *new LaunchHistory;
    return history;
}

uint64_t LaunchHistory::next_execution() {
    const std::lock_guard lock(mutex_);
    return ++executions_;
}

uint32_t LaunchHistory::take_numbers(BlockNumbers numbers) {
    const std::lock_guard lock(mutex_);
    if (numbers.count > UINT32_MAX - next_) {
        std::fprintf(stderr,
                     "simcc: racecheck: 4 billion blocks have run; their accesses are forgotten, so that races of "
                     "later launches with them are not found\n");
        race_memory().forget();
        learned_.clear();
        numbers_.clear();
        of_stream_.clear();
        next_ = 1;
    }
    numbers.first = next_;
    next_ += numbers.count;
    if (numbers.order && (!numbers.order->parent || numbers.order->is_graph_node)) {
        const OperationOrder& of_host = numbers.order->of_host();
        auto& of_stream = of_stream_[of_host.stream];
        of_stream.push_back({of_host.sequence, numbers.first, numbers.order});
        if (of_stream.size() > remembered_executions) of_stream.pop_front();
    }
    const uint32_t first = numbers.first;
    numbers_.push_back(std::move(numbers));
    if (numbers_.size() > remembered_executions) numbers_.pop_front();
    return first;
}

uint32_t LaunchHistory::ordered_below(const OrderPointer& order) const {
    const std::lock_guard lock(mutex_);
    uint32_t lowest = next_;
    if (!order) return lowest;
    const OperationOrder& of_host = order->of_host();
    for (const auto& [stream, launches] : of_stream_) {
        const bool is_own = stream == of_host.stream;
        const uint64_t last = is_own ? of_host.sequence : of_host.last_before(stream) + 1;
        for (auto launch = launches.rbegin(); launch != launches.rend() && launch->sequence >= last; ++launch) {
            // (What a grid starts comes neither after its ancestors nor after everything that they have started.)
            const bool is_before = is_own && launch->sequence == last && (!order->parent || order->is_graph_node) &&
                                   order->comes_after(*launch->order);
            if (!is_before) lowest = std::min(lowest, launch->first);
        }
    }
    return lowest;
}

BlockNumbers LaunchHistory::numbers_of(uint32_t owner) { return instance().find(owner).value_or(BlockNumbers()); }

std::optional<BlockNumbers> LaunchHistory::find(uint32_t owner) const {
    const std::lock_guard lock(mutex_);
    const auto next = std::upper_bound(numbers_.begin(), numbers_.end(), owner,
                                       [](uint32_t number, const BlockNumbers& one) { return number < one.first; });
    if (next == numbers_.begin() || !std::prev(next)->contains(owner)) return std::nullopt;
    return *std::prev(next);
}

std::vector<BlockNumbers> LaunchHistory::unordered_with(const OrderPointer& order) const {
    const uint32_t lowest = ordered_below(order);
    const std::lock_guard lock(mutex_);
    std::vector<BlockNumbers> result;
    for (auto one = numbers_.rbegin(); one != numbers_.rend() && one->first >= lowest; ++one) {
        if (order && one->order && !order->comes_after(*one->order)) result.push_back(*one);
    }
    return result;
}

std::shared_ptr<const LogRanges> LaunchHistory::learned_before(const OperationOrder& order) const {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const LogRanges> all;
    for (const auto& [stream, launches] : learned_) {
        // (What one node of a graph has learned counts for all that follow, even for nodes that do not depend on it.)
        const uint64_t last = stream == order.stream ? order.sequence : order.last_before(stream);
        const auto next = std::upper_bound(launches.begin(), launches.end(), last,
                                           [](uint64_t sequence, const auto& one) { return sequence < one.first; });
        if (next != launches.begin()) all = joined(all, std::prev(next)->second);
    }
    if (!all) return all;
    auto news = std::make_shared<LogRanges>();
    for (const LogRange& range : *all) {
        if (range.log->tells_of_others(range, order)) add_range(*news, range);
    }
    return news->empty() ? nullptr : news;
}

void LaunchHistory::began(RaceLaunch& launch) {
    // If a program never waits for its launches, not everything is remembered.
    constexpr size_t most_entries = 1 << 18;
    const bool is_of_host = !launch.order() || !launch.order()->parent;
    if (is_of_host && SyncLog::entries() > most_entries) forget_learned();
    const std::lock_guard lock(mutex_);
    running_.push_back(&launch);
}

void LaunchHistory::ended(RaceLaunch& launch) {
    const auto known = launch.known_at_end();
    const std::lock_guard lock(mutex_);
    std::erase(running_, &launch);
    if (!known) return;
    const OperationOrder& order = launch.order()->of_host();
    auto& of_stream = learned_[order.stream];
    if (of_stream.empty() || of_stream.back().first != order.sequence) of_stream.emplace_back(order.sequence, known);
    else of_stream.back().second = joined(of_stream.back().second, known);
}

// (Children may read the variables in which their ancestors have published something, so all must have ended.)
void LaunchHistory::forget_learned() {
    const std::lock_guard lock(mutex_);
    if (!running_.empty()) return;
    learned_.clear();
    race_memory().sync_variables.forget();
}

void LaunchHistory::warn_running(const OrderPointer& order, const ForeignRange& range) {
    const std::lock_guard lock(mutex_);
    for (RaceLaunch* launch : running_) {
        if (launch->order() && !order->comes_after(*launch->order())) launch->add_foreign(range);
    }
}

}  // namespace simt::check
