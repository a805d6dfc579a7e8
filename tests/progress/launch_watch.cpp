// SPDX-License-Identifier: MIT
// LaunchWatch by itself: what it concludes from progress and processor time, without any thread.
#include "common/simt/exec/launch_watch.hpp"

#include <chrono>
#include <cstdio>
#include <vector>

using namespace simt;
using namespace std::chrono_literals;

namespace {

constexpr unsigned workers = 2;

struct Story {
    Progress progress[workers];
    std::vector<LaunchWatch::Duration> processor_times{0ms, 0ms};
    LaunchWatch watch{workers};

    Story() {
        for (Progress& one : progress) one.is_inside = true;
    }
    void look(LaunchWatch::Duration elapsed = 100ms, bool others_are_quiet = true, bool others_count = true) {
        const bool has_happened = watch.look(progress, processor_times);
        watch.pass(elapsed, others_are_quiet && !has_happened, others_count && watch.has_gone_round());
    }
    void go_round(unsigned worker) {
        Progress::increase(progress[worker].looks);
        Progress::increase(progress[worker].rounds);
        processor_times[worker] += 30ms;
    }
    // Ten seconds, in which `happens` comes before every look.
    template <class Event>
    void run(Event happens) {
        look();
        for (int i = 0; i < 100; ++i) {
            happens(i);
            look();
        }
    }
};

void tell(const char* what, const LaunchWatch& watch) {
    std::printf("%s: waited %.2f, worked %.2f\n", what, watch.waited().count() * 1e-9, watch.worked().count() * 1e-9);
}

template <class Event>
void tell_of(const char* what, Event happens) {
    Story story;
    story.run([&](int i) { happens(story, i); });
    tell(what, story.watch);
}

}  // namespace

int main() {
    tell_of("both look again", [](Story& story, int) { story.go_round(0), story.go_round(1); });
    tell_of("one has no processor", [](Story& story, int) { story.go_round(0); });
    tell_of("none has a processor", [](Story&, int) {});
    tell_of("one works", [](Story& story, int) { story.go_round(0), story.processor_times[1] += 90ms; });
    tell_of("one takes locks", [](Story& story, int) {
        story.go_round(0), story.go_round(1);
        Progress::increase(story.progress[1].changes);
    });
    tell_of("a lane takes its first lock in the middle", [](Story& story, int i) {
        story.go_round(0), story.go_round(1);
        Progress::increase(story.progress[1].changes);
        if (i == 49) ++story.progress[1].turns_taken.count;
    });
    tell_of("a lane ends in the middle", [](Story& story, int i) {
        story.go_round(0), story.go_round(1);
        if (i == 49) story.progress[1].advance();
    });
    tell_of("one has left", [](Story& story, int) {
        story.progress[1].is_inside = false;
        story.go_round(0);
    });
    tell_of("one has a processor now and then", [](Story& story, int i) {
        story.go_round(0);
        if (i % 25 == 24) story.processor_times[1] += 30ms;
    });
    Story stopped;
    stopped.run([&](int i) {
        stopped.go_round(0), stopped.go_round(1);
        if (i == 0) stopped.look(1h);
    });
    tell("stopped for an hour", stopped.watch);
    Story beside_another;
    beside_another.look();
    for (int i = 0; i < 100; ++i) {
        beside_another.go_round(0), beside_another.go_round(1);
        beside_another.look(100ms, i != 80, i < 90);
    }
    tell("another launch goes on, then has no processor", beside_another.watch);
}
