#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether every file includes what it uses of the standard library: tests/includes.bash SOURCE...
# Prints a line for each name whose header is included neither by the file, nor by its own header (x.hpp for x.cpp, x.cuh
# for x.cu), nor by one that it includes and that marks the line `// IWYU pragma: export`; and a line for each standard
# header of which a file uses nothing. Exits 1 if there is any. (clang-tidy's misc-include-cleaner asks the same, but
# takes a second for each of a thousand files, and does not read CUDA.)
set -eu
cd "$(dirname "$0")/.."

# A header, and its names in std. A name of several headers may come from any of them.
names() {
    cat <<'TABLE'
algorithm     adjacent_find all_of any_of clamp copy copy_if copy_n count count_if equal fill fill_n find find_first_of
algorithm     find_if find_if_not for_each for_each_n generate is_sorted lexicographical_compare lower_bound max
algorithm     max_element merge min min_element minmax minmax_element mismatch move move_backward none_of nth_element
algorithm     partial_sort partition remove remove_if replace reverse reverse_copy rotate search set_difference shuffle
algorithm     sort stable_sort swap_ranges transform unique unique_copy upper_bound binary_search equal_range partition_point ranges
any           any any_cast make_any
array         array begin data empty end get rbegin rend size to_array tuple_size_v
atomic        atomic atomic_flag atomic_ref atomic_thread_fence memory_order memory_order_acq_rel memory_order_acquire
atomic        memory_order_relaxed memory_order_release memory_order_seq_cst
bit           bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian has_single_bit
bit           popcount rotl rotr
cassert       __assert_fail assert
cctype        isalnum isalpha isdigit islower isprint ispunct isspace isupper isxdigit tolower toupper
cerrno        errno
charconv      chars_format from_chars from_chars_result to_chars
chrono        chrono chrono_literals
climits       CHAR_BIT INT_MAX INT_MIN LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN PATH_MAX PIPE_BUF UINT_MAX ULLONG_MAX ULONG_MAX
cmath         HUGE_VAL INFINITY NAN abs acos asin atan atan2 cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs
cmath         floor fma fmax fmin fmod frexp hypot ilogb isfinite isinf isnan ldexp lgamma log log10 log1p log2 logb
cmath         lrint lround llround modf nan nearbyint nextafter pow remainder rint round scalbn signbit sin sinh sqrt
cmath         tan tanh tgamma trunc fabsf sqrtf fmaf expf logf powf sinf cosf isunordered
compare       compare_three_way partial_ordering strong_ordering weak_ordering
complex       complex polar norm conj
condition_variable condition_variable condition_variable_any cv_status
csignal       SIGABRT SIGINT raise sig_atomic_t signal
csetjmp       jmp_buf longjmp
cstdarg       va_list va_start
cstddef       byte max_align_t nullptr_t offsetof ptrdiff_t size_t to_integer
cstdint       INT32_MAX INT64_MAX INT64_MIN SIZE_MAX UINT16_MAX UINT32_MAX UINT64_MAX UINT8_MAX int16_t int32_t int64_t
cstdint       int8_t intmax_t intptr_t uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t
cstdio        FILE EOF fclose feof ferror fflush fgets fileno fopen fprintf fputc fputs fread freopen fscanf fseek ftell
cstdio        fwrite getc perror printf putchar puts remove rename rewind setvbuf size_t snprintf sprintf sscanf stderr
cstdio        stdin stdout tmpfile vfprintf vsnprintf dprintf fdopen getline SEEK_SET SEEK_END BUFSIZ
cstdlib       EXIT_FAILURE EXIT_SUCCESS abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll calloc exit free
cstdlib       getenv malloc qsort quick_exit rand realloc setenv size_t srand strtod strtof strtol strtold strtoll strtoul
cstdlib       strtoull system unsetenv _Exit mkstemp mkdtemp realpath posix_memalign labs
cstring       memchr memcmp memcpy memmove memset size_t strcat strchr strcmp strcpy strerror strlen strncmp strncpy
cstring       strrchr strsignal strstr strtok strcspn strspn memmem strdup strnlen memrchr
ctime         clock clock_t clock_gettime difftime gmtime localtime mktime size_t strftime time time_t timespec tm
ctime         nanosleep gmtime_r localtime_r timespec_get
deque         begin deque empty end erase erase_if initializer_list size
exception     current_exception exception exception_ptr get_terminate make_exception_ptr rethrow_exception set_terminate
exception     terminate terminate_handler uncaught_exceptions
filesystem    filesystem
fstream       fstream ifstream ios ofstream streamoff streamsize filebuf
functional    bit_and bit_or bit_xor cref equal_to function greater greater_equal hash invoke less less_equal logical_and
functional    logical_or minus multiplies negate not_equal_to not_fn plus ref reference_wrapper divides modulus
initializer_list initializer_list
iomanip       setprecision setw setfill
ios           hex ios ios_base streamoff streamsize
iostream      cerr cin clog cout endl ios istream ostream
istream       ios istream streamsize ws
iterator      advance back_inserter begin data distance empty end forward_iterator_tag inserter istream_iterator
iterator      istreambuf_iterator iterator_traits make_move_iterator make_reverse_iterator next ostream_iterator
iterator      ostreambuf_iterator prev random_access_iterator_tag rbegin rend reverse_iterator size ssize
latch         latch
limits        numeric_limits
list          begin empty end erase erase_if initializer_list list size
map           begin empty end erase_if initializer_list map multimap size
memory        addressof align allocator const_pointer_cast default_delete destroy destroy_at dynamic_pointer_cast
memory        enable_shared_from_this hash make_shared make_unique owner_less shared_ptr static_pointer_cast
memory        uninitialized_copy uninitialized_fill unique_ptr weak_ptr construct_at make_unique_for_overwrite
mutex         call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock defer_lock adopt_lock try_to_lock lock
new           align_val_t bad_alloc get_new_handler launder new_handler nothrow nothrow_t set_new_handler
numbers       numbers
numeric       accumulate exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint partial_sum reduce
numeric       transform_reduce adjacent_difference
optional      make_optional nullopt nullopt_t optional bad_optional_access
ostream       endl flush ostream
queue         priority_queue queue
random        bernoulli_distribution discrete_distribution exponential_distribution gamma_distribution
random        lognormal_distribution mt19937 mt19937_64 normal_distribution random_device uniform_int_distribution
random        uniform_real_distribution seed_seq minstd_rand
ratio         micro milli nano ratio
semaphore     binary_semaphore counting_semaphore
set           begin empty end erase_if initializer_list multiset set size
shared_mutex  shared_lock shared_mutex
span          as_bytes begin data dynamic_extent empty end size span
sstream       istringstream ostringstream stringstream ios
stdexcept     domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error
stdexcept     runtime_error underflow_error
stop_token    stop_source stop_token
string        basic_string begin char_traits data empty end erase erase_if getline hash initializer_list size stod stof
string        stoi stol stoll stoul stoull string to_string u16string u32string
string_view   basic_string_view begin data empty end hash size string_view
system_error  errc error_code generic_category hash make_error_code system_category system_error error_condition
thread        jthread this_thread thread
tuple         apply forward_as_tuple get ignore make_tuple tie tuple tuple_cat tuple_element_t tuple_size tuple_size_v
type_traits   add_const_t add_pointer_t alignment_of_v bool_constant common_type_t conditional conditional_t conjunction_v
type_traits   is_scalar_v decay_t disjunction_v enable_if enable_if_t extent_v false_type has_unique_object_representations_v
type_traits   integral_constant invoke_result_t is_arithmetic_v is_base_of_v is_class_v is_const_v is_constructible_v
type_traits   is_convertible_v is_copy_constructible_v is_default_constructible_v is_empty_v is_enum_v
type_traits   is_floating_point is_floating_point_v is_function_v is_integral is_integral_v is_invocable_r_v
type_traits   is_invocable_v is_lvalue_reference_v is_nothrow_move_constructible_v is_pointer_v is_reference_v is_same
type_traits   is_same_v is_signed_v is_standard_layout_v is_trivially_copyable_v is_trivially_destructible_v
type_traits   is_unsigned_v is_void_v make_signed_t make_unsigned_t remove_const_t remove_cv_t remove_cvref_t
type_traits   remove_extent_t remove_pointer_t remove_reference_t true_type type_identity_t underlying_type_t void_t
type_traits   is_constant_evaluated is_trivially_copyable is_array_v is_trivial_v type_identity
typeindex     type_index
typeinfo      type_info
unordered_map begin empty end erase_if initializer_list size unordered_map unordered_multimap
unordered_set begin empty end erase_if initializer_list size unordered_set
utility       as_const declval exchange forward get in_place in_range index_sequence index_sequence_for integer_sequence
utility       make_index_sequence make_integer_sequence make_pair move pair piecewise_construct swap cmp_less
utility       cmp_less_equal cmp_equal cmp_greater tuple_size tuple_size_v unreachable
variant       get get_if holds_alternative monostate variant variant_alternative_t visit variant_size_v
vector        begin data empty end erase erase_if initializer_list size vector
version       version
TABLE
}

