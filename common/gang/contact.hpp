// SPDX-License-Identifier: MIT
// How the processes of a run learn of each other's end: through a folder that all of them see (rendezvous.hpp), or
// through a connection from each to the first (connection.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/io/failure.hpp"

// A failure or signal that ended one process, and so ends all.
struct Declared {
    std::size_t process = 0;
    Exit exit = Exit::cuda_error;
    std::string message;
    int signal = 0;
};

class Contact {
public:
    virtual ~Contact() = default;

    // The run has succeeded: from now on it is not a failure if another process ends.
    virtual void finish() = 0;
    // Ends the contact, and removes its files.
    virtual void leave() = 0;

    // "" if unknown.
    virtual std::string host_of(std::size_t process) const = 0;

    // Makes a failure known to all, unless there is one already. Returns the one that counts.
    virtual Declared declare(const Declared& failure) = 0;
    virtual std::optional<Declared> declared() = 0;

    // Called regularly by the watching thread to show that this process lives.
    virtual void beat() {}
    // A process that has ended without a word, if this process watches it.
    virtual std::optional<std::size_t> lost() = 0;
    virtual double seconds_between_looks() const = 0;
};

// The name of this machine.
std::string host_name();
// "ranks 1 and 2", "rank 3".
std::string ranks_text(const std::vector<std::size_t>& ranks);
