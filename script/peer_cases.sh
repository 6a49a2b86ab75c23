# The recorded cases of other projects' tests, which are not in the repository; sourced after common.sh.

# peer_cases DEVICE FOLDER PYTHON...: the cases of the folder, as that Python finds it. All of them pass.
peer_cases() {
    local device=$1 folder=$2 log=$root/build/peer_cases.log file status=0
    shift 2
    for file in ort.jsonl wpt.jsonl; do
        echo "$file on $device:"
        { "$@" "$folder/cases.py" "$folder/$file" "$device" || true; } | tr -d '\r' | tee "$log"
        grep -q '^[0-9]* passed, 0 failed$' "$log" || status=1
    done
    return $status
}
