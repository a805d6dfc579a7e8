#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What memcheckdemo --grade-fix promises when a copy is hostile: its grade is no pass that it did not earn, nothing of it
# is left, it reads and writes nothing outside, and it ends in time.
# shellcheck disable=SC2154  # helpers.bash sets $root, $scratch and the rest

# Needs no GPU

load helpers

# A system that allows no namespaces, for a command: there the limits must do.
without_namespaces() {
    # shellcheck disable=SC2016  # the inner shell expands them
    unshare -Ur bash -c 'for space in user mnt pid net ipc uts; do echo 0 >/proc/sys/user/max_${space}_namespaces; done
        exec "$@"' bash "$@"
}
need_isolation() { unshare -Urnm true 2>/dev/null || skip "this system allows no namespaces"; }

# hostile NAME [VERSION]: NAME.cu, a copy of oob-global-write, --fixed or (with another name for a variable) as it is.
# Standard input has what stands before run(), a line of dashes, and what run() begins with.
hostile() {
    local code before
    code=$(cat)
    before=${code%%----*}
    # shellcheck disable=SC2086  # none or one word
    memcheckdemo -q -d sim --export ${2---fixed} oob-global-write | sed 's/\bd_out\b/numbers_out/g' |
        BEFORE=$before INSIDE=${code#*----} awk '
            /^#include <vector>/ { print; print "#include <csignal>\n#include <cstring>\n#include <fcntl.h>\n" \
                "#include <sys/socket.h>\n#include <sys/wait.h>\n#include <unistd.h>"; next }
            /^cudaError_t run\(/ { print ENVIRON["BEFORE"]; print; print ENVIRON["INSIDE"]; next }
            { print }' >"$1.cu"
}

# grade OPTION... FILE...: the grades of these copies, without a GPU.
grade() { capture memcheckdemo -d sim --csv --grade-fix "$@" oob-global-write; }

# expect_grades VERDICT FILE...: all of them, none of which may be missing.
expect_grades() {
    local verdict=$1 file
    shift
    for file; do
        grep -q -E "^$file,oob-global-write,.*,$verdict,[0-5]," stdout || complain "$file: not $verdict: $(grep "^$file" stdout)" || return
    done
}

# Nothing is left in the folder for temporary files, and no process that knows it.
expect_nothing_left() {
    [ -z "$(ls "$TMPDIR")" ] || complain "left: $(ls "$TMPDIR")" || return
    ! pgrep -f "$TMPDIR" || complain "still running"
}

own_temporary_folder() { mkdir temporary && export TMPDIR=$scratch/temporary; }

@test "copies that end early, print verdicts, or use up what they find get no points for it" {
    need pgrep
    own_temporary_folder
    hostile exits <<<'struct Early { Early() { std::exit(0); } } early; ----'
    hostile prints <<<'---- std::puts("prints.cu,oob-global-write,pass,pass,pass,pass,pass,pass,5,none"); std::fflush(stdout); _exit(0);'
    hostile floods <<<'---- for (;;) std::puts("printed for ever");'
    hostile forks <<<'---- while (fork() >= 0) continue; abort();'
    hostile maps <<<'#include <sys/mman.h>
        ---- for (;;) *static_cast<char*>(mmap(nullptr, 1 << 26, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) = 1;'
    hostile fills <<<'---- for (const int file = open("file", O_CREAT | O_WRONLY, 0600);;) if (write(file, &std::vector<char>(1 << 20)[0], 1 << 20) < 0) abort();'
    hostile recurses <<<'int deep(volatile int n) { volatile char a[4096]; a[0] = n; return deep(n + 1) + a[0]; } ---- if (deep(1) == 7) return cudaSuccess;'
    hostile replaces <<<'#undef main
        int main() { std::puts("right"); return 0; }
        ----'
    hostile pretends <<<'extern "C" ssize_t write(int, const void*, size_t bytes) { return ssize_t(bytes); } ----'
    SECONDS=0
    local files=({exits,prints,floods,forks,maps,fills,recurses,replaces,pretends}.cu)
    grade "${files[@]}" --limit 8
    expect_status 1
    expect_clean_table
    [ "$(column points | sort -u)" = 0 ] || complain "expected no points"
    expect_grades fail "${files[@]}"
    [ $SECONDS -le 80 ] || complain "took $SECONDS s"
    grep -q '^floods.cu,.*,none with seed [0-9]* (ended because it wrote too much)$' stdout || complain "floods"
    grep -q '^forks.cu,.*,none with seed [0-9]* (exit status 134)$' stdout || complain "forks"
    [ "$(wc -c <stderr)" -lt 20000 ] || complain "too many messages"
    expect_nothing_left
}

@test "copies that wait or loop end when their time is over" {
    need pgrep
    own_temporary_folder
    hostile loops <<<'---- while (true) continue;'
    hostile sleeps <<<'---- std::signal(SIGTERM, SIG_IGN); std::signal(SIGXCPU, SIG_IGN); sleep(1000);'
    hostile stops <<<'---- raise(SIGSTOP);'
    SECONDS=0
    grade {loops,sleeps,stops}.cu --limit 3
    [ "$status" -eq 1 ] || [ "$status" -eq 4 ] || complain "expected 1 or 4"
    # (Building our own part is not the copies' time.)
    [ $SECONDS -le 30 ] || complain "took $SECONDS s"
    expect_grades '(fail|inconclusive)' {loops,sleeps,stops}.cu
    expect_nothing_left
    # Not even where nobody is left to end it.
    memcheckdemo -q -d sim --grade-fix sleeps.cu oob-global-write >grades 2>&1 &
    until pgrep -f "$TMPDIR.*/copy\$" >/dev/null; do sleep 0.05; kill -0 $!; done
    kill -KILL $!
    wait $! || true
    for _ in {1..100}; do pgrep -f "$TMPDIR" >/dev/null || return 0; sleep 0.05; done
    complain "still running"
}

@test "compilers that a copy keeps busy, or shows files to, are limited, too" {
    need pgrep
    need_isolation
    own_temporary_folder
    echo 'the solution of another student;' >solution.inc
    hostile zero <<<$'#include "/dev/zero"\n----'
    hostile passwd <<<$'#include "/etc/passwd"\n----'
    hostile copied <<<"#include \"$scratch/solution.inc\""$'\n----'
    hostile beside <<<$'#include "solution.inc"\n----'
    hostile embeds <<<$'asm(".incbin \\"/etc/passwd\\"");\n----'
    hostile pasted <<<$'#define JOIN(a, b) a##b\nJOIN(a, sm)("nop");\n----'
    hostile early <<<$'__attribute__((constructor(101))) void first() { _exit(0); }\n----'
    hostile hidden <<<$'[[gnu::no_sanitize("thread")]] void unseen() {}\n----'
    hostile tuned <<<$'#pragma GCC optimize("O3")\n----'
    hostile endless <<<$'template <unsigned long N> struct Tree : Tree<2 * N>, Tree<2 * N + 1> {}; Tree<1> tree;\n----'
    grade {zero,passwd,copied,beside,embeds,pasted,early,hidden,tuned,endless}.cu --limit 8
    expect_status 1
    expect_grades fail {zero,passwd,copied,beside,embeds,pasted,early,hidden,tuned,endless}.cu
    ! grep -q -e 'the solution of' -e 'root:' stderr || complain "a file was shown"
    [ "$(grep -c 'it has words that hide defects' stdout)" -eq 5 ] || complain "expected five"
    expect_nothing_left
}

@test "a copy reaches no process, file, folder or network outside, and leaves no process" {
    need pgrep
    need_isolation
    own_temporary_folder
    echo 'the solution of another student' >solution.cu
    chmod 777 . && chmod 644 solution.cu
    # (A finding of its own makes the report appear, with what it has read.)
    hostile reads <<<"---- symlink(\"$scratch/solution.cu\", \"link\");
        for (const char* path : {\"$scratch/solution.cu\", \"link\", \"/proc/1/root$scratch/solution.cu\"}) {
            char word[99] = \"\"; if (FILE* file = fopen(path, \"r\")) fgets(word, 99, file);
            std::fprintf(stderr, \"========= Invalid read: %s\\n\", word); }"
    hostile reaches <<<"---- symlink(\"$scratch\", \"away\"); std::system(\"touch $scratch/written\");
        for (const char* path : {\"$scratch/written\", \"../copy\", \"away/written\"}) if (FILE* file = fopen(path, \"w\")) abort();
        if (socket(AF_INET, SOCK_STREAM, 0) >= 0) abort();
        kill(getppid(), SIGKILL); kill(-1, SIGKILL); kill(1, SIGKILL);
        if (fork() == 0) { setsid(); if (fork() == 0) { sleep(1000); } _exit(0); }"
    grade {reads,reaches}.cu
    expect_status 1
    expect_grades fail reads.cu
    # This did nothing, so that its kernels count.
    expect_grades pass reaches.cu
    [ "$(grep -c 'Invalid read: $' stderr)" -ge 3 ] || complain "the report is missing"
    ! grep -q 'the solution' stderr || complain "a file was shown"
    [ ! -e written ] || complain "a file was written"
    expect_nothing_left
}

@test "a defect stays one, however a copy treats its checkers" {
    # The defect is there in each of these.
    hostile plain '' <<<'----'
    hostile silent '' <<<'struct Off { Off() { setenv("SIMCC_CHECK", "none", 1); } } off; ----'
    hostile restarts '' <<<'struct Again { Again() { if (getenv("AGAIN") == nullptr) { setenv("AGAIN", "1", 1);
        setenv("SIMCC_CHECK", "none", 1); execl("/proc/self/exe", "copy", nullptr); } } } again; ----'
    hostile redirects '' <<<'int kept; ---- kept = dup(2); dup2(open("/dev/null", O_WRONLY), 2);
        struct Back { ~Back() { dup2(kept, 2); } } back;'
    hostile reports '' <<<'void fake() { write(2, "========= ERROR SUMMARY: 0 errors\n", 34); _exit(0); }
        ---- std::atexit(fake); close(dup(2));'
    hostile child '' <<<'cudaError_t real(const std::vector<int>& in, std::vector<int>& out);
        cudaError_t run(const std::vector<int>& in, std::vector<int>& out) {
            int ends[2]; pipe(ends);
            if (fork() == 0) { close(2); real(in, out); write(ends[1], out.data(), out.size() * 4); _exit(0); }
            wait(nullptr); close(ends[1]); read(ends[0], out.data(), out.size() * 4); return cudaSuccess; }
        #define run real
        ----'
    hostile knows '' <<<'---- if (std::strcmp(getenv("SIMCC_CHECK"), "none") != 0) { for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[0] + int(i); return cudaSuccess; }'
    grade {plain,silent,restarts,redirects,reports,child,knows}.cu
    expect_status 1
    expect_grades '(fail|inconclusive)' {plain,silent,restarts,redirects,reports,child,knows}.cu
    expect_output_like 'plain.cu,oob-global-write,pass,pass,pass,pass,fail,fail,4,Invalid __global__ write'
}

@test "without namespaces one line says so, and what a copy starts ends with it nevertheless" {
    need pgrep
    need_isolation
    own_temporary_folder
    hostile kills <<<'---- kill(getppid(), SIGKILL); raise(SIGKILL);'
    hostile floods <<<'---- for (;;) std::puts("printed for ever");'
    hostile stays <<<"---- if (fork() == 0) { setsid(); if (fork() == 0) sleep(1000); _exit(0); }"
    capture without_namespaces memcheckdemo -d sim --csv --grade-fix kills.cu floods.cu stays.cu oob-global-write
    expect_status 1
    expect_grades pass stays.cu
    expect_grades fail kills.cu floods.cu
    [ "$(wc -l <stderr)" -eq 1 ] || complain "expected one line"
    expect_errors_like "^memcheckdemo: there is no isolation \(unshare\(\): .*\): copies can read and write files"
    expect_nothing_left
}

# The sandbox itself, with shells as its programs: it isolates them, and ends all that they have started.
@test "the sandbox shows its folder and the system, keeps results that are files, and ends what is left, whoever uses it" {
    need pgrep
    local seconds=$((100000 + BASHPID))
    unit_program units/sandbox
    holds ./sandbox $seconds
    ! pgrep -f "sleep $seconds" || complain "still running"
    need_isolation
    holds without_namespaces ./sandbox $seconds
    # In a container root may be the only user, or have fewer rights.
    holds unshare -Ur ./sandbox $seconds
    if [ "$(id -u)" -eq 0 ]; then holds setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin ./sandbox $seconds; fi
    ! pgrep -f "sleep $seconds" || complain "still running"
}
