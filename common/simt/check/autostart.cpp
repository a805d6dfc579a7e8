// Linked into programs that simcc --check has built: the watch begins before main() and ends after it.
//   SIMCC_CHECK     the checks: a list, or none; unset: the four tools
//   SIMCC_SCHEDULE  the schedule
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "common/simt/check/settings.hpp"

// Checked objects refer to it, which is what brings this file into a program.
extern "C" int simt_check_autostart;
int simt_check_autostart = 1;

namespace simt::checking {
namespace {

constexpr int exit_status_of_findings = 86;

void end_of_program() {
    std::fflush(nullptr);
    if (finish() > 0) _exit(exit_status_of_findings);
}

void complain(const char* variable, const std::string& wrong) {
    if (wrong.empty()) return;
    std::fprintf(stderr, "simcc: %s: %s\n", variable, wrong.c_str());
    std::exit(2);
}

__attribute__((constructor)) void begin_of_program() {
    Settings settings;
    const char* const checks = std::getenv("SIMCC_CHECK");
    const char* const schedule = std::getenv("SIMCC_SCHEDULE");
    complain("SIMCC_CHECK", parse_checks(checks ? checks : "all", settings));
    if (schedule) complain("SIMCC_SCHEDULE", parse_schedule(schedule, settings));
    start(settings);
    std::atexit(end_of_program);
}

}  // namespace
}  // namespace simt::checking
