#!/usr/bin/env bats
# What files do to the program, and it to files: devices, links, full disks, what cannot be read.
# shellcheck disable=SC2016  # commands of the program stand in single quotes

setup() {
    TAPEHEAD=$(realpath "${TAPEHEAD:-./tapehead}")
    cd "$BATS_TEST_TMPDIR" || return
    export HOME=$BATS_TEST_TMPDIR
}

# Standard output and error apart: $output, $stderr, $status.
go() {
    local status_
    "$TAPEHEAD" "$@" >out 2>err </dev/null && status_=0 || status_=$?
    output=$(cat out)
    stderr=$(cat err)
    status=$status_
}

@test "what cannot be read is an error that leaves the session alive" {
    mkdir folder.txt
    ln -s a.txt b.txt
    ln -s b.txt a.txt
    truncate -s 1100M big.txt
    for name in missing folder a big; do
        go -k -e "load \"$name.txt\" as w" -e 'echo alive'
        [ "$status" -eq 1 ]
        [ "$output" = alive ]
        [[ $stderr == *"'$name.txt'"* ]]
    done
}

@test "a pipe that nobody writes to is left at Ctrl-C, and when the time is over" {
    mkfifo fifo.txt
    run timeout --preserve-status -s INT 0.5 "$TAPEHEAD" -e 'load "fifo.txt"'
    [ "$status" -eq 130 ]
    go -e 'set limit-time 0.2' -e 'load "fifo.txt"'
    [ "$status" -eq 1 ]
    [[ $stderr == *"the time limit of 0.2 s is over"* ]]
}

@test "an open file is written to by its other names, not replaced" {
    for to in '> "/dev/stdout"' '>> "/dev/stdout"' '> "/dev/fd/3"' '> "/proc/self/fd/3"'; do
        (
            echo before
            "$TAPEHEAD" -e "echo first" -e "list $to" -e 'echo x' 3>&1
            echo after
        ) >f
        [ "$(cat f)" = $'before\nfirst\nx\nafter' ]
        (
            echo before
            "$TAPEHEAD" -e 'automaton p = parity' -e "list $to" 3>&1
            echo after
        ) >f
        [ "$(sed -n '1p;$p' f)" = $'before\nafter' ]
        grep -q 'p *automaton' f
    done
    mkfifo pipe
    cat pipe >read &
    go -e 'automaton p = parity' -e 'list > "pipe"'
    wait $!
    [ -p pipe ]
    grep -q 'p *automaton' read
    go -e 'list > "/dev/fd/9"' 9>&- # which may be open here
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot write '/dev/fd/9'"* ]]
}

@test "links are followed, also to what is not there yet" {
    ln -s there.csv link.csv
    go -e 'list > "link.csv"'
    [ "$status" -eq 0 ]
    [ -L link.csv ]
    [ -f there.csv ]
    mkdir folder
    ln -s folder/deep.csv other.csv
    go -e 'list > "other.csv"'
    [ -f folder/deep.csv ]
    ln -s a b
    ln -s b a
    go -e 'list > "a"'
    [ "$status" -eq 1 ]
    [[ $stderr == *"symbolic links"* ]]
}

@test "a file that is too large is an error that leaves nothing" {
    run bash -c 'ulimit -f 8; "$0" -k -e "automaton p = cycle(5000)" -e "save p \"p.th\"" \
        -e "echo alive"' "$TAPEHEAD"
    [ "$status" -eq 1 ]
    [[ $output == *"File too large"*alive ]]
    [ -z "$(ls -A)" ]
}

@test "appending to a full disk leaves what was there" {
    printf 'old\n' >list.txt
    run bash -c 'ulimit -f 1; "$0" -e "automaton p = cycle(100)" -e "show p >> \"list.txt\""' \
        "$TAPEHEAD"
    [ "$status" -eq 1 ]
    [ "$(cat list.txt)" = old ]
}

@test "what a killed writer left is removed by the next, and nothing else" {
    touch p.th.tapehead-abcdef p.th.tapehead-abcdefg p.th.backup q.th.tapehead-abcdef
    go -e 'automaton p = parity' -e 'save p "p.th"'
    [ "$status" -eq 0 ]
    [ ! -e p.th.tapehead-abcdef ]
    [ -e p.th.tapehead-abcdefg ] && [ -e p.th.backup ] && [ -e q.th.tapehead-abcdef ]
}

@test "processes that write to one file do not take each other's for left behind" {
    printf 'automaton a = parity\nfor i in 1..2000 { count a length=0..2 > "out.txt" }\n' >many.th
    pids=()
    for i in 1 2 3; do
        "$TAPEHEAD" -q many.th 2>"err$i" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || cat err?; done
    [ -z "$(cat err?)" ]
    [ "$(wc -l <out.txt)" -gt 1 ]
    [ -z "$(find . -name '*.tapehead-*')" ]
}

