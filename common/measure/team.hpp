// SPDX-License-Identifier: MIT
// The processes that measure together, started by a launcher such as mpirun. This class is a single process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/io/failure.hpp"

class Team {
public:
    using Gather = std::function<std::vector<std::string>(const std::string& mine)>;

    virtual ~Team();
    virtual std::size_t process() const { return 0; }
    virtual std::size_t processes() const { return 1; }
    virtual bool is_one_machine() const { return true; }

    // What each process passes, in process order. All processes call it equally often; each waits for the others.
    virtual std::vector<std::string> gather(const std::string& mine) { return {mine}; }
    // From now on `faster` gathers. (The devices can, but only once they have been set up.)
    virtual void gather_by(Gather faster);
    virtual bool gathers_by_devices() const { return true; }

    // Prints why this process fails and tells the others, so that they end, too. Returns the exit code of the first
    // failure in any of the processes.
    virtual Exit fail(const std::string& message, Exit exit);

    // Of the processes that know the same, only one tells the user.
    bool speaks() const { return process() == 0; }

    // These are the same in all processes.
    bool any(bool mine);          // whether it is true in any process
    double longest(double mine);  // the maximum over all processes

    static Team& alone();
};
