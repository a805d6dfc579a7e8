// SPDX-License-Identifier: MIT
// --hello: which threads have greeted, a row for each at each depth.
#pragma once

#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/io/table.hpp"
#include "kernels/nested/launches.cuh"
#include "tools/nested/options.hpp"

namespace BACKEND {

inline const ColumnOf<Greeting> greeting_columns[] = {
    {{"depth", "depth"}, [](const Greeting& of) -> Cell { return whole(of.depth); }},
    {{"block", "block"}, [](const Greeting& of) -> Cell { return whole(of.block); }},
    {{"thread", "thread"}, [](const Greeting& of) -> Cell { return whole(of.thread); }},
    {{"threads", "of threads"}, [](const Greeting& of) -> Cell { return whole(of.threads); }},
};

// Greetings are not measured: refuses options that say what to measure, and how.
inline void refuse_beside_hello(const Session& session) {
    for (const char* name :
         {"--size",    "--kernel",   "--block", "--warmup", "--samples",   "--max-ci",   "--timeout", "--cache",
          "--ladder",  "--versus",   "--raw",   "--seed",   "--no-verify", "--tol",      "--profile", "--counters",
          "--by-line", "--annotate", "--depth", "--side",   "--steps",     "--sharpness"})
        if (session.own<NestedOptions>().typed.count(name) > 0)
            fail(Exit::usage, "{} does not go with --hello, which only greets; leave one of them out", name);
}

inline void say_hello(Session& session, unsigned threads) {
    refuse_beside_hello(session);
    size_t expected = 0, depth = 0;
    for (unsigned left = threads; left > 0; left /= 2, ++depth) expected += 2 * size_t(left);
    const DeviceBuffer<Greeting> d_greetings(expected);
    const DeviceBuffer<unsigned> d_count(1);
    CHECK(cudaMemset(d_count.data(), 0, sizeof(unsigned)));
    launch_hello(d_greetings.data(), d_count.data(), threads);
    CHECK(cudaGetLastError());
    unsigned count = 0;
    CHECK(cudaMemcpy(&count, d_count.data(), sizeof count, cudaMemcpyDeviceToHost));
    std::vector<Greeting> greetings(count);
    CHECK(cudaMemcpy(greetings.data(), d_greetings.data(), count * sizeof(Greeting), cudaMemcpyDeviceToHost));
    session.end_step();
    Table table(session.output, session.format(), session.options.header, columns_of(greeting_columns));
    for (const Greeting& greeting : greetings) table.add(cells_of(greeting_columns, greeting));
    table.flush(text("{} threads in 2 blocks, and half as many at each depth down to {}", 2 * threads, depth - 1));
    if (count == expected) return;
    session.complain(text("{} threads have greeted rather than {}: a launch by a kernel has failed", count, expected));
    session.found_wrong_result();
}

}  // namespace BACKEND
