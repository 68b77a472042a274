# Sourced by the scripts beside it: finds uv, or puts it into a venv of its own beside the project,
# and makes the project's environment. POSIX sh; needs only Python >= 3.11 with `venv`.
# Sets: root (the project's folder), venv (its environment).

fail() {
    printf 'nanobot: %s\n' "$*" >&2
    exit 1
}

find_python() {
    for candidate in "${NANOBOT_PYTHON:-}" "$venv/bin/python" python3 /usr/bin/python3 python3.14 python3.13 python3.12 python3.11; do
        [ -n "$candidate" ] || continue
        "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
            >/dev/null 2>&1 && { command -v "$candidate"; return 0; }
    done
    return 1
}

find_uv() {
    if command -v uv >/dev/null 2>&1; then
        command -v uv
        return 0
    fi
    if [ ! -x "$root/.uv/bin/uv" ]; then
        printf 'nanobot: putting uv into .uv (once)\n' >&2
        "$python" -m venv "$root/.uv" >&2 && "$root/.uv/bin/pip" install --quiet 'uv>=0.9,<1' >&2 || {
            rm -rf "$root/.uv"
            return 1
        }
    fi
    printf '%s\n' "$root/.uv/bin/uv"
}

# prepare NAME SYNC-ARGUMENTS...: bring the environment up to date once per change of pyproject.toml.
prepare() {
    stamp="$venv/.ready-$1"
    shift
    if [ -e "$stamp" ] && [ "$stamp" -nt "$root/pyproject.toml" ] && [ -x "$venv/bin/nanobot" ]; then
        return 0
    fi
    python=$(find_python) ||
        fail "no Python 3.11 or newer with venv found. On Debian: apt-get install python3 python3-venv"
    uv=$(find_uv) || fail "uv could not be installed with pip. Install it, then run this again."
    printf 'nanobot: preparing the environment in .venv (once)\n' >&2
    UV_PROJECT_ENVIRONMENT="$venv" UV_PYTHON_DOWNLOADS=never "$uv" sync --quiet --inexact \
        --project "$root" --python "$python" "$@" >&2 ||
        fail "the environment could not be prepared: see the lines above"
    : >"$stamp"
}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
venv="$root/.venv"
unset VIRTUAL_ENV PYTHONHOME PYTHONPATH
