// SPDX-License-Identifier: MIT
// Tests of common/process/sandbox.hpp with shells as programs. Prints what is wrong.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "common/process/sandbox.hpp"

namespace {

using Clock = Sandbox::Clock;

int wrong = 0;

void expect(bool right, const char* what) {
    if (right) return;
    ++wrong;
    std::printf("wrong: %s\n", what);
}

Ended shell(const Sandbox& sandbox, const std::string& script, Task task = {}, double seconds = 10) {
    task.command = {"/bin/sh", "-c", script};
    task.environment = {{"PATH", "/usr/bin:/bin"}};
    const auto time = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    return sandbox.run(task, Clock::now() + time);
}

std::string contents(const std::string& path) {
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
}

}  // namespace

// sandbox SECONDS: for how long what should end early would sleep, by which it can be found.
int main(int, char** arguments) {
    const std::string sleep = std::string("sleep ") + arguments[1];
    // As a shell starts it in `sandbox > >(tee log)`, and nohup.
    const pid_t stranger = fork();
    if (stranger == 0) return pause();
    std::signal(SIGHUP, SIG_IGN);

    const Sandbox sandbox("sandbox-test", {});
    sandbox.write("text", "hello");
    std::raise(SIGHUP);

    Task with_input;
    with_input.input = "text";
    const Ended fine = shell(sandbox, "cat; echo there >&2; exit 3", with_input);
    expect(fine.status == 3 && fine.output == "hello" && fine.errors == "there\n" && fine.stop == Stop::no, "streams");
    expect(shell(sandbox, "kill -SEGV $$").status == 139, "a signal's status");
    expect(shell(sandbox, "echo $TMPDIR; pwd; ls -A").output ==
               sandbox.working_folder() + "\n" + sandbox.working_folder() + "\n",
           "an empty working folder");
    shell(sandbox, "mkdir closed; touch closed/file; chmod 0 closed");
    expect(shell(sandbox, "ls -A").output.empty(), "a working folder that is empty again");
    expect(shell(sandbox, "test -z \"$HOME\"").status == 0, "the environment");

    Task with_results;
    with_results.results = {"file", "link", "pipe", "folder"};
    shell(sandbox, "echo kept >file; ln -s /etc/passwd link; mkfifo pipe; mkdir folder", with_results);
    expect(contents(sandbox.file("file")) == "kept\n", "a result");
    for (const char* other : {"link", "pipe", "folder"})
        expect(access(sandbox.file(other).c_str(), F_OK) != 0, "only files are results");

    const auto begin = Clock::now();
    expect(shell(sandbox, "trap '' TERM; " + sleep, {}, 0.3).stop == Stop::time, "a deadline");
    expect(shell(sandbox, "yes").stop == Stop::output, "the output's limit");
    Task brief;
    brief.limits.processor_seconds = 1;
    expect(shell(sandbox, "while :; do :; done", brief).stop == Stop::processor_time, "processor time");
    expect(shell(sandbox, "(setsid " + sleep + " &) ; (setsid setsid " + sleep + " &); echo started").output ==
               "started\n",
           "daemons");
    const Ended orphan = shell(sandbox, "kill -9 $PPID; " + sleep, {}, 1);
    expect(orphan.stop == Stop::time || (!sandbox.missing().empty() && orphan.status == 137), "a killed parent");
    expect(Clock::now() - begin < std::chrono::seconds(30), "the ends' time");

    Task alone;
    alone.limits.starts_processes = false;
    expect(shell(sandbox, sleep + " & exit 0", alone).status != 0, "threads alone");
    Task small;
    small.limits.file = 1 << 16;
    expect(shell(sandbox, "head -c 100000 /dev/urandom >file", small).status != 0, "a file's limit");

    if (sandbox.missing().empty()) {
        expect(shell(sandbox, "ls /home /root /etc/passwd").output.empty(), "no files outside");
        expect(shell(sandbox, "echo x >../text").status != 0, "its own files are read-only");
        expect(shell(sandbox, "echo x >/usr/bin/x || echo x >/x").status != 0, "the system is read-only");
        expect(shell(sandbox, "for p in /proc/[0-9]*; do echo; done | wc -l").output.size() == 2, "no other processes");
        expect(shell(sandbox, "cat /proc/net/dev | grep -v lo: | grep -c :").output == "0\n", "no network");
    }
    expect(waitpid(stranger, nullptr, WNOHANG) == 0, "a child that was there before");
    kill(stranger, SIGKILL);
    return wrong != 0;
}
