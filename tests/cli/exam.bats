#!/usr/bin/env bats
# Folders of answers, graded.

setup() {
    TAPEHEAD=$(realpath "${TAPEHEAD:-./tapehead}")
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p answers/folder
    cd answers || return
    printf '# mine\nautomaton mine { start a; accept a; a 0 -> b; b 0 -> a }\n' >a.th
    echo 'regex "(00)*0"' >b.txt
    echo 'automaton x = regex "0*"' >c.th
    echo '{ start a; accept a; a 0 -> ' >d.th
    echo '<structure>' >e.jff
    printf '# mine\n{ start a; accept a\n a 0 -> b\n b 0 > c }\n' >f.txt
    printf '\n00\n0000\n' >g.txt
    cat >h.jff <<'END'
<structure><type>fa</type><automaton><state id="0"><initial/><final/></state><state id="1"/><state id="2"/>
<transition><from>0</from><to>1</to><read>0</read></transition>
<transition><from>1</from><to>0</to><read>0</read></transition>
<transition><from>1</from><to>2</to><read>0</read></transition></automaton></structure>
END
    echo 'automaton cheat = even' >i.th
    echo '! touch ../ran' >j.th
    echo 'automaton mine { start a; accept a; a 0 -> b; b 1 -> a }' >.hidden.th
    cd ..
}

go() { "$TAPEHEAD" -f csv -e 'automaton even = regex "(00)*"' "$@"; }

@test "right, wrong with the shortest word, unreadable with the place" {
    run go -e 'exam even "answers" > "grades.csv"; echo $files $right $wrong $unreadable'
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "10 2 3 5" ]
    cat >due.csv <<'END'
file,verdict,states,word,due,said,why
a.th,right,2,,,,
b.txt,wrong,4,ε,accept,reject,
c.th,wrong,2,0,reject,accept,
END
    diff due.csv <(head -n 4 grades.csv)
    grep '^d.th,unreadable,0,,,,"\?no automaton' grades.csv
    grep '^e.jff,unreadable,0,,,,"\?line 2, column 1' grades.csv
    grep '^f.txt,unreadable,0,,,,"\?line 4, column 6' grades.csv
    grep '^g.txt,wrong,5,000000,accept,reject,$' grades.csv
    grep '^h.jff,right,3,' grades.csv
    grep '^i.th,unreadable,' grades.csv
    grep '^j.th,unreadable,' grades.csv
    [ ! -e ran ]
}

@test "an answer may have to be small, or deterministic" {
    run go -e 'exam even "answers" states=2 > "grades.csv"; echo $right'
    [ "${lines[-1]}" = 1 ]
    grep '^h.jff,wrong,3,,,,too many states' grades.csv
    run go -e 'exam even "answers" deterministic=yes > "grades.csv"; echo $right'
    [ "${lines[-1]}" = 1 ]
    grep '^h.jff,wrong,3,,,,not deterministic' grades.csv
    run go -e 'exam even "nowhere"'
    [ "$status" -eq 1 ]
}

@test "outputs of transducers are compared" {
    mkdir machines
    echo '{ start a; a 0 -> b / x; b 0 -> a / y }' >machines/a.th
    echo '{ start a; a 0 -> a / x }' >machines/b.th
    echo 'regex "0*"' >machines/c.th
    run go -e 'automaton t { start a; a 0 -> b / x; b 0 -> a / y }' -e 'exam t "machines"'
    [ "${lines[1]}" = "a.th,right,2,,,," ]
    [ "${lines[2]}" = "b.th,wrong,1,00,y,x," ]
    [ "${lines[3]}" = "c.th,wrong,2,,,,it has no outputs" ]
    run go -e 'exam regex "0*" "machines"'
    [ "${lines[1]}" = "a.th,right,2,,,," ]
}
