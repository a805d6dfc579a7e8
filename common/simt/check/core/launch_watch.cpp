#include "common/simt/check/core/launch_watch.hpp"

#include "common/simt/check/core/block_watch.hpp"
#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/counters/launch.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/race/streams.hpp"
#include "common/simt/check/core/symbols.hpp"

namespace simt::checking {

std::shared_ptr<LaunchObserver> watch_launch(const Launch& launch, const void* stream) {
    if (!launch.checked) return nullptr;
    static std::atomic<uint64_t> launches{0};
    auto watch = std::make_shared<LaunchWatch>();
    watch->kernel = launch.name;
    watch->serial = ++launches;
    watch->grid = launch.grid;
    watch->block = launch.block;
    watch->dynamic_shared_bytes = launch.dynamic_shared_bytes;
    watch->stream = stream;
    if (settings().any_check()) watch->host_backtrace = host_backtrace();
    if (settings().counters) watch->counters = std::make_shared<LaunchCounters>();
    return watch;
}

std::unique_ptr<BlockObserver> LaunchWatch::observe(ResidentBlock& block_of_worker) {
    return std::make_unique<BlockWatch>(block_of_worker);
}

uint64_t LaunchWatch::block_at(uint64_t index, uint64_t count) const { return random_block(index, count); }

void LaunchWatch::began() {
    if (!settings().racecheck) return;
    races = std::make_shared<RaceLaunch>(*this, current_operation());
    LaunchHistory::instance().began(*races);
    add_foreign_ranges(*races);
}

int LaunchWatch::ended() {
    if (races) {
        races->report_races();
        LaunchHistory::instance().ended(*races);
    }
    print_findings();
    if (counters) keep_counters(*this);
    return error;
}

}  // namespace simt::checking
