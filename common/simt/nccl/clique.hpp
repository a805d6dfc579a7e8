// What the ranks of a communicator share: one object in memory that every one of them maps, whether they are in one
// process or in several. It holds what each rank has called and how far it has come, a slot through which a collective
// passes the rank's data piece by piece, and a mailbox for each pair of ranks.
//
// A rank that waits sleeps on the object's bell, which every step of a rank rings.
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

// What all ranks have to say alike in a collective, and both ranks of a message.
struct Signature {
    Kind kind;
    int32_t type, operation, root;  // root: -1 for none, the receiver's rank of a message
    uint64_t count;

    bool operator==(const Signature& other) const = default;
};

// Written by its rank alone.
struct alignas(64) RankState {
    std::atomic<uint32_t> joined, left, aborted;
    int32_t process, device;
    uint64_t process_number;
    std::atomic<uint64_t> called;  // collectives that the host has asked for
    std::atomic<uint64_t> phase;   // meetings of all ranks that it has come to
    Signature signature;           // of the collective that it has come to
    char text[bytes_of_text];      // the latest call: "ncclAllReduce(8 x float32, sum) at a.cu:12"
    // What one thread has called outside of a group: for the latest collective and message its number, its peer.
    std::atomic<int32_t> thread_outside_group, peer_outside_group;
    std::atomic<uint64_t> number_outside_group;
    // ncclCommSplit: how often it was called, answered and left, and the latest call's arguments.
    std::atomic<uint64_t> split_asked, split_named, split_done;
    int32_t color, key;
    ncclUniqueId split_id;  // by the first rank of a color: of the new communicator
};

struct Header {
    uint64_t format;  // differs between builds whose objects differ
    int32_t ranks;
    uint64_t slot_bytes, mailbox_bytes;
    std::atomic<uint32_t> bell, sleepers;
    std::atomic<uint32_t> joined, broken;  // broken: 1 while the text is written, then 2
    char broken_text[3 * bytes_of_text];
};

// A piece of a message on its way: full from when the sender has put it there until the receiver has taken it.
struct Mailbox {
    std::atomic<uint32_t> full;
    Signature signature;
    uint64_t bytes;  // of this piece
};

enum class Outcome { done, aborted, broken };

// How long ranks may keep each other waiting, in seconds; 0: for ever.
double join_timeout();   // SIMCC_NCCL_TIMEOUT, until all have joined
double quiet_timeout();  // SIMCC_TIMEOUT, while no process of theirs works

// A number of this process that no other has, not even in another container.
uint64_t process_number();

class Clique {
public:
    // Bytes of the object for so many ranks.
    static size_t bytes_for(int ranks);
    static void format(void* memory, int ranks);
    static bool is_formatted(const void* memory);

    // Takes over the mapping and the file, whose byte rank + 1 this rank has locked.
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
    bool is_here(int rank) const;  // in this process

    // Tells the ranks that wait that something has changed.
    void ring() const;

    // The others' waiting ends, and all that the communicator is asked for from now on fails. The first text counts.
    void break_off(const std::string& text) const;
    bool is_broken() const { return header().broken.load() == 2; }
    std::string broken_text() const { return header().broken_text; }

    // Waits until `ready`, or until this rank's communicator is aborted or the clique broken. `look` is called now and then;
    // it may break the clique off.
    Outcome wait(const std::function<bool()>& ready, const std::function<void(double seconds)>& look) const;

    // The next meeting: comes when all ranks have.
    Outcome meet(const std::function<void(double seconds)>& look) const;
    bool has_come(int rank, uint64_t phase) const { return state(rank).phase.load() >= phase; }

    // Whether the rank's process lives. (Its own is not asked.)
    bool is_alive(int rank) const;

private:
    void* memory_;
    int file_;
    int rank_;
    size_t bytes_;
    bool is_member_ = true;
};

}  // namespace simt::nccl
