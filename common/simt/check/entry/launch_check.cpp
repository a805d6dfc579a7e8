// SPDX-License-Identifier: MIT
#include "common/simt/check/core/launch_check.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/counters/launch.hpp"
#include "common/simt/check/entry/checked_block.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/streams.hpp"

namespace simt::check {

std::shared_ptr<LaunchObserver> check_launch(const Launch& launch, const void* stream) {
    if (!launch.checked) return nullptr;
    static std::atomic<uint64_t> launches{0};
    auto check = std::make_shared<LaunchCheck>();
    check->kernel = launch.name;
    check->serial = ++launches;
    check->grid = launch.grid;
    check->block = launch.block;
    check->dynamic_shared_bytes = launch.dynamic_shared_bytes;
    check->stream = stream;
    if (current_check) {  // launched by a kernel: both go back to the same launch on the host
        check->host_backtrace = current_check->launch().host_backtrace;
    } else if (settings().any_check()) {
        check->host_backtrace = host_backtrace();
    }
    if (settings().counters) check->counters = std::make_shared<LaunchCounters>();
    return check;
}

std::unique_ptr<BlockObserver> LaunchCheck::observe(ResidentBlock& block_of_worker) {
    return std::make_unique<CheckedBlock>(block_of_worker);
}

uint64_t LaunchCheck::block_at(uint64_t index, uint64_t count) const { return random_block(index, count); }

void LaunchCheck::began() {
    if (!settings().racecheck) return;
    races = std::make_shared<RaceLaunch>(*this, current_operation());
    LaunchHistory::instance().began(*races);
    add_foreign_ranges(*races);
}

int LaunchCheck::ended() {
    if (races) {
        races->report_races();
        LaunchHistory::instance().ended(*races);
    }
    print_findings();
    if (counters) keep_counters(*this);
    return error;
}

}  // namespace simt::check
