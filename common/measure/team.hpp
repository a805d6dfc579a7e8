// The processes that measure together, as a launcher such as mpirun has started them. This one is a process alone.
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

    // What each process says, in their order. All of them call it, equally often; each waits for the others.
    virtual std::vector<std::string> gather(const std::string& mine) { return {mine}; }
    // From now on `faster` does it. (The devices can, but not before they have been set up.)
    virtual void gather_by(Gather faster);
    virtual bool gathers_by_devices() const { return true; }

    // Prints why this process fails and tells the others, so that they end, too. The first failure of all counts: this
    // is its exit code.
    virtual Exit fail(const std::string& message, Exit exit);

    // Of the processes that know the same, one tells the user.
    bool speaks() const { return process() == 0; }

    // These are alike in all processes.
    bool any(bool mine);          // whether one of them says so
    double longest(double mine);  // the largest of all

    static Team& alone();
};
