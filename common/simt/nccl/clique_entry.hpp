// SPDX-License-Identifier: MIT
// How the ranks of a communicator find each other: the unique id names a file in memory (/dev/shm, else TMPDIR or
// /tmp). The first rank to come makes it as large as all ranks need, and the last one removes it. Each rank holds a
// lock on a byte of it while its process lives.
#pragma once

#include <memory>
#include <string>

#include "common/simt/nccl/clique.hpp"

namespace simt::nccl {

/// A failure that the caller learns of: its code and its text; "" if that has already been reported.
struct Refusal {
    ncclResult_t code;
    std::string text;
};

/// A new id, with its file; the same one for all processes with NCCL_COMM_ID=HOST:PORT. Throws Refusal.
ncclUniqueId make_unique_id();
/// A new id, whatever NCCL_COMM_ID is: for a communicator that is made within this program.
ncclUniqueId make_private_id();

/// Enters the rank. Throws Refusal if the id's file is gone, or if the other ranks disagree.
std::unique_ptr<Clique> join(const ncclUniqueId& id, int ranks, int rank, int device);

/// Waits until all have entered. Throws Refusal if some have not in time, or if one has ended.
void await_all(const Clique& clique, const ncclUniqueId& id);

/// Whether another open file has a lock on this byte.
bool is_byte_locked(int file, int byte);

}  // namespace simt::nccl