@test "a small address space ends no session, and does not hang it" {
    [[ $TAPEHEAD != */@(asan|fuzz)/* ]] || skip "the sanitizers take memory of their own"
    for mebibytes in 110 160 210; do
        run bash -c "ulimit -v $((mebibytes * 1024)); OPENBLAS_CORETYPE=Haswell \
            OPENBLAS_NUM_THREADS=2 timeout -s KILL 5 '$TAPEHEAD' -k -e 'model m = lstm' -e 'echo hi'"
        [ "$status" -eq 1 ]
        [[ $output == *"out of memory for matrix products"*hi ]]
    done
}

@test "a script whose line has no room is no script at its end" {
    [[ $TAPEHEAD != */@(asan|fuzz)/* ]] || skip "the sanitizers take memory of their own"
    {
        printf 'echo begin\necho "'
        head -c 150000000 /dev/zero | tr '\0' x
        printf '"\nassert 1 == 2\n'
    } >long.th
    run bash -c "ulimit -v 200000; timeout -s KILL 5 '$TAPEHEAD' long.th"
    [ "$status" -eq 1 ]
    [[ $output == *"out of memory"* ]]
}

@test "what has no end is no script, and eats no memory" {
    [[ $TAPEHEAD != */@(asan|fuzz)/* ]] || skip "the sanitizers take memory of their own"
    run bash -c "ulimit -v 4000000; timeout -s KILL 60 '$TAPEHEAD' -e 'source \"/dev/zero\"'"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == "/dev/zero:1:1: error: a line is longer than 268435456 bytes"* ]]
    run bash -c "ulimit -v 4000000; (echo 'automaton p {'; yes 'a a -> a') | timeout -s KILL 60 '$TAPEHEAD'"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == "<stdin>:"*":1: error: a statement is longer than 67108864 bytes"* ]]
}

@test "a string of many lines is read once" {
    {
        printf 'echo "'
        yes 'a \" b' | head -n 200000
        printf 'c"\necho "x\\q"\n'
    } >string.th
    run timeout -s KILL 20 "$TAPEHEAD" string.th
    [ "$status" -eq 1 ]
    [[ $output == *'string.th:200002:8: error: unknown escape in a string'* ]]
    [ "$(grep -cx 'a " b' <<<"$output")" -eq 200000 ]
}

@test "hints are sought for what was typed, and not for a hundred thousand brackets" {
    for word in minimize union; do
        {
            printf 'automaton p = '
            yes "$word(" | head -n 100000 | tr -d '\n'
            printf parity
            yes ')' | head -n 100000 | tr -d '\n'
        } >deep.th
        run timeout -s KILL 20 "$TAPEHEAD" deep.th
        [ "$status" -eq 1 ]
        [[ $output == "deep.th:1:"* ]]
    done
}

@test "a grammar of a hundred thousand symbols or variables is refused" {
    {
        printf 'grammar g { S -> '
        yes a | head -n 100000 | tr '\n' ' '
        printf '}\n'
    } >long.th
    run timeout -s KILL 20 "$TAPEHEAD" long.th
    [ "$status" -eq 1 ]
    [[ $output == "long.th:1:40018: error: a grammar has at most 20000 symbols on right sides"* ]]
    {
        echo 'grammar g {'
        seq 100000 | sed 's/.*/V& -> a/'
        echo '}'
    } >many.th
    run timeout -s KILL 20 "$TAPEHEAD" many.th
    [ "$status" -eq 1 ]
    [[ $output == "many.th:10002:1: error: a grammar has at most 10000 variables"* ]]
}

@test "long files are left when the time is over; a line is no word of millions of symbols" {
    seq 1 400000 | awk '{ print $1 "\t" $1 + 1 "\ta" }' >long.att
    head -c 3000000 /dev/zero | tr '\0' a >long.txt
    go -k -e 'set limit-time 0.01' -e 'load "long.att"' -e 'load "long.txt" as w'
    [ "$status" -eq 1 ]
    [[ $stderr == *"the time limit of 0.01 s is over"*"interrupted at "*" lines"* ]]
    go -e 'load "long.txt" as w'
    [[ $stderr == *"long.txt:1:1: a word of more than a million symbols"* ]]
}

@test "errors are answers, too, where answers are json; definitions are no rows of csv" {
    go -f json -e 'automaton p = party'
    [ "$status" -eq 1 ]
    [ "$output" = '{"error":{"message":"there is no automaton party","source":"<command>","line":1,"column":15,"hint":"did you mean parity?"}}' ]
    [[ $stderr == *"there is no automaton party"* ]]
    go -f csv -e 'automaton p = parity; count p length=1'
    [ "$output" = $'length,words\n1,1' ]
}

@test "a script's models and certificates are found beside it" {
    mkdir -p scripts here
    cat >scripts/make.th <<'END'
task t = parity
model m = regulargpt dim=16 heads=2
train m on t length=1..40 steps=600 batch=32 lr=3e-3 schedule=cosine noise=0.5 ramp=0.4 centre_loss=0.3 auxiliary_loss=0.5 loss_threshold=0.2 seed=1
certify m on t certificate="p.cert"
save m "m.safetensors"
END
    (cd scripts && "$TAPEHEAD" -q make.th >/dev/null)
    cat >scripts/check.th <<'END'
task t = parity
load "m.safetensors" as m
check certificate "p.cert" of m on t
assert holds
load "raspl"
END
    cd here
    go ../scripts/check.th
    [ "$status" -eq 0 ]
    [[ $output == *"certificate holds"* ]]
    # What lies here comes first; what lies nowhere is named as it was written.
    echo nonsense >m.safetensors
    go ../scripts/check.th
    [ "$status" -eq 1 ]
    [[ $stderr == *"m.safetensors"* ]]
    rm m.safetensors ../scripts/m.safetensors
    go ../scripts/check.th
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot read 'm.safetensors'"* ]]
}
