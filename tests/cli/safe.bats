#!/usr/bin/env bats
# tapehead --safe: no shell, and nothing is written outside the folder it was started in.

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p room/below roommate outside
    ln -s ../outside room/out
    ln -s ../outside/file room/file
    cd room || return
}

refused() { # command, part of the message
    run "$TAPEHEAD" -n -q --safe -e "$1"
    echo "$1: $output"
    [ "$status" -ne 0 ]
    [[ $output == *"$2"* ]]
    [ -z "$(find "$BATS_TEST_TMPDIR" -type f ! -path '*/room/*')" ]
}

@test "no command of the shell is run" {
    for command in '!touch ran' 'list | touch ran' '  ! touch ran' 'for i in 1..2 { !touch ran
}' 'if 1 < 2 { echo x | touch ran
}'; do
        refused "$command" "no commands of the shell"
        [ ! -e ran ]
    done
}

@test "every way to write stays in the folder" {
    automaton='automaton p = parity; '
    model='model m = gru dim=4; train m on parity steps=1 > "log.txt"; '
    printf '1RB1LB_1LA1RZ\n0RB0LB_1LA1RZ\n' >list.txt
    while read -r command; do
        refused "$command" "may be written to"
    done <<END
echo hi > "../x.txt"
echo hi >> "../x.txt"
echo hi > "file"
echo hi >> "file"
echo hi > "out/x.txt"
echo hi > "$BATS_TEST_TMPDIR/x.txt"
echo hi > "../roommate/x.txt"
cd ".."; echo hi > "x.txt"
cd "out"; echo hi > "x.txt"
log "../x.log"
log "out/x.log"
save all "../x.th"
$automaton save p "../x.dot"
$automaton plot p > "../x.svg"
$model save m "out/x.safetensors"
$model save m "../x.safetensors" as=pytorch
$model train m on parity steps=1 checkpoint="../x.safetensors"
$model activations m "ab" value=state > "../x.npy"
$model activations m "ab" > "../x.safetensors"
$model report m on parity > "../x.html"
$model plot loss m > "../x.pdf"
task t = parity; sample t length=3 count=3 > "../x.txt"
task t = parity; sample t length=3 count=3 >> "../x.csv"
load "list.txt" as many; run many > "../x.csv"
load "list.txt" as many; run many >> "../x.csv"
sweep "../x" for i in 1..2 { echo \$i }
sweep "out" for i in 1..2 { echo \$i }
suite regular models="rnn" tasks="parity" seeds=1 steps=1 into="../s"
suite regular models="rnn" tasks="parity" seeds=1 steps=1 into="out"
$automaton plot run p ab > "../r.png"
END
}

@test "in the folder and below all is as ever" {
    run "$TAPEHEAD" -n -q --safe -e 'echo hi > "x.txt"; echo hi >> "below/y.txt"; log "z.log"' \
        -e 'automaton p = parity; plot p > "p.svg"; save p "p.dot"' \
        -e 'sweep "s" for i in 1..2 { echo $i }' -e 'help train > "/dev/null"; echo out > "/dev/stdout"'
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *out* ]]
    [ -s x.txt ] && [ -s below/y.txt ] && [ -s p.svg ] && [ -s p.dot ] && [ -d s/points ]
}

@test "links that lie in the folder of a sweep are no way out" {
    mkdir -p s/claims s/points
    ln -s ../../outside/lock s/lock
    refused 'sweep "s" for n in 1..2 { echo $n }' "cannot write 's/lock'"
    rm s/lock
    ln -s ../../../outside/point s/points/n=1.json
    refused 'sweep "s" for n in 1..2 { echo $n }' "may be written to"
    rm s/points/n=1.json
    echo mine >"$BATS_TEST_TMPDIR/claim"
    touch -d '1 hour ago' "$BATS_TEST_TMPDIR/claim"
    ln -s ../../../claim s/claims/n=1
    timeout 2 "$TAPEHEAD" -n -q --safe -e 'sweep "s" for n in 1..2 { echo $n }' || true
    [ "$(cat "$BATS_TEST_TMPDIR/claim")" = mine ]
}

@test "gnuplot runs nothing that lies in the folder, nor what names and titles say" {
    echo 'os.execute("touch ran")' >gnuplot-tikz.lua
    echo '!touch ran' >.gnuplot
    cat >names.th <<'END'
automaton a {
  start "`touch ran`"
  accept "';system('touch ran')#"
  "`touch ran`" "`>ran`" -> "';system('touch ran')#"
  "`touch ran`" "\";system('>ran');#" -> "TH_EOD"
  "TH_EOD" "@touch" -> "\\input{x}"
}
plot automaton a > "1.svg"
plot automaton a title="`touch ran`" > "1.tex"
plot growth a title="''`touch ran`" > "2.svg"
plot growth a title="'; system('touch ran') #" > "2.tex"
plot growth a title="\"; system('touch ran') #" > "3.txt"
END
    HOME=$PWD run "$TAPEHEAD" -n -q --safe names.th
    echo "$output"
    [ "$status" -eq 0 ]
    [ ! -e ran ] && [ ! -e ../ran ]
    [ -s 1.svg ] && [ -s 2.tex ]
}

@test "a report has its pictures, and leaves nothing else" {
    cd below
    run "$TAPEHEAD" -n -q --safe -e 'model m = gru dim=4; train m on parity steps=1 > "log.txt"' \
        -e 'report m on parity length=5..6 > "a \$b.html"'
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -c '<svg' 'a $b.html')" -eq 2 ]
    [ "$(ls)" = $'a $b.html\nlog.txt' ]
}

@test "a sweep's points are no way out" {
    run "$TAPEHEAD" -n -q --safe -e 'sweep "s" for i in 1..2 { echo $i > "../x$i" }'
    [[ $output == *"2 failed"* ]]
    [ ! -e ../x1 ]
}

@test "--serve runs no shell unless it is allowed" {
    ask='{"run": "!echo it ran"}'
    [[ $("$TAPEHEAD" -n --serve <<<"$ask") == *"no commands of the shell"* ]]
    [[ $("$TAPEHEAD" -n --allow-shell --serve <<<"$ask") == *"it ran"*'"ok"'* ]]
    [[ $("$TAPEHEAD" -n --allow-shell --safe --serve <<<"$ask") == *"no commands of the shell"* ]]
}

@test "a pager that the user names is not started" {
    run "$TAPEHEAD" -n -q --safe -e 'set pager "touch ran"; help train'
    [ "$status" -eq 0 ]
    [ ! -e ran ]
}
