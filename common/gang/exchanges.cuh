// SPDX-License-Identifier: MIT
// The collectives that a prediction needs, timed on the gangs at hand.
#pragma once

#include <map>
#include <vector>

#include "common/gang/devices.cuh"
#include "common/gang/model.hpp"

namespace BACKEND {

// How long exchanges take, by operation.
class Exchanges {
public:
    // If the settings name a table of terms, nothing is timed.
    explicit Exchanges(Run& run);

    // Times the operations of `wanted` on this gang: the fewest and the most bytes, and between if these differ much.
    void measure(Gang& gang, Bench& bench, const std::vector<Exchange>& wanted);

    // Predicts an exchange from the table of terms, or else from the times of smaller gangs; terms that these do not
    // determine keep their defaults. Throws Failure(bad_input) if the table lacks the operation.
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
