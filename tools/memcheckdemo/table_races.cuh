// The plants that are races: those in shared memory, which racecheck reports, and those that no tool reports.
#pragma once

#include "kernels/memcheckdemo/racecheck.cuh"
#include "kernels/memcheckdemo/unreported.cuh"
#include "tools/memcheckdemo/plant.cuh"

namespace BACKEND {

// clang-format off
inline const std::vector<Plant> race_plants = {
    {"reduce-missing-barrier", "racecheck", "a tree reduction without a barrier between its rounds",
     "--tool racecheck", "Error: Race reported between (Read|Write) access at .*", "wrong result",
     "11.0", 'Y', "racecheck", "",
     {"The sum is wrong, and not always in the same way.", "Each round reads what the one before has written.",
      "What makes a warp wait for the others in the loop?"},
     "A warp may be a round ahead of another. __syncthreads() at the start of each round.",
     tree_sum_place, run_tree_sum},
    {"tile-reuse-no-barrier", "racecheck", "a tile is filled again while it is still read",
     "--tool racecheck", "Error: Race reported between (Read|Write) access at .*", "wrong or right result",
     "11.0", 'Y', "racecheck", "",
     {"Sometimes elements of the product are wrong.", "There is a barrier between filling the tile and reading it.",
      "What is there between reading it and filling it again?"},
     "A loop over tiles needs two barriers: one before the tile is read, one before it is overwritten.",
     tile_product_place, run_product},
    {"shared-counter", "racecheck", "threads add to one counter without an atomic operation",
     "--tool racecheck", "Error: Race reported between (Read|Write) access at .*", "wrong result",
     "11.0", 'Y', "racecheck", "",
     {"The count is too small.", "An addition reads, adds and writes.",
      "What do two threads do that read the same value?"},
     "Additions get lost. Use atomicAdd(&counter, 1).",
     count_even_place, run_count_even},
    {"warp-sync-assumption", "racecheck", "a warp is trusted to run in lockstep",
     "--tool racecheck", "(Warning|Error): Race reported between (Read|Write) access at .*", "right result",
     "11.0", 'Y', "racecheck", "",
     {"The sum is right.", "All threads belong to one warp. Is that enough?",
      "What orders the rounds of the loop since Volta?"},
     "Since Volta each lane may be at its own place in the program; volatile orders the accesses of one lane only. "
     "__syncwarp() in each round.",
     warp_sum_place, run_warp_sum},
    {"block-flag-race", "racecheck", "a plain flag says that data is ready",
     "--tool racecheck", "Error: Race reported between (Read|Write) access at .*", "wrong or right result",
     "11.0", 'Y', "racecheck", "",
     {"Sometimes a warp reads something other than the data.", "How do the other threads learn that the data is there?",
      "What orders the data before the flag?"},
     "A flag orders nothing by itself. __syncthreads(), or an atomic flag with release and acquire.",
     broadcast_place, run_broadcast},
    {"async-copy-no-wait", "racecheck", "a tile is read before its asynchronous copy is waited for",
     "--tool racecheck --racecheck-report hazard", "(Error|Warning): .*hazard detected.*", "wrong result",
     "11.3", '~', "racecheck", "",
     {"The result is what was in the tile before.", "The copy into the tile is asynchronous.",
      "Which call waits for it, and where does it stand?"},
     "The tile may be read after __pipeline_wait_prior(0), and not before.",
     prefetch_place, run_prefetch},

    {"global-counter", "unreported", "threads of all blocks add to one counter without an atomic operation",
     "--tool racecheck", "", "wrong result",
     "none", '+', "racecheck", "",
     {"The count is far too small.", "racecheck looks at shared memory only. Where is this counter?",
      "An addition reads, adds and writes."},
     "Additions get lost. Use atomicAdd(count, 1), or a sum per block first.",
     count_threads_place, run_count_threads},
    {"grid-reduce-no-fence", "unreported", "the last block adds up, but may not see the others' counts",
     "--tool racecheck", "", "right result",
     "none", '+', "racecheck", "",
     {"The total is right.", "The ticket is atomic. Which accesses are not?",
      "What keeps a block's count before its ticket?"},
     "Plain writes and an atomic operation on another address may become visible in any order. __threadfence() "
     "between the count and the ticket, and after the last ticket.",
     count_odd_place, run_count_odd},
    {"scope-too-narrow", "unreported", "atomicAdd_block where blocks meet",
     "--tool racecheck", "", "right result",
     "none", '+', "racecheck", "",
     {"The count is right.", "Who are the threads that add?", "For whom is atomicAdd_block atomic?"},
     "Its scope is one block; another block's addition may come in between. Use atomicAdd.",
     count_blocks_place, run_count_blocks},
    {"lock-no-fence", "unreported", "a lock without fences",
     "--tool racecheck", "", "right or wrong result",
     "none", '+', "racecheck", "",
     {"The total is right, mostly.", "Only one thread at a time holds the lock. What about its writes?",
      "What orders the total before the release of the lock?"},
     "__threadfence() after taking the lock and before releasing it.",
     add_in_turn_place, run_add_in_turn},
    {"cross-stream-copy-race", "unreported", "a copy in one stream beside the kernel that fills the array in another",
     "--tool racecheck", "", "wrong or right result",
     "none", '+', "racecheck", "",
     {"Some elements are old, some are new.", "Which work waits for which?",
      "Kernel and copy are in different streams, and an event is recorded."},
     "Nobody waits for the event: cudaStreamWaitEvent(second, event).",
     negate_all_place, run_negate_all},
};
// clang-format on

}  // namespace BACKEND
