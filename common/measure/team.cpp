// SPDX-License-Identifier: MIT
#include "common/measure/team.hpp"

#include <algorithm>
#include <cstring>

Team::~Team() = default;
void Team::gather_by(Gather) {}
Exit Team::fail(const std::string&, Exit exit) { return exit; }

Team& Team::alone() {
    static Team one;
    return one;
}

double Team::longest(double mine) {
    if (processes() == 1) return mine;
    std::string bytes(sizeof mine, '\0');
    std::memcpy(bytes.data(), &mine, sizeof mine);
    for (const std::string& one : gather(bytes)) {
        double other = 0;
        std::memcpy(&other, one.data(), std::min(one.size(), sizeof other));
        mine = std::max(mine, other);
    }
    return mine;
}

bool Team::any(bool mine) { return longest(mine) > 0; }