# shellcheck disable=SC2016  # Perl's variables
names | perl -e '
    my (%headers_of, %names_of);
    while (<STDIN>) {
        my ($header, @names) = split;
        push @{$names_of{$header}}, @names;
        $headers_of{$_}{$header} = 1 for @names;
    }
    # Of C, a file may also use names without std::, from either form of the header.
    my @fixed = grep /^u?int.*_t$|_M(AX|IN)$|^(errno|assert|offsetof|CHAR_BIT|FILE|stderr|stdout)$/, keys %headers_of;
    my $fixed = join "|", @fixed;
    # What a header is for, other than names.
    my %use_of = (cerrno => qr/\bE[A-Z0-9]+\b/, compare => qr/<=>/, csignal => qr/\bsig\w+|\bSIG\w+|\bkill\b/,
                  new => qr/\bnew\s*\(|\boperator (new|delete)\b/, typeinfo => qr/\btypeid\b/, version => qr/__cpp_lib_/);

    my (%text_of, %included_by, %exported_by, $wrong);
    sub read_file {
        my ($file) = @_;
        return if exists $text_of{$file};
        open my $in, "<", $file or die "$file: $!\n";
        my $text = join "", <$in>;
        $included_by{$file} = {map { $_ => 1 } $text =~ /^\s*#\s*include [<"]([^>"]+)[>"]/mg};
        $exported_by{$file} = {map { $_ => 1 } $text =~ /^\s*#\s*include <([^>]+)> +\/\/!? IWYU pragma: export/mg};
        my $lines_alone = sub { " " . $_[0] =~ s/[^\n]//gr };
        $text =~ s{(R"(\w*)\(.*?\)\g2"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\x27(?:\\.|[^\x27\\\n])+\x27|^\s*\#\s*(?:include|error)\b[^\n]*)}
                  {$lines_alone->($1)}gsme;
        $text_of{$file} = $text;
    }
    sub in_c { my ($header) = @_; return $header =~ /^c(?!har|omp|ond|hrono)(\w+)$/ ? "$1.h" : "" }
    for my $file (@ARGV) {
        read_file($file);
        my %included = %{$included_by{$file}};
        (my $own = $file) =~ s/\.cpp$/.hpp/;
        $own =~ s/\.cu$/.cuh/;
        if ($own ne $file && -e $own) { read_file($own); %included = (%included, %{$included_by{$own}}) }
        my $folder = $file =~ s|[^/]*$||r;
        for my $other (keys %included) {
            for my $path (grep { -f } $other, "$folder$other") { read_file($path); %included = (%included, %{$exported_by{$path}}) }
        }
        my ($text, %told) = ($text_of{$file});
        while ($text =~ /(?<![\w.>:])(?:::\s*)?(std::\s*(\w+)|($fixed)\b)/g) {
            my ($name, $qualified) = ($2 // $3, defined $2);
            next if $told{$name}++;
            my @headers = sort keys %{$headers_of{$name}};
            next if grep { $included{$_} || (!$qualified && $included{in_c($_)}) } @headers;
            my $line = 1 + (substr($text, 0, pos $text) =~ tr/\n//);
            if (@headers) { print "$file:$line: $1 needs <", join("> or <", @headers), ">\n" }
            else { print "$file:$line: $1 is not in the table of tests/includes.bash: add it to its header\n" }
            $wrong = 1;
        }
        for my $header (sort keys %{$included_by{$file}}) {
            next if $exported_by{$file}{$header};
            my ($plain) = grep { $header eq $_ || $header eq in_c($_) } keys %names_of or next;
            my $any = join "|", @{$names_of{$plain}};
            my $prefix = in_c($plain) ? qr/(?<![.])/ : qr/std::\s*/;
            next if $text =~ /$prefix\b(?:$any)\b/ || ($use_of{$plain} && $text =~ $use_of{$plain});
            print "$file: <$header> is not used\n";
            $wrong = 1;
        }
    }
    exit !!$wrong' "$@"
