// SPDX-License-Identifier: MIT
// How matmul chooses among plans: the wisdom file, the timing of a few candidates, and estimates. Prints nothing if all
// is well.
#include <sys/stat.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tools/matmul/estimate.hpp"
#include "tools/matmul/plan/tune.hpp"
#include "tools/matmul/wisdom.hpp"

static void expect(bool holds, const std::string& what) {
    if (!holds) std::printf("%s\n", what.c_str());
}

static std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}
static void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path) << bytes; }

static const std::string key = "NVIDIA H200/132,f32,none,1,2x3x4",
                         header = "wisdom,device,dtype,transposed,products,shape,plan,ns\n";

static void check_wisdom() {
    Wisdom first("w.csv");
    expect(first.obstacle().empty() && first.plan_of(key).empty(), "a file that does not exist is no wisdom");
    expect(first.remember(key, "thin:rows", 1234.4).empty() && first.plan_of(key) == "thin:rows", "a plan is known");
    expect(first.remember(key, "thin:rows", 999).empty(), "the same plan");
    expect(contents("w.csv") == header + "1," + key + ",thin:rows,1234\n", "the same plan is written once");
    Wisdom second("w.csv");
    expect(second.plan_of(key) == "thin:rows", "another process knows the plan");
    second.remember(key, "thin:dots", 1000);
    expect(Wisdom("w.csv").plan_of(key) == "thin:dots", "the last row of a key counts");
    for (const std::string& bytes :
         {std::string("a,b\n"), header + "2," + key + ",thin:rows,1\n", header + "1," + key + ",thin:rows\n",
          header + "1," + key + ",thin:rows,1", header + "\n", std::string(1000, '\0'), header + "1,,,,,,,\n1,a\n"}) {
        write_file("foreign", bytes);
        Wisdom foreign("foreign");
        expect(!foreign.obstacle().empty() && foreign.plan_of(key).empty(), "a foreign file is not used: " + bytes);
        foreign.remember(key, "thin:rows", 1);
        expect(contents("foreign") == bytes, "a foreign file is left as it is: " + bytes);
    }
    expect(!Wisdom(".").obstacle().empty(), "a folder is no wisdom");
    expect(!Wisdom("none/w.csv").remember(key, "thin:rows", 1).empty(), "a named file that cannot be written is told");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "/proc/nowhere", 1);
    expect(Wisdom("").remember(key, "thin:rows", 1).empty(), "the user's file may be missing");
}

// Candidate i takes so long; its first launch takes ten times as long.
static std::size_t fastest_of(const std::vector<double>& ns, std::vector<int>& launches) {
    launches.assign(ns.size(), 0);
    return find_fastest(ns.size(), [&](std::size_t i) { return (launches[i]++ == 0 ? 10 : 1) * ns[i]; }).fastest;
}

static void check_tuning() {
    std::vector<int> launches;
    expect(fastest_of({5000, 4000, 9000, 4040}, launches) == 1, "the fastest wins");
    expect(launches[2] == 2, "what is clearly slower is timed once after its warm-up");
    expect(launches[1] > 5 && launches[3] == launches[1], "what is nearly as fast takes turns with the fastest");
    expect(fastest_of({7}, launches) == 0 && launches[0] == 2, "one candidate");
    fastest_of({4e8, 4e8}, launches);
    expect(launches[0] == 2, "long launches are not repeated");
}

static void check_estimates() {
    Work work;
    expect(estimated_ns(DType::f32, "no such kernel", work, 1) == 0, "an unknown kernel has no estimate");
    const double least = estimated_ns(DType::f32, "hopper:128x256x32:stream-k", work, 1);
    expect(least > 500, "every launch takes a while");
    expect(estimated_ns(DType::f32, "hopper:128x256x32:stream-k:a:batch", work, 1) == least,
           "a form that was not measured is estimated as the usual one");
    work.stages = 100;
    expect(estimated_ns(DType::f32, "hopper:128x256x32:stream-k", work, 1) > least, "stages take time");
    expect(timed_as(DType::f16) == timed_as(DType::bf16), "16-bit types take the same time");
}

int main() {
    check_wisdom();
    check_tuning();
    check_estimates();
}
