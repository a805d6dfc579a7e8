// --fit: what an operation costs by the model of common/gang/model.hpp, instead of a row per size.
#pragma once

#include <map>
#include <vector>

#include "common/cli/session.hpp"
#include "common/gang/model.hpp"

// A row for each operation; read_terms() reads them.
void print_fits(Session& session, const std::map<Collective, std::vector<TimedExchange>>& rows);
