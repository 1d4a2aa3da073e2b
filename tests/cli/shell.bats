#!/usr/bin/env bats
# Options, exit statuses, streams, files and environment of the program.
# shellcheck disable=SC2016  # commands of the program stand in single quotes

setup() {
    TAPEHEAD=$(realpath "${TAPEHEAD:-./tapehead}")
    cd "$BATS_TEST_TMPDIR" || return
    export HOME=$BATS_TEST_TMPDIR/home
    mkdir "$HOME"
    unset XDG_CONFIG_HOME XDG_STATE_HOME NO_COLOR PAGER
}

# Standard output and error apart: $output, $stderr, $status.
go() {
    local status_
    "$TAPEHEAD" "$@" >out 2>err </dev/null && status_=0 || status_=$?
    output=$(cat out)
    stderr=$(cat err)
    status=$status_
}

@test "--version names the kernels of OpenBLAS" {
    go --version
    [ "$status" -eq 0 ]
    [[ $output == tapehead\ [0-9]* ]]
    [[ $output == *"kernels: "*", OpenBLAS "*"'s "* ]]
    [ -z "$stderr" ]
}

@test "TAPEHEAD_KERNELS chooses the program's own kernels, and a model says which it was made by" {
    TAPEHEAD_KERNELS=plain go --version
    [[ $output == *"kernels: plain, "* ]]
    TAPEHEAD_KERNELS=plain go -e 'model m = rnn dim=8
train m on parity steps=2
save m "m.safetensors"
show m'
    [[ $output != *"made by"* ]]
    highest=$("$TAPEHEAD" --version | sed -n 's/^kernels: \([^,]*\),.*/\1/p')
    go -e 'load "m.safetensors" as m; show m'
    [ "$highest" = plain ] || [[ $output == *"# made by   kernels plain, "*"; here they are $highest, "* ]]
    TAPEHEAD_KERNELS=v9 go -e 'echo 1'
    [ "$status" -eq 1 ]
    [[ $stderr == 'tapehead: there are no kernels "v9": plain'* ]]
    [ -z "$output" ]
}

@test "a model that an older version saved, which says no kernels, still loads" {
    go -e 'model m = rnn dim=8
train m on parity steps=2
save m "m.safetensors"'
    python3 - m.safetensors <<'END'
import re, sys
data = open(sys.argv[1], "rb").read()
size = int.from_bytes(data[:8], "little")
head = data[8 : 8 + size].decode()
old = re.sub(r',\\"made_on\\":\\".*?\\"', "", head)
assert old != head
old += " " * (size - len(old.encode()))
open(sys.argv[1], "wb").write(data[:8] + old.encode() + data[8 + size :])
END
    go -e 'load "m.safetensors" as m; show m; train m on parity steps=4'
    [ "$status" -eq 0 ]
    [[ $output != *"made by"* ]]
}

@test "--help goes to standard output and fits a screen" {
    go --help
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(wc -l <out)" -le 25 ]
    for option in execute keep-going quiet interactive no-init format seed threads help version; do
        grep -q -- "--$option" out
    done
}

@test "a wrong option is a usage error" {
    go --nonsense
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    go --format=xml
    [ "$status" -eq 2 ]
    [[ $stderr == *text\|json\|csv* ]]
    go --seed=x
    [ "$status" -eq 2 ]
    go --threads=-1
    [ "$status" -eq 2 ]
    go --emit=nonsense
    [ "$status" -eq 2 ]
}

@test "commands come before files, in order, and all share one session" {
    echo 'echo file; list' >a.th
    go a.th -e 'echo first; automaton p = parity' -e 'echo second'
    [ "$status" -eq 0 ]
    [ "${output//$'\n'/,}" = "first,second,file,name  kind       size,p     automaton  2 states, 4 transitions" ]
}

