// SPDX-License-Identifier: MIT
// The cost of collectives by the alpha-beta model: a message takes a latency plus its bytes divided by the bandwidth.
// The terms are fitted to the gangs at hand, to predict larger ones.
//
// R. W. Hockney, The communication challenge for MPP, Parallel Computing 20, 1994. R. Thakur, R. Rabenseifner, W.
// Gropp, Optimization of collective communication operations in MPICH, IJHPCA 19, 2005. The steps are those of NCCL's
// rings and trees, as it estimates them itself (src/graph/tuning.cc).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/gang/operations.hpp"
#include "common/measure/settings.hpp"

// One collective operation of a gang. `bytes` is the size of a rank's larger buffer.
struct Exchange {
    Collective operation;
    double bytes;
};

// A message over a link takes latency_ns + bytes / gbyte_per_s.
struct Link {
    double latency_ns, gbyte_per_s;
};

// The defaults are those of all-reduces on two H200s in one process, except for the latency, which is what NCCL assumes
// for short messages over NVLink.
struct ExchangeTerms {
    double start_ns = 6'000;      // from the end of the preceding work to the first message: once per operation
    Link nvlink = {600, 327};     // between the GPUs of a machine
    Link network = {};            // of each GPU, between machines
    std::size_t per_machine = 1;  // GPUs
    bool latency_is_default = true, bandwidth_is_default = true;  // of nvlink: not measured
};

ExchangeTerms default_terms(const PredictSettings& settings);

// The time of an operation on `ranks` devices; 0 for one.
double exchange_ns(const Exchange& exchange, std::size_t ranks, const ExchangeTerms& terms);

// A measured exchange between devices of one machine.
struct TimedExchange {
    Exchange exchange;
    std::size_t ranks;
    double ns;
};

// Fits the terms of one operation by least squares of the relative errors; none is negative. Terms that the rows do not
// determine are those of `known`: the latency unless the numbers of steps differ, the bandwidth unless the bytes differ
// by a factor of 16, the network always, and everything if there are no rows.
ExchangeTerms fitted(const std::vector<TimedExchange>& rows, const ExchangeTerms& known);

// By how much the predicted time of a row exceeds the measured one, in percent of the latter.
double error_percent(const TimedExchange& row, const ExchangeTerms& terms);

// Reads a table of collective --fit: the terms by operation, with the rest from `known`. Throws Failure(bad_input) if
// the file is no such table.
std::map<Collective, ExchangeTerms> read_terms(const std::string& path, const ExchangeTerms& known);
