#!/usr/bin/env bats
# What `make install` puts where, that it can be built against, and that uninstall leaves nothing.

setup() {
    [[ $TAPEHEAD != */@(asan|fuzz)/* ]] || skip "what is installed is always the release flavour"
    cd "$BATS_TEST_DIRNAME/../.." || return
    D=$BATS_TEST_TMPDIR/root
}

# The release flavour, whatever is being tested: a sanitized library does not link elsewhere.
put() {
    put_at /usr "$D"
}

put_at() { # prefix [destdir]
    env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory install FLAVOUR=release \
        DESTDIR="${2:-}" PREFIX="$1" >/dev/null
}

@test "install honours DESTDIR and PREFIX" {
    put
    [ -x "$D/usr/bin/tapehead" ]
    [ -f "$D/usr/lib/libtapehead.a" ]
    [ -f "$D/usr/include/tapehead/lab/train.h" ]
    [ -f "$D/usr/lib/pkgconfig/tapehead.pc" ]
    [ -f "$D/usr/share/man/man1/tapehead.1" ]
    [ -f "$D/usr/share/man/man1/tapehead-train.1" ]
    [ -f "$D/usr/share/man/man7/tapehead-models.7" ]
    [ -f "$D/usr/share/bash-completion/completions/tapehead" ]
    grep -q '^syn keyword tapeheadCommand .* sweep' "$D/usr/share/vim/vimfiles/syntax/tapehead.vim"
    [ -f "$D/usr/share/vim/vimfiles/ftdetect/tapehead.vim" ]
    grep -q '^#compdef tapehead' "$D/usr/share/zsh/site-functions/_tapehead"
    grep -q -- '-l serve' "$D/usr/share/fish/vendor_completions.d/tapehead.fish"
    [ -f "$D/usr/share/emacs/site-lisp/tapehead-mode.el" ]
    [ -f "$D/usr/share/tapehead/vscode/syntaxes/tapehead.tmLanguage.json" ]
    [ -f "$D/usr/share/doc/tapehead/examples/07-training/parity.th" ]
    run "$D/usr/bin/tapehead" --version
    [ "$status" -eq 0 ]
}

@test "the example in C links by pkg-config against what is installed, and runs" {
    put_at "$BATS_TEST_TMPDIR/usr"
    export PKG_CONFIG_PATH=$BATS_TEST_TMPDIR/usr/lib/pkgconfig
    # shellcheck disable=SC2046
    cc -std=c17 -Wall -Wextra -Werror examples/12-your-own-model/library.c $(pkg-config --cflags --libs tapehead) \
        -o "$BATS_TEST_TMPDIR/library"
    run "$BATS_TEST_TMPDIR/library"
    [ "$status" -eq 0 ]
    [ "$output" = "2 states; accuracy at length 200: 1.000" ]
}

@test "Python calls the shared library, which shows nothing but th_" {
    put_at "$BATS_TEST_TMPDIR/usr"
    env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory install-shared FLAVOUR=release \
        PREFIX="$BATS_TEST_TMPDIR/usr" >/dev/null
    cd "$BATS_TEST_TMPDIR/usr/lib"
    [ "$(readelf -d libtapehead.so | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" = "$(readlink libtapehead.so)" ]
    nm -D --defined-only libtapehead.so | awk '$2 != "A" { print $3 }' >names
    grep -q '^th_regex_to_dfa@@TAPEHEAD_\|^th_rng_next@@TAPEHEAD_' names
    ! grep -v '^th_' names
    # Who links with it needs nothing else; who asks for the archive is told the rest.
    pc() { PKG_CONFIG_PATH=$BATS_TEST_TMPDIR/usr/lib/pkgconfig pkg-config "$@" tapehead; }
    [ "$(pc --libs | sed 's/-L[^ ]*//; s/ //g')" = -ltapehead ]
    [ "$(pc --print-requires-private | tr '\n' ' ')" = 'libxml-2.0 jansson libutf8proc gmp ' ]
    [[ $(pc --static --libs) == *-lgsl*-lopenblas*-ljansson* || $(pc --static --libs) == *-ljansson*-lgsl*-lopenblas* ]]
    printf '#include <tapehead/base/rng.h>\nint main(void) { ThRng r = th_rng(1, "a", 0); return (int)(th_rng_next(&r) & 0); }\n' >use.c
    cc use.c $(pc --cflags --libs) -o use
    LD_LIBRARY_PATH=. ./use
    readelf -d use | grep -q "$(readlink libtapehead.so)"
    python3 - <<'END'
import ctypes
tape = ctypes.CDLL("./libtapehead.so")
tape.th_model_kind.restype = ctypes.c_void_p
assert tape.th_model_kind(b"gru") and not tape.th_model_kind(b"no such kind")
END
}

@test "every installed header stands by itself and names no other folder" {
    put_at "$BATS_TEST_TMPDIR/usr"
    cd "$BATS_TEST_TMPDIR/usr/include"
    for h in $(find tapehead -name '*.h'); do
        echo "#include <$h>" | cc -std=c17 -I. -Werror -x c -fsyntax-only -
    done
    ! grep -rn '#include "' tapehead
    [ ! -e tapehead/tensor/kernels/kernels.h ]
    grep -q '^#define TH_VERSION "' tapehead/base/version.h
}

@test "uninstall leaves no file behind" {
    put
    make --no-print-directory uninstall DESTDIR="$D" PREFIX=/usr >/dev/null
    [ -z "$(find "$D" -type f)" ]
}

@test "the plug-in stands where the program looks, wherever the library goes" {
    env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory install FLAVOUR=release \
        DESTDIR="$D" PREFIX=/usr LIBDIR=/usr/lib64 >/dev/null
    [ -f "$D/usr/lib64/libtapehead.a" ]
    [ ! -e "$D/usr/lib64/tapehead" ]
    [ ! -e build/release/tapehead-mpi.so ] || [ -f "$D/usr/lib/tapehead/tapehead-mpi.so" ]
}