@test "file, -e and standard input print the same" {
    printf 'automaton p = parity\nshow p # comment\nrun p \\\nabab; echo $state\nlist' >a.th
    "$TAPEHEAD" a.th >out1
    "$TAPEHEAD" <a.th >out2
    "$TAPEHEAD" -e "$(cat a.th)" >out3
    "$TAPEHEAD" - <a.th >out4
    [ -s out1 ]
    cmp out1 out2
    cmp out1 out3
    cmp out1 out4
}

@test "the first failed command stops a batch with status 1" {
    go -e 'echo a' -e 'ecko b' -e 'echo c'
    [ "$status" -eq 1 ]
    [ "$output" = a ]
    [[ $stderr == "<command>:1:1: error: unknown command 'ecko'"*"hint: did you mean echo?" ]]
}

@test "-k goes on and still ends with status 1" {
    go -k -e 'ecko b' -e 'echo c'
    [ "$status" -eq 1 ]
    [ "$output" = c ]
}

@test "standard input is called <stdin>, and columns count characters" {
    printf 'echo ok\n   echo "é∀😀" $none\n' | "$TAPEHEAD" 2>err && false
    [ "$(sed -n 1p err)" = "<stdin>:2:15: error: the last result has no 'none', nor is it a variable" ]
    [ "$(sed -n 3p err)" = '                 ^' ] # after a character of two columns
}

@test "a missing file is an error" {
    go missing.th
    [ "$status" -eq 1 ]
    [[ $stderr == "tapehead: error: cannot read 'missing.th': No such file or directory" ]]
}

@test "an empty script succeeds and prints nothing" {
    : >a.th
    go -n a.th
    [ "$status" -eq 0 ]
    [ -z "$output$stderr" ]
}

@test "bytes that are not text are refused with their place" {
    printf 'echo a\necho \377\n' >a.th
    go a.th
    [ "$status" -eq 1 ]
    [[ $stderr == "a.th:2:6: error: this is not UTF-8 text"* ]]
    printf 'echo a\0b\n' >a.th
    go a.th
    [ "$status" -eq 1 ]
    [[ $stderr == "a.th:1:7: error: control character U+0000"* ]]
}

@test "carriage returns and a byte order mark are let pass" {
    printf '\357\273\277echo a\r\necho \\\r\nb\r\n' >a.th
    go a.th
    [ "$status" -eq 0 ]
    [ "$output" = $'a\nb' ]
}

@test "a full disk under standard output is an error" {
    [ -c /dev/full ] || skip
    run bash -c '"$0" -e "echo a" -e "echo b" 2>&1 >/dev/full' "$TAPEHEAD"
    [ "$status" -eq 1 ]
    [[ $output == *"cannot write to standard output: No space left on device"* ]]
}

@test "a command stops when nobody reads what it prints" {
    # Without that it prints for hours.
    run bash -c 'timeout 20 "$0" -e "automaton e = regex \"(a|b)*\"" \
        -e "words e most=1000000000" 2>err | head -n 1; echo "${PIPESTATUS[0]}"' "$TAPEHEAD"
    [ "$output" = $'""\n1' ]
    [ ! -s err ]
    [ -c /dev/full ] || skip
    run bash -c 'timeout 20 "$0" -e "automaton e = regex \"(a|b)*\"" \
        -e "words e most=1000000000" 2>&1 >/dev/full' "$TAPEHEAD"
    [ "$status" -eq 1 ]
    [[ $output == *"cannot write to standard output: No space left on device"* ]]
}

@test "a closed standard output is an error where something is printed" {
    run bash -c '"$0" -e "echo a" 2>&1 >&-' "$TAPEHEAD"
    [ "$status" -eq 1 ]
    [[ $output == *"cannot write to standard output"* ]]
    run bash -c '"$0" -e "automaton p = parity" 2>&1 >&-' "$TAPEHEAD"
    [ "$status" -eq 0 ]
}

@test "closed standard input and error do no harm" {
    run bash -c '"$0" -e "echo a > \"f\"" 0<&- 2>&-; cat f' "$TAPEHEAD"
    [ "$status" -eq 0 ]
    [ "$output" = a ]
}

