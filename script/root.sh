# A bare Debian in a folder, to see what a new machine would; sourced after common.sh.

# make_root FOLDER SUITE PACKAGE...: Debian's minimal system, unless it is there, with these packages.
make_root() {
    local folder=$1 suite=$2 package missing=() certificates=/etc/ssl/certs/ca-certificates.crt
    shift 2
    install_apt root
    as_root unshare --mount --pid --fork true 2> /dev/null ||
        die "NOT RUN: this machine lets nobody make a mount namespace, which the Debian $suite takes"
    if [ ! -e "$folder/made" ]; then
        say "Making a Debian $suite in $folder"
        as_root rm -rf "$folder"
        mkdir -p "${folder%/*}"
        as_root debootstrap --variant=minbase --include=ca-certificates "$suite" "$folder" > "$folder.log" ||
            die "NOT RUN: no Debian $suite can be had; $folder.log says why"
        [ ! -e $certificates ] || as_root cp $certificates "$folder$certificates"
        as_root touch "$folder/made"
    fi
    for package in "$@"; do
        [ -e "$folder/var/lib/dpkg/info/$package.list" ] ||
            [ -e "$folder/var/lib/dpkg/info/$package:amd64.list" ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing in it: ${missing[*]}"
    in_root "$folder" apt-get update -qq
    in_root "$folder" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -o Dpkg::Use-Pty=0 -qq --yes --no-install-recommends "${missing[@]}" > /dev/null
}

# in_root FOLDER COMMAND...: runs it there as root, in an environment of its own but for what pip gets its
# packages by, what is said to our tests, and CI, where Hypothesis draws the same examples each time. It sees no
# process of this machine, and what it leaves running ends with it.
in_root() {
    local folder=$1 kept=()
    shift
    mapfile -t kept < <(env | grep -iE '^((PIP|DMLINDEX)_[A-Z0-9_]*|CI|https?_proxy|no_proxy)=' | grep -v '^PIP_FIND_LINKS=')
    # shellcheck disable=SC2016
    as_root unshare --mount --pid --fork --kill-child bash -c '
        mkdir -p "$0/dev/shm"
        mount -t proc proc "$0/proc"
        mount -t tmpfs tmpfs "$0/dev/shm"
        exec chroot "$0" "$@"' "$folder" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "${kept[@]}" "$@"
}

# copy_checkout FOLDER: the checkout, without git's folder, into a folder of a Debian; what else is there stays.
copy_checkout() {
    as_root mkdir -p "$1"
    git ls-files --cached --others --exclude-standard -z | xargs -0 tar c | as_root tar x -C "$1"
}
