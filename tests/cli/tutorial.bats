#!/usr/bin/env bats
# The ways into the program: the first screen, the tutorial, the examples, questions and guesses.

setup() {
    tapehead=$(realpath "${TAPEHEAD:-./tapehead}")
    cd "$BATS_TEST_TMPDIR" || return
}

@test "help fits one screen, and names eleven groups and six ways to start" {
    run "$tapehead" -e help
    [ "${#lines[@]}" -le 22 ]
    "$tapehead" -e help >out
    [ "$(wc -l <out)" -le 23 ]
    [ -z "$(grep -E '^.{81}' out)" ]
    [ "$(sed -n '/^Groups/,/^help/p' out | grep -cE '^  [a-z]+ +[^ ]')" -eq 11 ]
    [ "$(sed -n '/^Ways/,/^Groups/p' out | grep -cE '^  ')" -eq 6 ]
}

@test "help GROUP lists the commands of a group, help all those of all" {
    "$tapehead" -e 'help all' >all
    for group in $("$tapehead" -e help | sed -n '/^Groups/,/^help/s/^  \([a-z]*\) .*/\1/p'); do
        grep -qx "$group" all
        run "$tapehead" -e "help $group"
        [ "$status" -eq 0 ]
        grep -qF "${lines[0]}" all
    done
}

@test "every page of the tutorial runs" {
    for page in {1..13}; do
        run "$tapehead" -e "tutorial $page"
        echo "$output"
        [ "$status" -eq 0 ]
        [[ ${lines[0]} == "$page: "* ]]
        [[ $output == *"tapehead> "* ]]
    done
    [ -s odd.svg ]
    run "$tapehead" -e 'tutorial 14'
    [ "$status" -eq 1 ]
    [ "$("$tapehead" -e 'help tutorial' | grep -cE '^ +[0-9]+  ')" -eq 13 ]
}

@test "help examples lists scripts that are there" {
    "$tapehead" -e 'help examples' >out
    folder=$(sed -n '1s/.* in \(.*\), for source.*/\1/p' out)
    [ -f "$folder/07-training/parity.th" ]
    grep -q '^  parity.th  *Parity, from an automaton' out
    # Folder by folder, in the order of the book.
    [ "$(grep -E '^[0-9a-z-]+$' out | head -3 | tr '\n' ' ')" = "01-automata 02-monoids 03-machines " ]
    [ "$(grep -E '^[0-9a-z-]+$' out | tail -1)" = slow ]
}

@test "questions are answered" {
    "$tapehead" -e 'help run' >want
    for question in '?run' '? run' 'run?' 'man run' 'run --help'; do
        "$tapehead" -e "$question" | cmp - want
    done
    "$tapehead" -e help >want
    "$tapehead" -e '?' | cmp - want
    "$tapehead" -e '--help' | cmp - want
    run "$tapehead" -e 'nonsense?'
    [ "$status" -eq 1 ]
}

@test "words of other programs lead to the command, in hints, help and apropos" {
    for word in draw print ls delete export import dfa nfa union complement picture slides undo; do
        run "$tapehead" -e "$word"
        [ "$status" -eq 1 ]
        [[ $output == *"unknown command '$word'"*hint:* ]]
        [[ $output != *"help lists the commands"* ]]
        [[ $output != *"did you mean"* ]]
        "$tapehead" -e "help $word" >help
        "$tapehead" -e "apropos $word" | grep -q "^  $word "
        [ -s help ]
    done
    run "$tapehead" -e exit -e 'echo not reached'
    [ "$output" = "" ]
}

