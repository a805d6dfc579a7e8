// What collectives cost by the alpha-beta model, in which a message takes a latency and its bytes by the bandwidth: with
// terms fitted to the gangs at hand it goes beyond them.
//
// R. W. Hockney, The communication challenge for MPP, Parallel Computing 20, 1994. R. Thakur, R. Rabenseifner, W. Gropp,
// Optimization of collective communication operations in MPICH, IJHPCA 19, 2005. The steps are those of NCCL's rings and
// trees, as it estimates them itself (src/graph/tuning.cc).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/gang/operations.hpp"
#include "common/measure/settings.hpp"

// What the devices of a gang do together once: `bytes` is the larger buffer of a rank.
struct Exchange {
    Collective operation;
    double bytes;
};

// A message over a link takes latency_ns + bytes / gbyte_per_s.
struct Link {
    double latency_ns, gbyte_per_s;
};

// By default those of all-reduces on two H200s in one process, but for the latency, which is the one that NCCL assumes of
// NVLink for short messages.
struct ExchangeTerms {
    double start_ns = 6'000;      // from the end of the work before to the first message: once for an operation
    Link nvlink = {600, 327};     // between the GPUs of a machine
    Link network = {};            // of each GPU, between machines
    std::size_t per_machine = 1;  // GPUs
    bool latency_is_default = true, bandwidth_is_default = true;  // of nvlink: not measured
};

ExchangeTerms default_terms(const PredictSettings& settings);

// Of an operation on so many devices. Nothing for one.
double exchange_ns(const Exchange& exchange, std::size_t ranks, const ExchangeTerms& terms);

// A measured exchange, of devices in one machine.
struct TimedExchange {
    Exchange exchange;
    std::size_t ranks;
    double ns;
};

// The terms of one operation whose relative errors have the least squares; none is negative. What the rows do not show
// stays as it is in `known`: the latency unless the numbers of steps differ, the bandwidth unless the bytes differ by a
// factor of 16, the network, and without rows all.
ExchangeTerms fitted(const std::vector<TimedExchange>& rows, const ExchangeTerms& known);

// How far the terms are from a row, in percent of the measured time.
double error_percent(const TimedExchange& row, const ExchangeTerms& terms);

// The rows of collective --fit, by operation, with the rest from `known`. Failure(bad_input) if the file is no such table.
std::map<Collective, ExchangeTerms> read_terms(const std::string& path, const ExchangeTerms& known);
