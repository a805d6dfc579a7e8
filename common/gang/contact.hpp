// How the processes of a run hear of each other's end: through a folder that all see (rendezvous.hpp), or through a
// connection of each to the first (connection.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/io/failure.hpp"

// The end of a process that ends all: by a failure, or by a signal.
struct Declared {
    std::size_t process = 0;
    Exit exit = Exit::cuda_error;
    std::string message;
    int signal = 0;
};

class Contact {
public:
    virtual ~Contact() = default;

    // The run has come to a good end, and what becomes of the others is no failure any more.
    virtual void finish() = 0;
    // Gives up the contact, and removes what it has left behind.
    virtual void leave() = 0;

    // "" if it is not known.
    virtual std::string host_of(std::size_t process) const = 0;

    // Makes a failure known to all, unless there is one. The one that counts.
    virtual Declared declare(const Declared& failure) = 0;
    virtual std::optional<Declared> declared() = 0;

    // For the thread that watches, now and then. Says that this process lives.
    virtual void beat() {}
    // A process that has ended without a word, of those that this one watches.
    virtual std::optional<std::size_t> lost() = 0;
    virtual double seconds_between_looks() const = 0;
};

// The name of this machine.
std::string host_name();
// "ranks 1 and 2", "rank 3".
std::string ranks_text(const std::vector<std::size_t>& ranks);
