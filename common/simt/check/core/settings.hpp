// What the checked simulator is asked to do: chosen once, before the first call of the runtime API.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/simt/exec/schedule.hpp"

namespace simt::check {

struct Settings {
    bool memcheck = false, racecheck = false, initcheck = false, synccheck = false;
    bool leakcheck = false;    // memcheck also reports what was not freed
    bool unusedcheck = false;  // initcheck also reports memory that was never used
    bool counters = false;
    Schedule schedule = Schedule::independent;  // with counters always this one: they put the lanes together again
    uint64_t seed = 0;
    unsigned print_limit = 100;  // findings that are printed; all are counted

    bool any_check() const { return memcheck || racecheck || initcheck || synccheck; }
    bool any() const { return any_check() || counters; }
};

// Reads "memcheck,racecheck" ("" and "all": the four tools) and "random:42" into settings. Returns what is wrong with the
// words, or "".
std::string parse_checks(std::string_view words, Settings& settings);
std::string parse_schedule(std::string_view words, Settings& settings);

// Begins to check. To be called before any memory is allocated; a second call changes nothing.
void start(const Settings& settings);

// Ends checking: reports what is known only now (leaks), prints the summary to standard error, and returns the number
// of findings.
uint64_t finish();

// The settings in force; all off before start(). Cheap: to be asked anywhere.
extern Settings current_settings;
inline const Settings& settings() { return current_settings; }
inline bool is_checking() { return current_settings.any(); }

}  // namespace simt::check
