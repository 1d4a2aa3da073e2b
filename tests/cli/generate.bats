#!/usr/bin/env bats
# Generation as a user sees it from outside: interruption keeps what has been written.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat >start.th <<'END'
automaton turns {
  start a ; accept a b
  a a -> b ; a b -> a ; b a -> b ; b b -> a
}
task next = track turns
model m = gru dim=64
train m on next length=1..10 steps=100 lr=0.01 seed=1 > "train.txt"
END
}

@test "Ctrl-C keeps what has been written and ends a batch with status 130" {
    cat start.th >long.th
    echo 'generate m ab count=1000000 cache=no' >>long.th
    echo 'echo not reached' >>long.th
    run timeout --preserve-status -s INT 6 "$TAPEHEAD" long.th # the training may take a while
    [ "$status" -eq 130 ]
    [[ "${lines[0]}" == abababab* ]]
    [[ "$output" == *"interrupted at "*" symbols"* ]]
    [[ "$output" != *"not reached"* ]]
}

@test "a terminal sees symbols while they are written" {
    cat start.th >long.th
    echo 'generate m ab count=1000000 cache=no' >>long.th
    timeout -s KILL 4 script -qfc "$TAPEHEAD long.th" typed >/dev/null 2>&1 </dev/null || true
    grep -q ababababababab typed
}
