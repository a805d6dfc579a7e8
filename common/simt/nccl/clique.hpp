// SPDX-License-Identifier: MIT
// What the ranks of a communicator share: one object in memory that every one of them maps, whether they are in one
// process or in several. For each rank it records what the rank has called and how far it has come, and has a slot
// through which collectives pass the rank's data piece by piece. For each pair of ranks it has a mailbox.
//
// A waiting rank sleeps on the object's bell, which every step of a rank rings.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "common/simt/include/nccl.h"

namespace simt::nccl {

constexpr int most_ranks = 128;
constexpr size_t bytes_of_text = 384;

enum class Kind : uint32_t {
    all_reduce,
    reduce,
    broadcast,
    reduce_scatter,
    all_gather,
    all_to_all,
    gather,
    scatter,
    send,
    receive,
};
const char* name_of(Kind kind);

/// What must be the same for all ranks of a collective, and for both ranks of a message.
struct Signature {
    Kind kind;
    int32_t type, operation, root;  ///< root: -1 for none, the receiver's rank of a message
    uint64_t count;

    bool operator==(const Signature& other) const = default;
};

/// Only written by its own rank.
struct alignas(64) RankState {
    std::atomic<uint32_t> joined, left, aborted;
    int32_t process, device;
    uint64_t process_number;
    std::atomic<uint64_t> called;  // how many collectives the host has called
    std::atomic<uint64_t> phase;   // how many meetings of all ranks it has come to
    Signature signature;           // of the collective that it has come to
    char text[bytes_of_text];      // the latest call: "ncclAllReduce(8 x float32, sum) at a.cu:12"
    // The latest call outside of a group: its thread, the number of the collective, and the peer of a message.
    std::atomic<int32_t> thread_outside_group, peer_outside_group;
    std::atomic<uint64_t> number_outside_group;
    // ncclCommSplit: how often it was called, answered and completed, and the latest call's arguments.
    std::atomic<uint64_t> split_asked, split_named, split_done;
    int32_t color, key;
    ncclUniqueId split_id;  // of the new communicator; written by the first rank of each color
};

struct Header {
    uint64_t format;  ///< differs between builds whose objects differ
    int32_t ranks;
    uint64_t slot_bytes, mailbox_bytes;
    std::atomic<uint32_t> bell, sleepers;
    std::atomic<uint32_t> joined, broken;  ///< broken: 1 while the text is written, then 2
    char broken_text[3 * bytes_of_text];
};

/// A piece of a message in flight. It is full from the time the sender fills it until the receiver has taken the piece.
struct Mailbox {
    std::atomic<uint32_t> full;
    Signature signature;
    uint64_t bytes;  ///< of this piece
};

enum class Outcome { done, aborted, broken };

/// How long ranks may keep each other waiting, in seconds; 0: forever.
double join_timeout();   // SIMCC_NCCL_TIMEOUT, until all have joined
double quiet_timeout();  // SIMCC_TIMEOUT, while none of their processes works

/// A number that no other process has, not even in another container.
uint64_t process_number();

class Clique {
public:
    /// The size of the object in bytes.
    static size_t bytes_for(int ranks);
    static void format(void* memory, int ranks);
    static bool is_formatted(const void* memory);

    /// Takes over the mapping and the file. The rank locks byte rank + 1 of the file for as long as it is a member.
    Clique(void* memory, int file, int rank);
    ~Clique();
    Clique(const Clique&) = delete;
    Clique& operator=(const Clique&) = delete;

    Header& header() const { return *static_cast<Header*>(memory_); }
    RankState& state(int rank) const;
    RankState& mine() const { return state(rank_); }
    char* slot(int rank) const;
    Mailbox& mailbox(int from, int to) const;
    static char* data_of(Mailbox& mailbox) { return reinterpret_cast<char*>(&mailbox + 1); }
    size_t slot_bytes() const { return header().slot_bytes; }
    size_t mailbox_bytes() const { return header().mailbox_bytes; }

    int rank() const { return rank_; }
    int file() const { return file_; }
    void disown() { is_member_ = false; }  // the rank has not joined after all
    int ranks() const { return header().ranks; }
    bool is_here(int rank) const;  ///< in this process

    /// Wakes waiting ranks, because something has changed.
    void ring() const;

    /// Ends the others' waiting, and makes all later calls on the communicator fail. Only the first text counts.
    void break_off(const std::string& text) const;
    bool is_broken() const { return header().broken.load() == 2; }
    std::string broken_text() const { return header().broken_text; }

    /// Waits until `ready`, or until this rank's communicator is aborted or the clique is broken. Calls `look` now and
    /// then, which may break the clique off.
    Outcome wait(const std::function<bool()>& ready, const std::function<void(double seconds)>& look) const;

    /// Goes to the next meeting, and waits until all ranks have come.
    Outcome meet(const std::function<void(double seconds)>& look) const;
    bool has_come(int rank, uint64_t phase) const { return state(rank).phase.load() >= phase; }

    /// Whether the rank's process lives. (Always true for ranks of this process.)
    bool is_alive(int rank) const;

private:
    void* memory_;
    int file_;
    int rank_;
    size_t bytes_;
    bool is_member_ = true;
};

}  // namespace simt::nccl