@test "a reader that goes away ends the program quietly" {
    for i in $(seq 2000); do echo "echo line $i of many"; done >a.th
    "$TAPEHEAD" a.th 2>err | head -n 1 >out
    [ "$(cat out)" = "line 1 of many" ]
    [ ! -s err ]
}

@test "> writes whole or not at all, >> appends" {
    echo old >f
    go -e 'help nonsense > "f"'
    [ "$status" -eq 1 ]
    [ "$(cat f)" = old ]
    go -e 'echo new > "f"; echo more >> f'
    [ "$status" -eq 0 ]
    [ "$(cat f)" = $'new\nmore' ]
    [ "$(ls)" = $'err\nf\nhome\nout' ]
    go -e 'echo x > "none/f"'
    [ "$status" -eq 1 ]
    [[ $stderr == *"cannot write 'none/f': No such file or directory"* ]]
    go -e 'echo x > "home"'
    [ "$status" -eq 1 ]
}

@test "> keeps links, modes and devices" {
    echo old >f
    chmod 640 f
    ln -s f l
    go -e 'echo new > l; echo void > /dev/null'
    [ "$status" -eq 0 ]
    [ -L l ]
    [ "$(cat f)" = new ]
    [ "$(stat -c %a f)" = 640 ]
    [ -c /dev/null ]
}

@test "a file that cannot be written leaves nothing behind" {
    [ -c /dev/full ] || skip
    go -e 'echo x > "/dev/full"; echo after'
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [ -c /dev/full ]
    for option in --help --version; do
        run bash -c '"$0" "$1" >/dev/full' "$TAPEHEAD" "$option"
        [ "$status" -eq 1 ]
    done
}

@test "--format json prints one object a line for what has something to say" {
    go -f json -e 'automaton p = parity; echo hi; quit'
    [ "$status" -eq 0 ]
    [ "$(wc -l <out)" -eq 2 ]
    [ "$(head -n 1 out)" = '{"command":"automaton","name":"p","states":2,"transitions":4,"symbols":2,"all_states":2,"all_transitions":4}' ]
}

@test "seed and threads are settings" {
    go --seed 7 --threads 2 -e 'set seed; set threads'
    [ "$output" = $'7\n2' ]
}

@test "the init file is not read in batch" {
    mkdir -p "$HOME/.config/tapehead"
    echo 'echo init' >"$HOME/.config/tapehead/init.th"
    go -e 'echo x'
    [ "$output" = x ]
}

@test "messages are not coloured when they do not go to a terminal, unless asked for" {
    go -e nonsense
    [[ $stderr != *$'\033'* ]]
    go -e 'set color on; nonsense'
    [[ $stderr == *$'\033'* ]]
}

@test "a command of the shell shares streams and reports its status" {
    go -e 'echo before; !echo shell; echo $0' -e '!exit 3'
    [ "$status" -eq 1 ]
    [ "$output" = $'before\nshell; echo $0' ] || [[ $output == $'before\nshell'* ]]
    [[ $stderr == *"the shell command ended with status 3"* ]]
}

@test "quit gives its status, from a file, -e, standard input and the prompt's language alike" {
    go -e 'quit 3; echo never'
    [ "$status" -eq 3 ] && [ -z "$output" ]
    echo 'if 1 < 2 { quit 7 }' >leave.th
    go leave.th
    [ "$status" -eq 7 ]
    go -k -e 'nonsense; quit 0'
    [ "$status" -eq 0 ]
    go -k -e 'nonsense; quit'
    [ "$status" -eq 1 ]
    for wrong in 256 -1 x 3x; do
        go -e "quit $wrong"
        [ "$status" -eq 1 ]
        [[ $stderr == *"1:6: error: an exit status is a number from 0 to 255"* ]]
    done
}

