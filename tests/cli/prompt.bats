#!/usr/bin/env bats
# The prompt, in a pseudo-terminal; prompt.exp has the tests.

@test "the prompt" {
    command -v expect || skip "no expect"
    TAPEHEAD=$(realpath "${TAPEHEAD:-./tapehead}")
    export TAPEHEAD HOME=$BATS_TEST_TMPDIR/home
    unset XDG_CONFIG_HOME XDG_STATE_HOME
    mkdir -p "$HOME/.config/tapehead"
    cd "$BATS_TEST_TMPDIR" || return
    echo 'echo x' >script.th
    echo leak:libreadline >suppressions # its undo lists are its own affair
    export LSAN_OPTIONS=suppressions=$PWD/suppressions:print_suppressions=0
    run "$BATS_TEST_DIRNAME/prompt.exp"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output != *"not ok"* ]]
    [[ $output == *1..* ]]
    [ "$(stat -c %a "$HOME/.local/state/tapehead/history")" = 600 ]
}
