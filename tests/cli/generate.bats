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

@test "what compare says of texts is what generate writes behind each prompt" {
    cat >short.th <<'END'
task t = scratchpad copy letters=2 length=1..7
model m = gpt layers=2 dim=32 position=hard_alibi masked=1
train m on t steps=200 batch=32 lr=3e-3 optimizer=muon seed=2 > "train.txt"
save m "m.safetensors"
compare m t length=1..6
echo "$words $wrong"
END
    run "$TAPEHEAD" -q --threads=1 short.th
    [ "$status" -eq 0 ]
    counted=${lines[-1]}
    echo 'load "m.safetensors"' >each.th
    words=(a b) all=()
    for length in 1 2 3 4 5 6; do
        all+=("${words[@]}")
        words=("${words[@]/%/a}" "${words[@]/%/b}")
    done
    for word in "${all[@]}"; do
        echo "generate m \"\\$word|\" until=. count=$((2 * (${#word} + 1)))" | sed 's/\\/\\$/' >>each.th
    done
    run "$TAPEHEAD" -q --threads=1 each.th
    [ "$status" -eq 0 ]
    right=0
    for i in "${!all[@]}"; do
        [[ ${lines[i]} == "\$${all[i]}|${all[i]}." || ${lines[i]} == "${all[i]}." ]] && right=$((right + 1))
    done
    echo "$counted, $right right"
    [ "$right" -gt 20 ] && [ "$right" -lt 126 ]
    [ "$counted" = "126 $((126 - right))" ]
}
