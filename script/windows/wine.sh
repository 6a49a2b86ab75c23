# Runs Windows programs under wine, each with an end, and counts how they ended; sourced by
# script/test-windows.
passed=() failed=()

# on_wine SECONDS COMMAND...: a Windows program, with $devices and $binding for the tests.
on_wine() {
    local seconds=$1
    shift
    "${machine[@]}" env HOME="$home" WINEPREFIX="$home/wine" WINEARCH=win64 WINEDEBUG=-all \
        WINEDLLOVERRIDES="$overrides;mscoree,mshtml,winemenubuilder.exe,winedbg.exe=" \
        VK_LOADER_LAYERS_DISABLE='~all~' VKD3D_DEBUG=none VKD3D_SHADER_DEBUG=none VKD3D_SHADER_CACHE_PATH=0 \
        DMLINDEX_TEST_DEVICES="${devices:-cpu}" DMLINDEX_D3D12_BINDING="${binding:-}" \
        DMLINDEX_HYPOTHESIS_PROFILE="${DMLINDEX_HYPOTHESIS_PROFILE:-brief}" \
        timeout --kill-after=10 "$seconds" /usr/lib/wine/wine64 "$@" < /dev/null
}

# run NAME COMMAND...: counts it, with the last line that it prints.
run() {
    local name=$1 start=$SECONDS log=$work/last.log status=0 told
    shift
    say "[$name]"
    "$@" 2>&1 | tee "$log" || status=$?
    told=$(tail -n 1 "$log" | tr -d '\r')
    case $status in
        0) passed+=("$name: $told, $((SECONDS - start)) s") ;;
        124 | 137) failed+=("$name: hung, and was ended after $((SECONDS - start)) s") ;;
        *) failed+=("$name: exit code $status, $told") ;;
    esac
}

# run_pytest NAME DEVICES BINDING SECONDS ARGUMENT...: a test that takes ten minutes ends it, and is shown.
run_pytest() {
    local name=$1 devices=$2 binding=$3 seconds=$4
    shift 4
    run "$name" on_wine "$seconds" "$python" -m pytest -q -p no:cacheprovider \
        -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true "$@"
}

# run_peer_cases NAME DEVICE BINDING
run_peer_cases() {
    local name=$1 devices=$2 binding=$3
    run "$name" peer_cases "$devices" peer_cases on_wine 600 "$python"
}

# Whether D3D12 opens there; prints what devices() says of it.
has_d3d12() {
    on_wine 120 "$python" -c '
import sys, dmlindex
found = dmlindex.devices()[-1]
print(found.description, found.reason)
sys.exit(not (found.kind == "d3d12" and found.available))'
}

# This machine's wine, which wants a screen for its D3D12.
use_this_machine() {
    machine=() home=$work overrides="" python=$cross/python/python.exe
    rm -f "$work/display"
    Xvfb -displayfd 3 3> "$work/display" 2> /dev/null &
    trap "kill $!" EXIT
    until [ -s "$work/display" ]; do
        sleep 0.1
        kill -0 $! # else it is gone, and so is this step
    done
    DISPLAY=:$(cat "$work/display")
    export DISPLAY
}

# The wine of the Debian 13, with the D3D12 of $DMLINDEX_WINDOWS_D3D12. The tests and what they read
# are copied there.
use_trixie() {
    local dlls=${DMLINDEX_WINDOWS_D3D12:-} there debian
    debian=${DMLINDEX_ROOTS:-$root/build/roots}/wine
    make_root "$debian" trixie wine64 mesa-vulkan-drivers libvulkan1
    home=/opt/dmlindex overrides="d3d12,d3d12core,dxgi=n" python=windows/python.exe
    machine=(in_root "$debian" env -C "$home")
    there=$debian$home
    as_root rm -rf "$there"/{python,tests,windows,peer_cases}
    copy_checkout "$there"
    as_root cp -r "$cross/python" "$there/windows"
    as_root cp "$work/build/dmlindex_tests.exe" "$there"
    [ -z "${DMLINDEX_PEER_CASES:-}" ] || as_root cp -rT "$DMLINDEX_PEER_CASES" "$there/peer_cases"
    [ -d "$there/wine" ] || on_wine 300 wineboot -i
    if [ -n "$dlls" ]; then as_root cp "$dlls"/*.dll "$there/wine/drive_c/windows/system32"; fi
}

finish() {
    say "What ran on wine:"
    [ ${#passed[@]} = 0 ] || printf 'passed: %s\n' "${passed[@]}"
    [ ${#failed[@]} = 0 ] || printf 'FAILED: %s\n' "${failed[@]}"
    echo "${#passed[@]} passed, ${#failed[@]} failed"
    exit $((${#failed[@]} > 0))
}
