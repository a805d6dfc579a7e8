// The collectives that a prediction needs, timed on the gangs at hand.
#pragma once

#include <map>
#include <vector>

#include "common/gang/devices.cuh"
#include "common/gang/model.hpp"

namespace BACKEND {

// What exchanges take, by their operation.
class Exchanges {
public:
    // With a table of terms nothing is timed.
    explicit Exchanges(Run& run);

    // Times, on this gang, operations with as many bytes as these have, from the fewest to the most.
    void measure(Gang& gang, Bench& bench, const std::vector<Exchange>& wanted);

    // Of an exchange, from what smaller gangs took; the terms that they do not show are defaults.
    double predicted_ns(const Exchange& exchange, size_t ranks);

private:
    void measure(Gang& gang, Bench& bench, const CollectiveShape& shape);
    ExchangeTerms measured_terms(const Exchange& exchange, size_t ranks);

    Run& run_;
    const ExchangeTerms known_;
    std::map<Collective, ExchangeTerms> given_;
    std::map<Collective, std::vector<TimedExchange>> rows_;
    std::map<Collective, bool> said_;
};

}  // namespace BACKEND
