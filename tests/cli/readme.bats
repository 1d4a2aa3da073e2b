#!/usr/bin/env bats
# The first session of the README does what it says.

@test "the README's session runs" {
    sed -n 's/^tapehead> //p' "$BATS_TEST_DIRNAME/../../README.md" >"$BATS_TEST_TMPDIR/session.th"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/session.th")" -ge 5 ]
    cd "$BATS_TEST_TMPDIR"
    "$TAPEHEAD" --quiet session.th
    [ -s clusters.png ]
}