@test "errors inside a sourced file name that file, and are told once" {
    printf 'echo in\nnonsense\n' >inner.th
    printf 'source inner.th\necho never\n' >outer.th
    go outer.th
    [ "$status" -eq 1 ]
    [ "$output" = in ]
    [[ $stderr == "inner.th:2:1: error:"* ]]
    [ "$(grep -c error: err)" -eq 1 ]
}

@test "files that source each other end" {
    echo 'source a.th' >a.th
    go a.th
    [ "$status" -eq 1 ]
    [[ $stderr == *"more than 32 deep"* ]]
}

@test "so do commands that are timed" {
    {
        printf 'time %.0s' {1..200000}
        echo 'echo x'
    } >times.th
    go times.th
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ $stderr == *"times.th:1:"*"more than 32 deep"* ]]
}

@test "time goes to standard error" {
    go -e 'time echo x'
    [ "$output" = x ]
    [[ $stderr =~ ^[0-9.]+\ s,\ [0-9.]+\ s\ of\ processor\ time$ ]]
}

@test "a time limit stops one command, and only that" {
    echo 'set limit-time 0.2
task p = parity; model m = rnn dim=32
train m on p length=1..400 steps=100000000
set limit-time 0
model n = rnn dim=2; train n on p length=1..4 steps=1
echo after' >a.th
    SECONDS=0
    go -k -q a.th
    [ "$SECONDS" -lt 20 ]
    [ "$status" -eq 1 ]
    [[ $stderr == a.th:3:*"error: the time limit of 0.2 s is over: "* ]]
    [ "$(tail -n 1 out)" = after ]
}

@test "an interrupted batch ends with status 130" {
    echo 'task p = parity; model m = rnn dim=32
train m on p length=1..400 steps=100000000
echo never' >a.th
    "$TAPEHEAD" -q a.th >out 2>err &
    pid=$!
    sleep 1
    kill -INT $pid
    wait $pid && status=0 || status=$?
    [ "$status" -eq 130 ]
    [[ $(cat out) != *never* ]]
}

@test "a batch that is asked to terminate does" {
    echo 'task p = parity; model m = rnn dim=32
train m on p length=1..400 steps=100000000' >a.th
    "$TAPEHEAD" -q a.th >out 2>err &
    pid=$!
    sleep 1
    kill -TERM $pid
    wait $pid && status=0 || status=$?
    [ "$status" -eq 143 ]
}

@test "children do not see how the kernels were chosen" {
    unset OPENBLAS_CORETYPE # what the caller has chosen children do see
    go -e '!env'
    [[ $output != *TAPEHEAD_KERNELS_CHOSEN* ]]
    [[ $output != *OPENBLAS_CORETYPE* ]]
}

