# tapehead - automata, machines, RASP and the small sequence models that learn them.
# `make help` lists the targets.  PREFIX, DESTDIR, CC, CPPFLAGS, CFLAGS, LDFLAGS and PKG_CONFIG are
# honoured; V=1 shows the commands.

VERSION := $(shell sed -n 's/^.define TH_VERSION "\(.*\)"/\1/p' lib/base/version.h)
FLAVOUR ?= release
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
MANDIR  ?= $(DATADIR)/man
INCLUDEDIR ?= $(PREFIX)/include
B       := build/$(FLAVOUR)

# Some compilers define it themselves, and CFLAGS may.
FORTIFY = $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)

# -Wconversion without the sign noise catches every real narrowing of the numerical code.
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
       -Wold-style-definition -Wvla -Wwrite-strings -Wcast-qual -Wpointer-arith -Wformat=2 \
       -Wundef -Wimplicit-fallthrough -Wdouble-promotion -Wconversion -Wno-sign-conversion \
       -Wno-enum-float-conversion # constants are enumerators: no number is lost
OPT.release = -O2 -g $(FORTIFY) -fstack-protector-strong
OPT.asan    = -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
OPT.fuzz    = $(OPT.asan) -fsanitize=fuzzer-no-link
# A hundred test programs are linked with all of the library: by the fastest linker that is there.
TEST_LD := $(firstword $(foreach ld,lld gold,$(if $(shell command -v ld.$(ld)),-fuse-ld=$(ld))))
CFLAGS  ?=
# What is compiled for; BSD and macOS hide more than POSIX from who asks for POSIX.
TARGET  := $(shell $(CC) -dumpmachine)
MORE_POSIX = $(if $(findstring apple,$(TARGET)),-D_DARWIN_C_SOURCE) \
             $(if $(findstring bsd,$(TARGET)),-D__BSD_VISIBLE=1)
# Any program may be linked with the library, and the library with other shared ones.
PIC = -fPIC -fno-semantic-interposition
ALLCFLAGS = -std=c17 -fno-common -pthread $(PIC) -D_XOPEN_SOURCE=700 $(MORE_POSIX) \
            -Ilib -Isrc $(XML_CFLAGS) $(BLAS_CFLAGS) $(WARN) $(OPT.$(FLAVOUR)) $(CPPFLAGS) $(CFLAGS)
PKG_CONFIG ?= pkg-config
XML_CFLAGS := $(shell $(PKG_CONFIG) --cflags libxml-2.0 2>/dev/null || echo -I/usr/include/libxml2)
BLAS_CFLAGS := $(addprefix -I,$(wildcard /usr/include/openblas)) # Fedora's place, which no .pc tells
# Not pkg-config's list for GSL: it adds a slow CBLAS of GSL's own in front of OpenBLAS.
LIBS = -lxml2 -lgsl -lopenblas -ljansson -lutf8proc -lgmp -lm
# argp belongs to glibc; elsewhere it is argp-standalone's.
ARGP = $(if $(findstring gnu,$(TARGET)),,-largp)
Q    = $(if $(V),,@)
# A make that was not told otherwise compiles on all processors.
CORES := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
SUB  = @$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(CORES))

# The vector loops, once for each level of x86-64; two files need the highest, and are called on it only.
LEVELS := $(if $(filter x86_64-%,$(TARGET)),v3 v4)
TILE_O := $(B)/lib/tensor/kernels/kernels_gemm.o $(B)/lib/tensor/kernels/kernels_heads.o
KERNEL_O := $(filter-out $(TILE_O),$(patsubst %.c,$(B)/%.o,$(wildcard lib/tensor/kernels/kernels*.c)))
LEVEL_O := $(foreach level,$(LEVELS),$(KERNEL_O:.o=.$(level).o))

