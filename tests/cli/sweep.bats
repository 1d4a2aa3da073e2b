#!/usr/bin/env bats
# Sweeps as a user sees them from outside: what is recorded, what is run again, what survives.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat >grid.th <<'END'
task t = parity
sweep "runs" jobs=2 for kind in [rnn, gru], seed in 1..4 {
  model m = $kind dim=4
  train m on t length=1..6 steps=30 seed=$seed
  evaluate m on t length=3..6 samples=16
}
END
    echo 'results "runs" > "table.csv"' >table.th
}

# A grid of points that take a tenth of a second each.
slow() { # points
    cat >slow.th <<END
sweep "runs" jobs=2 for n in 1..$1 {
  ! sleep 0.1
  automaton a = cycle(3)
  count a length=3
}
END
}

records() {
    find runs/points -name '*.json' 2>/dev/null | wc -l
}

@test "a sweep that was interrupted does what is missing, and gives the same table" {
    "$TAPEHEAD" grid.th table.th
    mv table.csv whole.csv
    mv runs whole
    slow 12
    "$TAPEHEAD" slow.th &
    until [ "$(records)" -gt 0 ]; do sleep 0.02; done
    kill -INT $!
    wait $! || status=$?
    [ "$status" -eq 130 ]
    some=$(records)
    [ "$some" -gt 0 ] && [ "$some" -lt 12 ]
    "$TAPEHEAD" slow.th | grep -q "12 points: 12 done ($some of them before"
    rm -rf runs
    "$TAPEHEAD" grid.th table.th
    cmp table.csv whole.csv
}

@test "kill -9 at any moment loses at most the points that were running" {
    slow 60
    sed -i 's/sleep 0.1/sleep 0.04/' slow.th
    echo 'results "runs" of=total > "table.csv"' >table.th
    for i in {1..30}; do
        "$TAPEHEAD" slow.th >/dev/null 2>&1 &
        sleep "0.$(printf %03d $((RANDOM % 150 + 20)))"
        before=$(records)
        kill -9 $! 2>/dev/null && wait $! || true
        [ "$(records)" -ge "$before" ]
        [[ "$("$TAPEHEAD" -e 'results "runs" of=count' 2>&1)" != *"no record of a sweep"* ]]
    done
    "$TAPEHEAD" slow.th table.th | grep -q "60 points: 60 done"
    [ "$(records)" -eq 60 ]
    mv table.csv killed.csv
    rm -rf runs
    "$TAPEHEAD" slow.th table.th
    cmp table.csv killed.csv
}

@test "the children of a killed sweep do not go on" {
    slow 2
    sed -i 's/sleep 0.1/sleep 3/' slow.th
    "$TAPEHEAD" slow.th >/dev/null 2>&1 &
    sleep 0.5
    kill -9 $!
    sleep 0.5
    run pgrep -f "tapehead slow.th"
    [ "$status" -ne 0 ]
}

@test "a grid without end, or with a point twice, is refused, and leaves no folder" {
    run timeout 60 "$TAPEHEAD" -q -e 'sweep "endless" for i in 1..1000000000 { keep i }'
    [ "$status" = 1 ]
    [[ $output == *"a sweep has at most 100000 points"* ]]
    [ ! -e endless ]
    run "$TAPEHEAD" -q -e 'sweep "double" for i in [1, 2, 1] { keep i }'
    [ "$status" = 1 ]
    [[ $output == *"the point i=1 stands in the grid twice"* ]]
    [ ! -e double ]
}

@test "a changed grid runs what is new; of other commands all" {
    slow 3
    "$TAPEHEAD" slow.th
    sed -i 's/1\.\.3/1..5/' slow.th
    "$TAPEHEAD" slow.th | grep -q "5 points: 5 done (3 of them before"
    sed -i 's/length=3/length=4/' slow.th
    sed -i 's/1\.\.5/1..2/' slow.th
    run "$TAPEHEAD" slow.th
    [ "$status" -eq 0 ]
    [[ "$output" == *"the body: other commands: 2 points are computed again"* ]]
    [ "$(records)" -eq 2 ]
    [ "$(find runs/stale -name '*.json' | wc -l)" -eq 5 ]
}

@test "parts on several machines make one sweep" {
    slow 5
    for k in 1 2; do
        sed "s|jobs=2|part=$k/2|" slow.th >part.th
        "$TAPEHEAD" part.th
    done
    [ "$(records)" -eq 5 ]
    "$TAPEHEAD" slow.th | grep -q "5 points: 5 done (5 of them before"
}

