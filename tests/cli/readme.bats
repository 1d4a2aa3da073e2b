#!/usr/bin/env bats
# The first session of the README does what it says.

@test "the README's session runs" {
    sed -n 's/^tapehead> //p' "$BATS_TEST_DIRNAME/../../README.md" >"$BATS_TEST_TMPDIR/session.th"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/session.th")" -ge 5 ]
    cd "$BATS_TEST_TMPDIR"
    "$TAPEHEAD" --quiet session.th
    [ -s clusters.png ]
}

@test "the README's script in one language runs" {
    cd "$BATS_TEST_TMPDIR"
    awk '/^```$/ { open = !open; n += open; next } open && n == 3' \
        "$BATS_TEST_DIRNAME/../../README.md" >script.th
    grep -q '^for kind in' script.th
    "$TAPEHEAD" --quiet script.th >/dev/null
    [ "$(wc -l <scores.csv)" -eq 121 ]
    [ -s session.txt ]
    "$TAPEHEAD" --quiet -e 'source "lab.th"; run m ab' >/dev/null
}

@test "the README's proof holds" {
    cd "$BATS_TEST_TMPDIR"
    awk '/^```$/ { open = !open; n += open; next } open && n == 4' \
        "$BATS_TEST_DIRNAME/../../README.md" >proof.th
    "$TAPEHEAD" --quiet proof.th >said.txt
    grep -q '^m is right on strings of every length: proved$' said.txt
    grep -q '^the certificate holds: ' said.txt
    grep -q '^they agree on all 8190 words' said.txt
}