LIB_O := $(patsubst %.c,$(B)/%.o,$(wildcard lib/*/*.c lib/*/*/*.c)) $(LEVEL_O)
SRC_O := $(patsubst %.c,$(B)/%.o,$(filter-out src/plugins/%,$(wildcard src/*.c src/*/*.c src/*/*/*.c)))
UNIT_C := $(wildcard tests/unit/*/test_*.c)
UNIT  := $(addprefix $(B)/,$(basename $(notdir $(UNIT_C))))
FUZZ  := $(patsubst tests/fuzz/%.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))
BENCH := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))

# Several processes share a sweep by MPI, where it is installed; the program runs without.
MPICC  := $(if $(filter release,$(FLAVOUR)),$(shell command -v mpicc 2>/dev/null))
PLUGIN := $(if $(MPICC),$(B)/tapehead-mpi.so)

# What shells and editors are told: the templates in scripts/editors, filled.
EDITORS := $(patsubst scripts/%,$(B)/%,$(filter-out %/fill,$(wildcard scripts/editors/*.* \
           scripts/editors/_* scripts/editors/*/*.* scripts/editors/*/*/*.*)))

all: $(B)/tapehead $(PLUGIN) tapehead $(B)/man/tapehead.1 $(EDITORS)   ## build program and manual

tapehead: $(B)/tapehead
	$(Q)ln -sf $(B)/tapehead $@

# Commands, tasks, models, automata and settings come from the tables of the program itself; one for
# another machine does not run here: EMIT is then a program of the same version that does.
EMIT ?= $(B)/tapehead
$(B)/man/tapehead.1: $(B)/tapehead scripts/pages
	$(Q)scripts/pages man $(EMIT) $(@D)

pages: $(B)/tapehead                   ## the pages of the manual that are committed in man/
	@scripts/pages markdown $(B)/tapehead man

html: $(B)/tapehead                    ## the manual as a web site, in build/html
	@scripts/pages html $(B)/tapehead build/html
	@echo build/html/index.html

$(EDITORS): $(B)/editors/%: scripts/editors/% scripts/editors/fill $(B)/tapehead
	$(Q)mkdir -p $(@D)
	$(Q)scripts/editors/fill $(EMIT) $< >$@

$(B)/tapehead: $(SRC_O) $(B)/libtapehead.a
	$(Q)$(CC) $(ALLCFLAGS) $(LDFLAGS) -o $@ $^ -lreadline $(LIBS) $(ARGP)

$(B)/tapehead-mpi.so: src/plugins/mpi.c src/ranks.h Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(MPICC) -std=c17 -D_XOPEN_SOURCE=700 -O2 -fPIC -shared -Ilib -Isrc -Wall -Wextra $(CPPFLAGS) $(CFLAGS) -o $@ $<