@test "help words is a glossary whose every term apropos and help find" {
    "$tapehead" -e 'help words' | sed '1,/^Words of the field/d' >words
    sed -n 's/^  \([^ ].*[^ ]\)  .*/\1/p' words | sed 's/   *.*//' >terms
    [ "$(wc -l <terms)" -gt 90 ]
    LC_ALL=C sort -f terms | cmp - terms
    if [[ $tapehead == */@(asan|fuzz)/* ]]; then # it takes long to start
        sed -i -n '1~8p' terms
    fi
    while read -r term; do
        "$tapehead" -e "apropos \"$term\"" </dev/null | grep -qF "  $term  " || { echo "$term"; false; }
        "$tapehead" -e "help $term" </dev/null >help
        [ -s help ]
    done <terms
    run "$tapehead" -e padding
    [[ $output == *"hint: what fills rows"* ]]
}

@test "the completion of the shell knows the values of --format=" {
    "$BATS_TEST_DIRNAME/../../scripts/editors/fill" "$tapehead" \
        "$BATS_TEST_DIRNAME/../../scripts/editors/tapehead.bash" >completion
    . ./completion
    COMP_WORDS=(tapehead --format = js) COMP_CWORD=3
    _tapehead
    [ "${COMPREPLY[*]}" = json ]
    COMP_WORDS=(tapehead --format =) COMP_CWORD=2
    _tapehead
    [ "${COMPREPLY[*]}" = "text json csv" ]
}

@test "the first way to a trained model that help shows leads to one that is right beyond its lengths" {
    way=$("$tapehead" -e help | grep 'task t = ')
    commands=$(echo "$way" | sed 's/^  \(task t = [a-z ]*[a-z]\)   *.*; \(model .*\), \(train .*\)$/\1\n\2\n\3/')
    [ "$(echo "$commands" | wc -l)" -eq 3 ]
    seeds="1 2 3"
    [[ $tapehead != */@(asan|fuzz)/* ]] || seeds=1
    for seed in $seeds; do
        run "$tapehead" -q --threads=1 --seed=$seed -e 'automaton p = parity' -e "$commands" \
            -e 'evaluate m on t length=41..500:51 samples=64' -e 'assert accuracy > 0.99'
        echo "$output"
        [ "$status" -eq 0 ]
    done
}

@test "help weights speaks of parameters that models have" {
    "$tapehead" -q -e 'help weights' | tr -s ' \n' ' ' >page
    while read -r kind name; do
        grep -qw -- "$name" page
        "$tapehead" -q -e "model m = $kind; train m on parity steps=1 length=2 batch=2" -e 'show m' | grep -w -- "$name"
    done <<'END'
gpt key_value
gpt(position=fire) threshold
regulargpt(fan_in=2) from
deltanet convolution
lru phase
s4d decay
mamba select
pd_ssm norm
END
}

@test "a gru's answer can be computed from its file with numpy" {
    cd "$BATS_TEST_TMPDIR"
    "$tapehead" --quiet -e 'model r = gru dim=3; train r on tomita(3) length=1..6 steps=20 lr=0.05 seed=1' \
        -e 'save r "r.safetensors"; run r 01101' >/dev/null
    "$tapehead" --quiet -e 'load "r.safetensors"; run r 01101' | sed -n '/^class/,$p' | tail -2 | tr -s ' ' >want
    /usr/bin/python3 "$BATS_TEST_DIRNAME/../../examples/12-your-own-model/gru.py" r.safetensors 01101 |
        tr -s ' ' >got
    diff want got
}

@test "examples/README.md has each example, and no other" {
    cd "$BATS_TEST_DIRNAME/../../examples"
    grep -o '](\([0-9a-z]*-[^)]*\|slow/[^)]*\|data/[^)]*\|notebooks/[^)]*\))' README.md | tr -d '()]' | sort -u >"$BATS_TEST_TMPDIR/named"
    find ./*/ -type f ! -name '*.csv' | sed 's|^\./||' | sort | diff - "$BATS_TEST_TMPDIR/named"
}

@test "the picture of README.md is the session of the book" {
    root=$BATS_TEST_DIRNAME/../..
    "$root/scripts/screen" "$root/man/book/09-proofs.md" 'A proof' >screen.svg
    cmp screen.svg "$root/man/book/screen.svg"
}
