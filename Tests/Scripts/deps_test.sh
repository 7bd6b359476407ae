#!/bin/sh
# A step that asks the network is done again when it fails, and without root scripts/deps says what is missing and what to do.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "deps_test: $1"
    exit 1
}

# A command that succeeds when it is called the third time.
cat >"$work/late" <<'END'
#!/bin/sh
echo called >>"$1"
[ "$(wc -l <"$1")" -ge "$2" ]
END
chmod +x "$work/late"
AGAIN_AFTER="0 0" scripts/again "$work/late" "$work/third" 3 2>/dev/null || fail "the third call was not made"
! AGAIN_AFTER="0 0" scripts/again "$work/late" "$work/fourth" 4 2>/dev/null || fail "a fourth call was made"
AGAIN_AFTER="0 0" scripts/again "$work/late" "$work/first" 1 || fail "a command that succeeds fails"
[ "$(wc -l <"$work/first")" -eq 1 ] || fail "a command that has succeeded was called again"

# A system without some packages, and a user who is not root; nothing is downloaded.
mkdir "$work/bin"
cat >"$work/bin/dpkg-query" <<'END'
#!/bin/sh
for package; do :; done
[ "$package" != "$ABSENT" ] && echo "install ok installed"
END
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
printf '#!/bin/sh\necho "$@" >>"%s"; exit 1\n' "$work/apt" >"$work/bin/apt-get"
chmod +x "$work/bin/"*
cp -r scripts "$work/scripts"
deps() { (cd "$work" && PATH="$work/bin:$PATH" ABSENT=$1 scripts/deps 2>&1); }
! said=$(deps libssl-dev) || fail "the product is built without a library"
case $said in *"next: sudo apt-get install --no-install-recommends libssl-dev"*) ;; *) fail "what to do is not said: $said" ;; esac
said=$(deps tmux) || fail "a missing program of the tests ends it: $said"
case $said in *"are missing: tmux"*"left out"*) ;; *) fail "what is left out is not said: $said" ;; esac
! grep -q install "$work/apt" || fail "a user who is not root installs packages"
echo "what fails once is done again, and what is missing is said"