$(B)/libtapehead.a: $(LIB_O)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Interfaces may change with a minor version, and so does the name that programs ask for.
SONAME = libtapehead.so.$(basename $(VERSION))
shared: $(B)/$(SONAME)                 ## the shared library, for other languages and programs
$(B)/$(SONAME): $(LIB_O)
	$(Q)printf 'TAPEHEAD_$(basename $(VERSION)) { global: th_*; local: *; };\n' >$@.map
	$(Q)$(CC) $(ALLCFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$@.map \
	    -Wl,--no-undefined -o $@ $^ $(LIBS)

# The vector loops: fast-math while compiling only; linking with it would flush denormals to zero
# in the whole process.  Quotients and roots are those of the standard: the processors' own
# approximations differ from maker to maker, and a seed is to mean the same on all.
$(KERNEL_O) $(TILE_O) $(LEVEL_O): ALLCFLAGS += -O3 -ffast-math -fopenmp-simd -Wno-pass-failed \
    $(if $(filter x86_64-%,$(TARGET)),-mprefer-vector-width=512 -mrecip=none)
$(filter %.v3.o,$(LEVEL_O)): ALLCFLAGS += -march=x86-64-v3 -DTH_KERNEL_LEVEL=v3
$(filter %.v4.o,$(LEVEL_O)): ALLCFLAGS += -march=x86-64-v4 -DTH_KERNEL_LEVEL=v4
$(TILE_O): ALLCFLAGS += $(if $(LEVELS),-march=x86-64-v4)

define compile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP -c -o $@ $<
endef
$(B)/%.o: %.c Makefile
	$(compile)
$(B)/%.v3.o: %.c Makefile
	$(compile)
$(B)/%.v4.o: %.c Makefile
	$(compile)

GIVEN = $(B)/tests/unit/given.o $(B)/tests/unit/operation.o
$(UNIT): $(GIVEN)
vpath test_%.c $(sort $(dir $(UNIT_C)))
$(B)/test_%: test_%.c $(B)/libtapehead.a
	$(Q)$(CC) $(ALLCFLAGS) -Itests/unit -MMD -MP $(TEST_LD) $(LDFLAGS) -o $@ $< $(filter %.o,$^) \
	    $(filter %.a,$^) $(LIBS) -lcmocka

# What is tested belongs to the program, not to the library.
$(B)/test_shape $(B)/test_commands_memory: $(filter-out $(B)/src/main.o,$(SRC_O))
$(B)/test_shape $(B)/test_commands_memory: LIBS += -lreadline

# Here memory runs out on purpose.
$(B)/test_memory: override LDFLAGS += -Wl,--wrap=calloc,--wrap=realloc,--wrap=malloc \
    -Wl,--wrap=aligned_alloc,--wrap=pthread_create,--wrap=th_arena_take
$(B)/test_commands_memory: override LDFLAGS += -Wl,--wrap=calloc,--wrap=realloc,--wrap=malloc

# Fuzz targets see the whole program but its main; without a fuzzer they run a folder of files.
FUZZ_O = $(B)/tests/fuzz/check.o $(if $(filter fuzz,$(FLAVOUR)),,$(B)/tests/fuzz/driver.o)
$(FUZZ): $(FUZZ_O)
$(B)/fuzz_%: tests/fuzz/fuzz_%.c $(SRC_O) $(B)/libtapehead.a
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP $(TEST_LD) $(LDFLAGS) -o $@ $< $(filter-out $(B)/src/main.o, \
	    $(filter %.o,$^)) $(filter %.a,$^) $(if $(filter fuzz,$(FLAVOUR)),-fsanitize=fuzzer) -lreadline $(LIBS)

# Tries to have something false certified.
FORGE_O = $(patsubst %.c,$(B)/%.o,$(wildcard tests/forge/*.c)) $(B)/tests/unit/given.o
$(B)/forge: $(FORGE_O) $(B)/libtapehead.a
	$(Q)$(CC) $(ALLCFLAGS) $(TEST_LD) $(LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(B)/bench/%: tests/bench/%.c $(B)/libtapehead.a
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS)

# The assembler reads the programs of RASP that are built in.
$(B)/lib/rasp/interpret/sources.o: lib/rasp/interpret/library.rasp lib/rasp/interpret/raspl.rasp
$(B)/src/help/glossary.o: src/help/glossary.txt
$(B)/src/help/rasp_topics.o: src/help/rasp_topics.txt
$(B)/src/help/synonyms.o: src/help/synonyms.txt
$(B)/src/help/sections.o: src/help/guides.txt src/help/tutorial.txt

# Meant to be the first command that somebody types: each of these fetches what is missing first.
demo:                                  ## train on parity, be right on 500 symbols, draw why
	@scripts/deps build
	$(SUB) all
	@scripts/demo

test:                                  ## unit tests, transcripts, command line, examples
	@scripts/deps test
	$(SUB) check

asan:                                  ## the same under the address and undefined sanitizers
	@scripts/deps test
	$(SUB) FLAVOUR=asan check

valgrind:                              ## the transcripts under valgrind
	@scripts/deps lint
	$(SUB) all
	@TAPEHEAD=tests/valgrind TEST_TIMEOUT=1800 tests/run $(B) transcripts

lint:                                  ## second compiler, static analysis, spelling, layers, layout
	@scripts/deps lint
	@scripts/lint

fuzz:                                  ## FUZZ_TIME seconds for each target (default 20)
	@scripts/deps lint || scripts/deps test
	@scripts/fuzz

forge:                                 ## try to have something false certified, FORGE_TIME seconds (default 600)
	@scripts/deps test
	$(SUB) $(B)/forge
	$(B)/forge $(or $(FORGE_TIME),600)

bench:                                 ## speed, paired with the peer programs
	@scripts/deps bench || scripts/deps build
	$(SUB) all bench-programs
	@tests/bench/run

book: all                              ## weave man/book from the chapters in examples
	@scripts/book
	@scripts/screen man/book/09-proofs.md 'A proof' >man/book/screen.svg

reproduce: all                         ## the papers' tables, BUDGET=minutes, hours or night: REPRODUCTION.md
	@scripts/reproduce
	@cp build/reproduction/REPRODUCTION.md .

mutants:                               ## put bugs in one at a time, see which tests notice
	@scripts/deps test
	+@scripts/mutants $(ONLY)

format-check:                          ## are the sources laid out as .clang-format says?
	@scripts/deps lint
	@git ls-files '*.c' '*.h' | xargs clang-format-14 --dry-run --Werror

check: $(B)/tapehead $(PLUGIN) test-programs
	@tests/run $(B)

bless: $(B)/tapehead                   ## rewrite what the transcripts must print; then git diff
	@TAPEHEAD=$(B)/tapehead tests/transcripts/run --bless

test-programs: unit-programs fuzz-programs $(B)/forge
unit-programs: $(UNIT)
fuzz-programs: $(FUZZ)
bench-programs: $(BENCH)

# Warnings need no code: another compiler reads the tests and writes nothing.
read-tests:
	$(Q)printf '%s\n' $(wildcard tests/*/*.c tests/*/*/*.c) | xargs -P $(CORES) -n 8 $(CC) $(ALLCFLAGS) -Itests/unit -fsyntax-only

DOCDIR  = $(DATADIR)/doc/tapehead
COMPLETIONS = $(DATADIR)/bash-completion/completions
ZSHDIR  = $(DATADIR)/zsh/site-functions
FISHDIR = $(DATADIR)/fish/vendor_completions.d
VIMDIR  = $(DATADIR)/vim/vimfiles
LISPDIR = $(DATADIR)/emacs/site-lisp
CODEDIR = $(DATADIR)/tapehead/vscode
PLUGINDIR = $(BINDIR)/../lib/tapehead
INSTALL = scripts/put

install: all                           ## honours PREFIX and DESTDIR
	$(INSTALL) $(B)/tapehead '$(DESTDIR)$(BINDIR)/tapehead' 755
	@[ -z '$(PLUGIN)' ] || $(INSTALL) $(PLUGIN) '$(DESTDIR)$(PLUGINDIR)/tapehead-mpi.so'
	$(INSTALL) $(B)/libtapehead.a '$(DESTDIR)$(LIBDIR)/libtapehead.a'
	@for n in 1 7; do $(INSTALL) '$(DESTDIR)$(MANDIR)'/man$$n/ $(B)/man/*.$$n; done
	$(INSTALL) $(B)/editors/tapehead.bash '$(DESTDIR)$(COMPLETIONS)/tapehead'
	$(INSTALL) $(B)/editors/_tapehead '$(DESTDIR)$(ZSHDIR)/_tapehead'
	$(INSTALL) $(B)/editors/tapehead.fish '$(DESTDIR)$(FISHDIR)/tapehead.fish'
	$(INSTALL) $(B)/editors/tapehead.vim '$(DESTDIR)$(VIMDIR)/syntax/tapehead.vim'
	$(INSTALL) $(B)/editors/tapehead-mode.el '$(DESTDIR)$(LISPDIR)/tapehead-mode.el'
	@for d in . syntaxes; do $(INSTALL) '$(DESTDIR)$(CODEDIR)'/$$d/ $(B)/editors/vscode/$$d/*.*; done
	@mkdir -p '$(DESTDIR)$(VIMDIR)/ftdetect'
	@echo 'au BufRead,BufNewFile *.th setfiletype tapehead' >'$(DESTDIR)$(VIMDIR)/ftdetect/tapehead.vim'
	@scripts/headers install '$(DESTDIR)$(INCLUDEDIR)/tapehead'
	@$(INSTALL) examples/README.md '$(DESTDIR)$(DOCDIR)/examples/README.md'
	@for d in examples/*/ man/book/; do $(INSTALL) '$(DESTDIR)$(DOCDIR)'/$$d $$d*.*; done
	@$(INSTALL) '$(DESTDIR)$(DOCDIR)'/checker/ scripts/checker/*.*
	$(call pc,$(LIBS) -pthread,,)

# What pkg-config tells: all that the static library needs, or, beside the shared one, the same for
# who asks for --static.
define pc
	@mkdir -p '$(DESTDIR)$(LIBDIR)/pkgconfig'
	@sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|; s|@LIBS@|$(1)|; s|@REQUIRES@|$(2)|; s|@PRIVATE@|$(3)|' \
	    tapehead.pc.in >'$(DESTDIR)$(LIBDIR)/pkgconfig/tapehead.pc'
endef

install-shared: shared install         ## the same, and the shared library
	$(INSTALL) $(B)/$(SONAME) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	@ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libtapehead.so'
	$(call pc,,libxml-2.0 jansson libutf8proc gmp,-lgsl -lopenblas -lm -pthread)

uninstall:                             ## removes what install put there
	rm -rf '$(DESTDIR)$(INCLUDEDIR)/tapehead' '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(PLUGINDIR)' \
	    '$(DESTDIR)$(DATADIR)/tapehead'
	rm -f '$(DESTDIR)$(BINDIR)/tapehead' '$(DESTDIR)$(LIBDIR)/libtapehead.a' \
	    '$(DESTDIR)$(LIBDIR)'/libtapehead.so* \
	    '$(DESTDIR)$(LIBDIR)/pkgconfig/tapehead.pc'  \
	    '$(DESTDIR)$(MANDIR)'/man1/tapehead*.1 '$(DESTDIR)$(MANDIR)'/man7/tapehead-*.7 \
	    '$(DESTDIR)$(COMPLETIONS)/tapehead' '$(DESTDIR)$(ZSHDIR)/_tapehead' \
	    '$(DESTDIR)$(FISHDIR)/tapehead.fish' '$(DESTDIR)$(LISPDIR)/tapehead-mode.el' \
	    '$(DESTDIR)$(VIMDIR)/syntax/tapehead.vim' \
	    '$(DESTDIR)$(VIMDIR)/ftdetect/tapehead.vim'

PYTHON ?= python3
PYTHON_DIST ?= $(CURDIR)/build/python
python:                                ## the Python package: a wheel and a source archive, in build/python
	@mkdir -p $(PYTHON_DIST)
	@rm -rf build/python.src && cp -r scripts/python build/python.src
	@cd build/python.src && $(PYTHON) -c 'from setuptools import build_meta as b; \
	    b.build_wheel("$(PYTHON_DIST)"); b.build_sdist("$(PYTHON_DIST)")' >$(PYTHON_DIST).log 2>&1 || \
	    { cat $(PYTHON_DIST).log; exit 1; }
	@rm -rf build/python.src

deb:                                   ## Debian packages of program and library, in build/
	@scripts/deps build
	@scripts/package deb

dist:                                  ## the sources of the last commit as a tar ball, in build/
	@scripts/package dist

help:                                  ## this list
	@awk -F ':[^#]*## ' '/^[a-z][a-z-]*:[^#]*## / { printf "  %-15s %s\n", $$1, $$2 }' Makefile

clean:                                 ## remove what was built
	rm -rf build tapehead

.PHONY: all pages html python book bless demo test asan valgrind lint fuzz bench mutants format-check check test-programs \
        reproduce unit-programs fuzz-programs bench-programs read-tests shared install install-shared uninstall deb dist help clean
.DELETE_ON_ERROR:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
