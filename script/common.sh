# What the scripts share; sourced by them. Installs what is missing, and says so; a step whose inputs
# are unchanged since it last succeeded is passed over.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
venv=$root/.venv
build_folder=build/python

say() { printf '\n==> %s\n' "$*" >&2; }
die() { printf '\nerror: %s\n' "$*" >&2; exit 1; }

# help_for ARGUMENTS...: -h or --help among them prints the script's opening comment, and nothing more
# is done.
help_for() {
    local argument
    for argument in "$@"; do
        case $argument in
            -h | --help)
                awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$script"
                exit 0
                ;;
        esac
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo > /dev/null; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        die "this needs root: become root, or install sudo, or have somebody run: $*"
    fi
}

# install_apt GROUP...: the packages of these groups of apt-packages.txt that are not there yet.
install_apt() {
    local group package missing=()
    if ! command -v apt-get > /dev/null; then
        say "No apt here: taking for granted what apt-packages.txt lists under: $*"
        return
    fi
    for group in "$@"; do
        for package in $(awk -v group="$group" '$1 == group { print $2 }' apt-packages.txt); do
            dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q '^install ok installed$' ||
                missing+=("$package")
        done
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing Debian packages: ${missing[*]}"
    as_root apt-get update -qq
    as_root apt-get install -qq --yes --no-install-recommends "${missing[@]}" > /dev/null
}

# once NAME INPUTS COMMAND...: runs the command unless it last succeeded with the same INPUTS here.
once() {
    local stamp=$venv/stamps/$1 inputs=$2
    shift 2
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$inputs" ]; then return; fi
    rm -f "$stamp"
    "$@"
    mkdir -p "${stamp%/*}"
    printf '%s\n' "$inputs" > "$stamp"
}

make_venv() {
    local python=${PYTHON:-python3}
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "dmlindex needs Python 3.11 or newer; $python is $("$python" --version 2>&1)" \
            "(PYTHON=/path/to/python chooses another)"
    if ! "$venv/bin/python" -c '' 2> /dev/null; then
        say "Making the virtual environment ${venv##*/}"
        rm -rf "$venv"
        "$python" -m venv "$venv"
    fi
    export PATH=$venv/bin:$PATH VIRTUAL_ENV=$venv PIP_DISABLE_PIP_VERSION_CHECK=1
}

# install_python GROUP...: the requirements of these groups of pyproject.toml.
install_python() {
    local requirements
    requirements=$(python script/requirements.py "$@")
    once "requirements-$(IFS=-; echo "$*")" "$requirements" pip_install "$@" <<< "$requirements"
}

pip_install() {
    say "Installing Python packages: $*"
    pip install --quiet --requirement /dev/stdin
}

# install_package: builds the package from the checkout into $venv. The build folder is kept, so that
# a later build compiles only what changed; it also holds the C++ unit tests.
install_package() {
    local inputs
    inputs=$(
        find CMakeLists.txt cmake cpp pyproject.toml python README.md tests/cpp -type f \
            ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum
        python --version
        ls -d /usr/include/directx/d3d12.h /usr/include/gtest/gtest.h 2> /dev/null || true
    )
    once package "$(sha256sum <<< "$inputs")" build_package
}

build_package() {
    local unit_tests=OFF
    [ ! -e /usr/include/gtest/gtest.h ] || unit_tests=ON
    say "Building dmlindex"
    pip install --quiet --no-deps --no-build-isolation --force-reinstall . \
        --config-settings=build-dir="$build_folder" \
        --config-settings=cmake.define.DMLINDEX_STRICT=ON \
        --config-settings=cmake.define.DMLINDEX_TESTS=$unit_tests
}

# isas_here: for CMake's DMLINDEX_ISAS, of the installed package's kernels those that this machine runs. Where no program
# leaves the machine, the others would be compiled and no more.
isas_here() { python -c 'from dmlindex import _core; print(*sorted({*_core.cpu_isas()} - {"scalar"}), sep=";")'; }
