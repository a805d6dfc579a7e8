// SPDX-License-Identifier: MIT
// How programs with gangs join processes: the value of Program::join.
#pragma once

#include <memory>

#include "common/measure/team.hpp"

// The team of this process, if a launcher has started several; else null.
std::unique_ptr<GangTeam> join_process_team(const Joining& with);