@test "the manual has a page for every command and topic, and is well formed" {
    root=$BATS_TEST_DIRNAME/../..
    "$root/scripts/pages" man "$TAPEHEAD" pages
    "$TAPEHEAD" --emit=examples | sed -n 's/^##! \([a-z_]*\) .*/\1/p' | grep -v '^scratchpad_' | tr _ - | sort -u >commands
    [ -s commands ]
    for command in $(cat commands); do
        [ -f "pages/tapehead-$command.1" ]
    done
    sed -n 's/^\.It Xr tapehead-\([a-z-]*\) 1.*/\1/p' pages/tapehead.1 | sort -u | comm -23 commands - >missing
    cat missing
    [ ! -s missing ]
    for topic in models tasks positions formats rasp tutorial figures; do
        [ -f "pages/tapehead-$topic.7" ]
    done
    lines=$(wc -l <pages/tapehead.1)
    [ "$lines" -lt 700 ]
    # A long paragraph stands in one page, and once.
    awk -v RS='\n[.][^\n]*\n' 'length > 250 { gsub(/\n/, " "); print }' pages/* | sort | uniq -d >twice
    cat twice
    [ ! -s twice ]
    command -v mandoc || skip "no mandoc"
    # No page that is referred to is looked for in the folders of the system, which takes ten seconds.
    mkdir none
    MANPATH=$PWD/none run mandoc -Tlint -Wstyle pages/*
    grep -v 'outdated mandoc.db\|referenced manual not found' <<<"$output" >lint || true
    cat lint
    [ ! -s lint ]
}

@test "the pages that are committed are those of now, and all their links lead somewhere" {
    root=$BATS_TEST_DIRNAME/../..
    "$root/scripts/pages" check "$TAPEHEAD" "$root/man"
    cd "$root/man"
    while IFS=: read -r page target; do
        [ -e "$page/$target" ] || { echo "$page: $target" >&2; false; }
    done < <(grep -oH '](\([^)]*[.]md\))' ./README.md commands/*.md topics/*.md |
        sed 's|/[^/]*[.]md:](|:|; s|)$||' | sort -u)
}

@test "the manual as a web site has links that lead somewhere, and no open tags" {
    command -v mandoc || skip "no mandoc"
    root=$BATS_TEST_DIRNAME/../..
    (cd "$root" && scripts/pages html "$TAPEHEAD" "$BATS_TEST_TMPDIR/site")
    cd "$BATS_TEST_TMPDIR/site"
    [ -f index.html ]
    grep -oh 'href="[^"#]*\.html' ./*.html | cut -d '"' -f 2 | sort -u >targets
    [ "$(wc -l <targets)" -gt 100 ]
    while read -r target; do
        [ -f "$target" ] || case $target in tapehead*) echo "$target" >&2 && false ;; esac
    done <targets
    command -v xmllint || skip "no xmllint"
    ! xmllint --html --noout ./*.html 2>&1 | grep -v 'Tag [a-z]* invalid' | grep error
}

@test "help says what the manual says" {
    for command in train evaluate automaton assert; do
        "$TAPEHEAD" -e "help $command" | tr -s ' \n' ' ' >help
        "$TAPEHEAD" --emit=json | grep -q "\"name\": \"$command\""
        summary=$("$TAPEHEAD" --emit=examples | sed -n "/^##! $command /,/^##!/p" | sed -n 2p)
        grep -qF "$(tr -s ' ' <<<"$summary")" help
    done
}

@test "the bash completion is valid and completes" {
    "$BATS_TEST_DIRNAME/../../scripts/editors/fill" "$TAPEHEAD" \
        "$BATS_TEST_DIRNAME/../../scripts/editors/tapehead.bash" >completion
    bash -n completion
    # shellcheck disable=SC1091
    source completion
    COMP_WORDS=(tapehead --f) COMP_CWORD=1
    _tapehead
    [ "${COMPREPLY[*]}" = --format ]
    COMP_WORDS=(tapehead -e tra) COMP_CWORD=2
    _tapehead
    [[ " ${COMPREPLY[*]} " == *" train "* ]]
}

@test "zsh and fish complete options, their values and commands" {
    for template in _tapehead tapehead.fish; do
        "$BATS_TEST_DIRNAME/../../scripts/editors/fill" "$TAPEHEAD" \
            "$BATS_TEST_DIRNAME/../../scripts/editors/$template" >$template
    done
    zsh -n _tapehead
    [ "$(grep -c -- "^        '--.*\[..*\]'" _tapehead)" -eq "$("$TAPEHEAD" --help | grep -c '^ .* --')" ]
    export HOME=$PWD
    [ "$(fish -c 'source tapehead.fish; complete -C "tapehead --fo"' | cut -f1)" = --format ]
    [ "$(fish -c 'source tapehead.fish; complete -C "tapehead -f "' | xargs)" = "csv json text" ]
    fish -c 'source tapehead.fish; complete -C "tapehead -e tr"' | grep -qx train
}

@test "editors get patterns that compile and hold every command" {
    for template in vscode/syntaxes/tapehead.tmLanguage.json tapehead-mode.el; do
        "$BATS_TEST_DIRNAME/../../scripts/editors/fill" "$TAPEHEAD" \
            "$BATS_TEST_DIRNAME/../../scripts/editors/$template" >"${template##*/}"
    done
    python3 - "$TAPEHEAD" <<'END'
