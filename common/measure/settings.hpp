// How a run measures: plain data, which the command line fills in.
#pragma once

#include <cstdint>
#include <string>

#include "common/simt/check/core/settings.hpp"

struct MeasureSettings {
    unsigned block = 256;  // threads per block
    int warmup = 3;
    int samples = 30;
    double max_ci_percent = 1;  // sampling ends when the median's interval is within this; 0: it does not
    double timeout_s = 15;
    bool cold_cache = true;
    bool header = true;
    bool raw = false;  // a row per sample
    bool ladder = false;
    std::string versus;  // the peer's variant name
    std::uint64_t seed = 42;
    bool verify = true;
    double tolerance = 0;            // 0: from n, type and operation
    bool profile = false;            // one launch of each variant
    simt::checking::Settings watch;  // what the checked simulator does; it is used if that is anything at all
    bool by_line = false;            // counters: a row per source line
    bool annotate = false;           // counters: the source with its lines' counters
};
