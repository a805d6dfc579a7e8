// How the ranks of a communicator find each other: the unique id names a file in memory (/dev/shm, else TMPDIR or /tmp),
// which the first rank to come makes as large as all need, and the last one removes. Each holds a lock on a byte of it
// for as long as its process lives.
#pragma once

#include <memory>
#include <string>

#include "common/simt/nccl/clique.hpp"

namespace simt::nccl {

// A failure that the caller hears of: its code and its text, "" if that has been reported.
struct Refusal {
    ncclResult_t code;
    std::string text;
};

// A new id, with its file; of all who have NCCL_COMM_ID=HOST:PORT set the same one. Throws Refusal.
ncclUniqueId make_unique_id();
// A new id, whatever is set: of a communicator that is made within this program.
ncclUniqueId make_private_id();

// Enters the rank. Throws Refusal if the id's file is gone, or the others have said otherwise.
std::unique_ptr<Clique> join(const ncclUniqueId& id, int ranks, int rank, int device);

// Waits until all have entered. Throws Refusal when they have not in time, or one has ended.
void await_all(const Clique& clique, const ncclUniqueId& id);

// Whether another open file has a lock on this byte.
bool is_byte_locked(int file, int byte);

}  // namespace simt::nccl