@test "a point that fails, or is killed, is recorded, and runs again when that is wished" {
    cat >fails.th <<'END'
sweep "runs" for n in 1..3 {
  ! echo $$ >>ran.txt
  if n == 2 {
    ! test -e mended
  }
  if n == 3 {
    ! kill -9 $PPID
  }
  automaton a = cycle(3)
}
assert failed == 2 and done == 1
END
    run "$TAPEHEAD" fails.th
    [ "$status" -eq 0 ]
    run "$TAPEHEAD" -e 'results "runs" of=states'
    [[ "$output" == *"failed: n=2: the shell command ended with status 1"* ]]
    [[ "$output" == *"failed: n=3: "* ]]
    run "$TAPEHEAD" -f csv -e 'results "runs" of=states'
    [[ "$output" == *$'\n\npoint,error\nn=2,the shell command ended with status 1 ('* ]]
    run "$TAPEHEAD" -f json -e 'results "runs" of=states'
    [[ "$output" == *'"failures":[{"point":"n=2","error":"the shell command ended with status 1 ('* ]]
    [ "$(wc -l <ran.txt)" -eq 3 ]
    "$TAPEHEAD" fails.th
    [ "$(wc -l <ran.txt)" -eq 3 ]
    touch mended
    sed -e 's/sweep "runs"/sweep "runs" retry=yes/' -e '/assert/d' fails.th >again.th
    "$TAPEHEAD" again.th | grep -q "3 points: 2 done (1 of them before.*), 1 failed"
    [ "$(wc -l <ran.txt)" -eq 5 ]
    grep -q "ended by signal 9" runs/points/n=3.json
}

@test "a point whose record has no room says so" {
    run bash -c 'ulimit -f 8
        "$TAPEHEAD" -q -e "sweep \"runs\" for n in [12] { words parity length=0..\$n most=100000 }"'
    [[ $output == "1 points: 0 done, 1 failed"* ]]
    run "$TAPEHEAD" -e 'results "runs"'
    [[ $output == *"failed: n=12: its record could not be written"* ]]
}

@test "a record has the digits of the numbers, the options, and the lengths trained last" {
    cat >record.th <<'END'
set seed 3
task p = parity
third = 1 / 3
sweep "runs" for n in 1..2, x in [0.1] {
  model a = rnn dim=3
  model b = gru dim=4
  if n == 1 { train a on p length=2..4 steps=80; train b on p length=3..6 steps=80 lr=2e-3 }
  if n == 2 { train b on p length=3..6 steps=80; train a on p length=2..4 steps=80 }
  evaluate b on p length=3..4 samples=48
  keep third
}
END
    "$TAPEHEAD" record.th
    grep -q '"trained":\[3,6\]' runs/points/n=1*.json
    grep -q '"trained":\[2,4\]' runs/points/n=2*.json
    cat >look.py <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
o = r["options"]
assert o["train"]["operands"] == "a p" and o["train 2"]["operands"] == "b p", o
assert o["train 2"]["lr"] == 0.002 and o["train 2"]["steps"] == 80
assert o["train 2"]["length"] == "3..6" and o["train"]["batch"] > 0
assert o["evaluate"]["samples"] == 48 and o["model 2"]["dim"] == 4
assert r["inputs"]["variables"] == {"third": 1 / 3}
assert r["inputs"]["settings"]["seed"] == 3
assert r["inputs"]["definitions"]["p"].startswith("task parity")
answers = {k: v for one in r["results"] for k, v in one.items()}
assert answers["third"] == 1 / 3, answers
END
    python3 look.py "runs/points/n=1,x=0.1.json"
}

