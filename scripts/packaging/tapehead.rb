# tapehead.rb - a formula for Homebrew; `make dist` writes what url names.
# Not tried: see README.md here.
class Tapehead < Formula
  desc "Laboratory for automata, Turing machines, RASP and small sequence models"
  homepage "https://example.org/tapehead" # where the sources are put
  url "https://example.org/tapehead/tapehead-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "GPL-3.0-or-later"

  depends_on "make" => :build
  depends_on "pkgconf" => :build
  depends_on "gmp"
  depends_on "gnuplot"
  depends_on "graphviz"
  depends_on "gsl"
  depends_on "jansson"
  depends_on "openblas"
  depends_on "readline"
  depends_on "utf8proc"
  uses_from_macos "libxml2"

  on_macos do
    depends_on "argp-standalone" => :build
  end

  def install
    # OpenBLAS and readline are kept out of the way of the system's.
    ENV.append "CPPFLAGS", "-I#{Formula["openblas"].opt_include} -I#{Formula["readline"].opt_include}"
    ENV.append "LDFLAGS", "-L#{Formula["openblas"].opt_lib} -L#{Formula["readline"].opt_lib}"
    system "gmake", "PREFIX=#{prefix}", "MPICC=", "CPPFLAGS=#{ENV["CPPFLAGS"]}", "LDFLAGS=#{ENV["LDFLAGS"]}",
           "install"
  end

  test do
    assert_match "accept", shell_output("#{bin}/tapehead -q -e 'automaton a { start s; accept s; s x -> s }; run a \"xx\"'")
  end
end
