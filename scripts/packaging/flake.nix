# flake.nix - for `nix build path:.` in a folder where this file lies beside the Makefile.
# Not tried: see README.md here.
{
  description = "Automata, machines, RASP and the small sequence models that learn them";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      each = nixpkgs.lib.genAttrs [ "x86_64-linux" "aarch64-linux" ];
    in {
      packages = each (system:
        let pkgs = nixpkgs.legacyPackages.${system};
        in {
          default = pkgs.stdenv.mkDerivation {
            pname = "tapehead";
            version = "@VERSION@";
            src = self;
            nativeBuildInputs = [ pkgs.pkg-config pkgs.makeWrapper ];
            buildInputs = with pkgs; [ gmp gsl jansson libxml2 openblas readline utf8proc ];
            enableParallelBuilding = true;
            postPatch = "patchShebangs scripts";
            makeFlags = [ "PREFIX=$(out)" "MPICC=" ];
            postInstall = ''
              wrapProgram $out/bin/tapehead \
                --prefix PATH : ${pkgs.lib.makeBinPath [ pkgs.gnuplot pkgs.graphviz ]}
            '';
          };
        });
    };
}