@test "the seconds of a point are the processor's, not the clock's" {
    printf '%s\n' 'sweep "runs" for n in 1..2 {' '  automaton a = cycle(3)' '  count a length=3' '  ! sleep 2' '}' >asleep.th
    "$TAPEHEAD" -q asleep.th
    cat runs/points/*.json | grep -o '"seconds":[0-9.e-]*' | awk -F: '$2 > 0 && $2 < 1' >short.txt
    [ "$(wc -l <short.txt)" -eq 2 ]
}

@test "one thread, a process and a loop give the same models" {
    sed -i 's/^}/  keep m\n}/' grid.th
    "$TAPEHEAD" grid.th
    cat >loop.th <<'END'
set threads 1
task t = parity
model m = gru dim=4
train m on t length=1..6 steps=30 seed=3 > "t.txt"
evaluate m on t length=3..6 samples=16
save m "m.safetensors"
END
    "$TAPEHEAD" loop.th >/dev/null
    cmp m.safetensors "runs/kept/kind=gru,seed=3-m.safetensors"
}

@test "a damaged record is an error that names it, and nothing is run" {
    slow 2
    "$TAPEHEAD" slow.th
    echo '{"point": ' >runs/points/n=1.json
    run "$TAPEHEAD" slow.th
    [ "$status" -eq 1 ]
    [[ "$output" == *"runs/points/n=1.json:"*"no record of a sweep"* ]]
    for other in '[]' '{"a":1}' '{"point":{"n":1}}'; do
        echo "$other" >runs/points/n=1.json
        run "$TAPEHEAD" -e 'results "runs" of=count'
        [ "$status" -eq 1 ]
        [[ "$output" == *"runs/points/n=1.json:"*"no record of a sweep"*"runs the point again"* ]]
    done
    run "$TAPEHEAD" -e 'results "runs" of=total'
    [ "$status" -eq 1 ]
}

need_mpi() {
    command -v mpirun >/dev/null && [ -e "$(dirname "$(realpath "$TAPEHEAD")")/tapehead-mpi.so" ] ||
        skip "no MPI"
}

# mpirun -n N, also as root and on few processors.
ranks() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 \
        mpirun --oversubscribe -n "$1" "$TAPEHEAD" -q "${@:2}"
}

three() {
    ranks 3 "$@"
}

# What was computed, without times.
points() {
    cat "$1"/points/*.json | sed 's/"seconds":[^,}]*//g; s/"memory":[^,}]*//g; s/"rate":[^,}]*//g'
}

@test "three processes of mpirun give the records of one" {
    need_mpi
    printf 'echo hello\n! echo shell >>shell.txt\n' >>grid.th
    sed -i 's/^}/  keep m\n}/' grid.th
    three grid.th table.th >said.txt
    [ "$(cat said.txt)" = "$(printf '8 points: 8 done\nhello')" ]
    [ "$(wc -l <shell.txt)" -eq 1 ]
    mv runs ranks
    mv table.csv ranks.csv
    "$TAPEHEAD" grid.th table.th
    cmp table.csv ranks.csv
    diff <(points runs) <(points ranks)
    diff -r runs/kept ranks/kept
    three grid.th | grep -q "8 points: 8 done (8 of them before"
}

@test "a script of a paper, unchanged, gives in four ranks what it gives in one" {
    need_mpi
    cp "$BATS_TEST_DIRNAME"/../../examples/11-papers/regular-fig1.{th,csv} .
    ranks 4 regular-fig1.th >said.txt
    grep -q "11 points: 11 done" said.txt
    mv regular-fig1 ranks
    "$TAPEHEAD" -q regular-fig1.th >alone.txt
    diff <(points regular-fig1) <(points ranks)
    diff <(sed 's/done.*//' said.txt) <(sed 's/done.*//' alone.txt)
}

@test "a rank that is killed ends the job, and the next start does what is missing" {
    need_mpi
    slow 20
    sed -i 's/sleep 0.1/sleep 0.2/' slow.th
    three slow.th >/dev/null 2>&1 &
    for i in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.2
        [ -d runs/points ] && [ "$(records)" -ge 3 ] && break
    done
    pkill -9 -o -f "^[^ ]*tapehead -q slow.th"
    ! wait $!
    sleep 0.5 # points that were about to end
    some=$(records)
    [ "$some" -ge 3 ] && [ "$some" -lt 20 ]
    three slow.th | grep -q "20 points: 20 done ($some of them before"
}

@test "a script that fails fails in all processes, and says so once" {
    need_mpi
    echo 'nonsense' >bad.th
    run three bad.th
    [ "$status" -ne 0 ]
    [ "$(grep -c "unknown command" <<<"$output")" -eq 1 ]
}

@test "processes of mpirun train each for itself outside of a sweep, and one writes" {
    need_mpi
    cat >one.th <<'END'
task parity = parity
model m = gru dim=6
train m on parity length=2..8 steps=20 batch=2 seed=1 checkpoint="m.safetensors" > "train.txt"
activations m "abba" > "inside.csv"
END
    three --threads 1 one.th
    mv inside.csv ranks.csv
    rm m.safetensors
    "$TAPEHEAD" --threads 1 one.th
    cmp ranks.csv inside.csv
}

@test "a rank that is killed ends a training, which goes on from what was saved" {
    need_mpi
    cat >long.th <<'END'
set threads 1
task parity = parity
model m = gru dim=6
train m on parity length=2..8 steps=10000000 batch=12 checkpoint="m.safetensors" every=5 report=1000000
END
    three long.th >/dev/null 2>&1 &
    for i in {1..60}; do
        sleep 0.2
        [ -e m.safetensors ] && break
    done
    pkill -9 -n -f "^[^ ]*tapehead -q long.th"
    ! wait $!
    run timeout -s INT 3 "$TAPEHEAD" long.th
    [[ "$output" == *"continuing from m.safetensors"* ]]
}
