#include "common/simt/check/core/launch_watch.hpp"

#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/counters/launch.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/race/streams.hpp"
#include "common/simt/check/core/symbols.hpp"

namespace simt::checking {

std::shared_ptr<LaunchWatch> watch_launch(const Launch& launch, const void* stream) {
    if (!launch.checked || !is_watching()) return nullptr;
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

void launch_begins(LaunchWatch& launch) {
    if (!settings().racecheck) return;
    launch.races = std::make_shared<RaceLaunch>(launch, current_operation());
    LaunchHistory::instance().began(*launch.races);
    add_foreign_ranges(*launch.races);
}

void launch_ends(LaunchWatch& launch) {
    if (launch.races) {
        launch.races->report_races();
        LaunchHistory::instance().ended(*launch.races);
    }
    print_findings();
    if (launch.counters) keep_counters(launch);
}

}  // namespace simt::checking