import json, re, subprocess, sys
names = {c["name"].split()[0] for c in
         json.loads(subprocess.run([sys.argv[1], "--emit=json"], capture_output=True).stdout)["commands"]}
grammar = json.load(open("tapehead.tmLanguage.json"))
by_name = {p.get("name"): re.compile(p.get("match") or p["begin"]) for p in grammar["patterns"] if "name" in p}
assert all(by_name["keyword.control"].fullmatch(n) for n in names), names
assert by_name["support.type"].fullmatch("regulargpt") and not by_name["support.type"].fullmatch("train")
lisp = re.search(r'commands \(split-string "([^"]*)"', open("tapehead-mode.el").read()).group(1)
assert names < set(lisp.split())
END
    ! grep -n '@[a-z|]*@' tapehead.tmLanguage.json tapehead-mode.el
    command -v emacs || skip "no Emacs"
    emacs -Q --batch --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile tapehead-mode.el
}

@test "the examples of the manual run" {
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    mkdir bin
    ln -s "$TAPEHEAD" bin/tapehead
    if ! command -v jq; then printf "#!/bin/sh\ncat\n" >bin/jq; fi
    chmod +x bin/*
    echo 'assert 1 < 2' >parity.th
    n=0
    while read -r line; do
        bash -o pipefail -c "$line" </dev/null
        n=$((n + 1))
    done < <("$TAPEHEAD" --emit=man | sed -n 's/^\$ //p')
    [ $n -ge 3 ]
}

@test "-D sets variables, and arguments behind -- are the script's" {
    echo 'echo $1 $args $nargs n=$n; for x in $args { echo "got ${x}" }' >script.th
    go -D n=1e3 -D s='a b' script.th -- one "two words" -q
    [ "$status" -eq 0 ]
    [ "$output" = $'one one two words -q 3 n=1000\ngot one\ngot two words\ngot -q' ]
    go -e 'source "script.th" x; echo $1' -D n=2 -- y
    [ "$output" = $'x x 1 n=2\ngot x\ny' ]
    go -D x
    [ "$status" -eq 2 ]
    go -D if=3
    [ "$status" -eq 2 ]
}

@test "Ctrl-C leaves a loop" {
    "$TAPEHEAD" -e 'for i in 1..1e9 { x = i }; echo after' >out 2>err &
    pid=$!
    sleep 0.3
    kill -INT $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 130 ]
    [ ! -s out ]
    grep -q 'interrupted (in the turn i = ' err
}

@test "every command stands in a group of the first screen of help" {
    go -e help
    for group in $("$TAPEHEAD" --emit=json | grep -o '"group": "[^"]*"' | cut -d '"' -f 4 | sort -u); do
        grep -q "^  $group " <<<"$output" || { echo "no $group"; false; }
    done
}

@test "time runs a loop on one line and says how long it took" {
    go -e 'time for i in 1..2 { if i == 2 { echo two }; }'
    [ "$status" -eq 0 ] && [ "$output" = two ]
    [[ $stderr =~ ^[0-9]+\.[0-9]{3}\ s,\ [0-9]+\.[0-9]{3}\ s\ of\ processor\ time$ ]]
}

# Hundredths of a second of processor time that a process took so far; none of one that has ended.
spent() { # PROCESS
    read -ra stat 2>/dev/null <"/proc/$1/stat" && [ "${stat[13]}" -gt 0 ] && echo "${stat[13]}"
}

# Those between Ctrl-C, after so many of them, and the end.
spent_after_interrupt() { # COMMANDS HUNDREDTHS
    "$TAPEHEAD" --threads 1 -e "$1" >/dev/null 2>&1 &
    pid=$!
    before=0
    while [ "$before" -lt "$2" ] && kill -0 $pid; do
        sleep 0.04
        before=$(spent $pid || echo 0)
    done
    kill -INT $pid
    before=$(spent $pid || echo "$before") # a busy machine was late with the signal
    now=$before
    while time=$(spent $pid) && [ $((time - before)) -lt 400 ]; do
        now=$time
        sleep 0.02
    done
    kill -KILL $pid 2>/dev/null || true
    wait $pid || status=$?
    [ "$status" -ne 137 ] && echo $((now - before))
}

@test "Ctrl-C is answered within a second of processor time" {
    [[ $TAPEHEAD != */@(asan|fuzz)/* ]] || skip "under a sanitizer a time says nothing"
    for commands in \
        'task t = parity; model z = mamba; train z on t steps=1; evaluate z on t length=100000' \
        'task t = parity; model z = regulargpt dim=16; train z on t steps=1; evaluate z on t length=100000 samples=100000' \
        'compile cycle(30) as q arity=4 prove=yes' \
        'task t = parity; sample t length=1000000 count=1000' \
        'task t = parity; model m = regulargpt dim=16 heads=2; train m on t length=1..20 steps=60 batch=16 lr=3e-3 noise=0.3 seed=1; closure m on t levels=30 pairs=10000000 keep=1000'; do
        for after in 10 70 110; do
            echo "$after: $commands"
            [ "$(spent_after_interrupt "$commands" $after)" -lt 100 ]
        done
    done
}

@test "the time limit is for operands, parts and scripts, too" {
    what='minimize(shuffle(regex "(abc)*(ab){40}", regex "(acb)*(ba){40}", regex "(cab){30}"))'
    late="error: the time limit of 0.2 s is over: interrupted"
    for command in "shortest ($what)" "compare ($what) parity" "time shortest ($what)" \
        'suite deletang' "report m on t > \"r.html\""; do
        echo "$command"
        run timeout -s KILL 20 "$TAPEHEAD" -q -e 'task t = parity; model m = regulargpt dim=64' \
            -e 'train m on t steps=1 > "said.txt"' -e 'set limit-time 0.2' -e "$command"
        [ "$status" -eq 1 ]
        [[ $output == *"$late"* ]]
    done
    [ ! -e r.html ]
    echo 'set limit-time 0.2; monoid dyck(2, 9)' >b.th
    run timeout -s KILL 20 "$TAPEHEAD" -e 'source "b.th"'
    [ "$status" -eq 1 ]
    [[ $output == *"$late at "* ]]
}

@test "a list of machines that was cut leaves no file" {
    run timeout -s KILL 20 "$TAPEHEAD" -q -e 'set limit-time 0.2' \
        -e 'enumerate states=5 steps=1000 > "five.bb"'
    [ "$status" -eq 1 ]
    [[ $output == *"error: the time limit of 0.2 s is over: interrupted"* ]]
    run timeout --preserve-status -s INT 0.5 "$TAPEHEAD" -q -e 'enumerate states=5 > "five.bb"'
    [ "$status" -eq 130 ]
    [ ! -e five.bb ]
    go -e 'enumerate states=5 | head -n 1'
    [ "$status" -eq 0 ]
    [ "$(wc -l <out)" -eq 1 ]
}

@test "the time limit ends the entropy of many lengths" {
    run timeout -s KILL 20 "$TAPEHEAD" -q -e 'random distribution p states=1000 symbols=9' \
        -e 'set limit-time 0.5' -e 'entropy p length=0..100000 | tail -n 1'
    [ "$status" -eq 1 ]
    [[ $output == *"error: the time limit of 0.5 s is over: interrupted at "*" lengths"* ]]
}

@test "an operand that came to a limit is not read as something else" {
    go -e 'compare (determinize(regex "(a|b)*a(a|b){24}")) parity'
    [ "$status" -eq 1 ]
    [[ $stderr == *"more than 1000000 states"* ]]
}

@test "a log that cannot be written is an error, once" {
    go -k -e 'log "/dev/full"' -e 'echo one' -e 'echo two'
    [ "$status" -eq 1 ]
    [ "$(cat out)" = $'one\ntwo' ]
    [ "$(grep -c 'the log could not be written to its end' <<<"$stderr")" -eq 1 ]
}
