# Sourced by scripts/run and scripts/test: finds or fetches uv, and brings .venv up to date with uv.lock.
# Needs bash, Python 3.11 or newer, and either the venv or the pip module of that Python.

UV_VERSION=0.13.9
TOOLS=.venv-tools

say() { printf 'toolcell: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

require_python() {
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    die "Python 3.11 or newer is needed as python3; found: $(python3 --version 2>&1 || echo none)"
}

# Prints the path of a uv; the one on PATH first, else a private copy under .venv-tools.
find_uv() {
  if command -v uv 2>/dev/null; then return; fi
  require_python
  if [ ! -x "$TOOLS/bin/uv" ]; then
    say "fetching uv $UV_VERSION into $TOOLS"
    rm -rf "$TOOLS"
    fetch_uv >&2 || die "uv could not be fetched: install uv, or Python's venv or pip module (Debian: python3-venv)"
  fi
  printf '%s\n' "$PWD/$TOOLS/bin/uv"
}

# Debian ships venv without ensurepip, and pip without leave to touch the system; either alone is enough.
fetch_uv() {
  if python3 -m venv "$TOOLS" 2>/dev/null && [ -x "$TOOLS/bin/pip" ]; then
    "$TOOLS/bin/pip" install --quiet --disable-pip-version-check "uv==$UV_VERSION"
  else
    rm -rf "$TOOLS"
    python3 -m pip install --quiet --disable-pip-version-check --target "$TOOLS" "uv==$UV_VERSION"
  fi
}

# A figure that changes when anything that goes into .venv does.
fingerprint() {
  { find uv.lock pyproject.toml hatch_build.py wasm -type f -not -name '*.pyc' -print0 | sort -z | xargs -0 cksum
    printf '%s\n' "$@"; } | cksum
}

# sync STAMP ARGUMENTS...: runs `uv sync --frozen ARGUMENTS` unless STAMP says that nothing changed since.
# A guest that went missing is made again, whatever uv remembers of an earlier build.
sync() {
  local stamp=.venv/.toolcell-$1 guest=src/toolcell/sandbox/guest/cell.wasm now
  shift
  now=$(fingerprint "$@")
  if [ -x .venv/bin/python ] && [ -x .venv/bin/toolcell ] && [ -f "$guest" ] &&
    [ "$(cat "$stamp" 2>/dev/null)" = "$now" ]; then return; fi
  if [ ! -f "$guest" ]; then set -- "$@" --reinstall-package toolcell; fi
  local uv
  uv=$(find_uv) || exit 1
  say "bringing .venv up to date (the first time compiles the guest: a few minutes)"
  "$uv" sync --frozen --quiet "$@" || die "uv sync failed"
  printf '%s\n' "$now" >"$stamp"
}
