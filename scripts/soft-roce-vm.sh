#!/usr/bin/env bash
# Runs a command with real verbs on a machine that has none: boots Debian's stock kernel in qemu
# with Soft-RoCE. The host's root is the guest's, read-only over 9p, so the guest has the host's
# programs; directories given by --share are shared read-write, at the same path.
#
#   soft-roce-vm.sh [OPTION]... -- COMMAND [ARGUMENT]...
#     --share DIR       may be repeated; COMMAND starts in the first one
#     --accel kvm|tcg   default: kvm where it works, else tcg
#     --smp N --mem MB --timeout SECONDS --kver VERSION --verbose
#     --net dummy       one device rxe0 (10.99.0.1): both ends on one device; the default
#     --net veth2       rxe0 and rxe1 on the ends of a veth pair (10.99.0.1 and .2), with packets
#                       forced over it, so that loss and delay set on v0 and v1 apply
#     --net lo          rxe0 on the loopback interface
#     --nodes 2         two guests with a wire between them (eth0 10.99.0.1 and .2, rxe0 in each);
#                       COMMAND runs in both, with NODE=0 and NODE=1
#
# The kernel is downloaded and unpacked once, never installed, to RXE_VM_CACHE (default build/vm).
# No guest has a way out of this machine. The exit status is COMMAND's; 125 if none was reported.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${RXE_VM_CACHE:-$root/build/vm}
shares=() accel='' smp=2 memory=2048 net=dummy kernel='' limit=600 nodes=1
verbosity="quiet loglevel=3"

fail() {
    echo "soft-roce-vm.sh: $1" >&2
    exit 125
}

while [ $# -gt 0 ]; do
    case $1 in
    --share) shares+=("$(readlink -f "$2")") && shift 2 ;;
    --accel) accel=$2 && shift 2 ;;
    --smp) smp=$2 && shift 2 ;;
    --mem) memory=$2 && shift 2 ;;
    --net) net=$2 && shift 2 ;;
    --kver) kernel=$2 && shift 2 ;;
    --timeout) limit=$2 && shift 2 ;;
    --nodes) nodes=$2 && shift 2 ;;
    --verbose) verbosity="loglevel=7" && shift ;;
    --) shift && break ;;
    *) fail "unknown option $1; the head of this file lists them" ;;
    esac
done
[ $# -gt 0 ] || fail "no command; the head of this file says how to give one"
command=("$@")

PATH=$PATH:/usr/sbin:/sbin
for tool in qemu-system-x86_64 cpio modprobe xz rdma dpkg-deb; do
    command -v "$tool" >/dev/null || fail "$tool is missing; run: scripts/setup.sh check"
done
[ -x /bin/busybox ] || fail "/bin/busybox is missing; run: scripts/setup.sh check"

# --- the kernel: unpacked, so that neither hooks nor a boot loader come into play ---

find_kernel() {
    [ -z "$kernel" ] || return 0
    kernel=$(find "$cache" -maxdepth 1 -name 'root-*' -printf '%f\n' | sed 's/^root-//' |
        sort -V | tail -n 1)
    [ -n "$kernel" ] || kernel=$(apt-cache depends linux-image-amd64 |
        sed -n 's/.*Depends: linux-image-\([0-9].*\)/\1/p' | head -n 1)
    [ -n "$kernel" ] || fail "apt knows no linux-image-amd64; run: apt-get update"
}

unpack_kernel() {
    [ ! -e "$kernel_root/.done" ] || return 0
    echo "downloading the package linux-image-$kernel" >&2
    rm -rf "$kernel_root"
    mkdir -p "$kernel_root"
    (
        cd "$kernel_root"
        apt-get download "linux-image-$kernel" >download.log 2>&1 || {
            tail -n 5 download.log >&2
            fail "the kernel cannot be downloaded; run apt-get update and try again"
        }
        dpkg-deb -x linux-image-*.deb .
        rm -f linux-image-*.deb
        depmod -b . "$kernel"
        touch .done
    )
}

# --- the first file system: busybox and just the modules that are needed ---

MODULES="libcrc32c crc32_generic crc32_pclmul crc32c_generic sch_netem virtio_pci virtio_rng
         virtio_net 9pnet_virtio 9p overlay dummy veth ib_uverbs rdma_rxe rdma_ucm ib_umad"

pack_modules() { # DIRECTORY
    local module file name
    for module in $MODULES; do
        modprobe -d "$kernel_root" -S "$kernel" --show-depends "$module" 2>/dev/null |
            awk '$1 == "insmod" { print $2 }'
    done | awk '!seen[$0]++' | while read -r file; do
        name=$(basename "$file" .xz)
        case $file in
        *.xz) xz -dc "$file" >"$1/$name" ;;
        *) cp "$file" "$1/$name" ;;
        esac
        echo "$name" >>"$1/order"
    done
}

pack_initramfs() {
    local dir=$scratch/initramfs
    [ ! -e "$initramfs" ] || [ "$0" -nt "$initramfs" ] || return 0
    mkdir -p "$dir"/{bin,lib/modules,proc,sys,dev,newroot}
    cp /bin/busybox "$dir/bin/busybox"
    pack_modules "$dir/lib/modules"
    cat >"$dir/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
grep -qw probe /proc/cmdline && { echo "guest: alive"; poweroff -f; }
while read m; do
    insmod /lib/modules/$m 2>/dev/null || echo "insmod $m failed"
done < /lib/modules/order
O="trans=virtio,version=9p2000.L,msize=512000"
mount -t 9p -o ro,$O,cache=loose root /newroot || { echo "no root file system"; poweroff -f; }
mkdir -p /ctl; mount -t 9p -o rw,$O,cache=none ctl /ctl
N=/newroot
for d in proc sys dev; do mount --move /$d $N/$d; done
mkdir -p $N/dev/shm $N/dev/pts
mount -t tmpfs -o size=50% tmpfs $N/dev/shm; mount -t devpts devpts $N/dev/pts
ln -s /proc/self/fd $N/dev/fd
for d in tmp run var/tmp root; do mount -t tmpfs tmpfs $N/$d; done
i=0
while read s; do
    mkdir -p $N$s
    mount -t 9p -o rw,$O,cache=loose share$i $N$s || echo "cannot share $s"
    i=$((i+1))
done < /ctl/shares
mkdir -p $N/run/ctl; mount --move /ctl $N/run/ctl
exec chroot $N /bin/bash /run/ctl/guest.sh
INIT
    chmod +x "$dir/init"
    (cd "$dir" && find . | cpio -o -H newc --quiet) >"$scratch/initramfs.cpio"
    mv "$scratch/initramfs.cpio" "$initramfs"
}

# --- what the guest runs once it has the host's programs ---

write_guest_script() {
    cat >"$scratch/guest.sh" <<'GUEST'
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
. /run/ctl/env; export NODE NODES
ulimit -l unlimited; hostname rxevm$NODE; ip link set lo up
# Nobody else is on these links: no waiting for duplicate addresses.
for f in /proc/sys/net/ipv6/conf/{all,default}/accept_dad; do echo 0 >$f; done

setup_dummy() {
    ip link add d0 type dummy; ip addr add 10.99.0.1/24 dev d0; ip link set d0 mtu 4200 up
    rdma link add rxe0 type rxe netdev d0
}
setup_lo() { rdma link add rxe0 type rxe netdev lo; }
setup_veth2() {
    ip link add v0 type veth peer name v1
    for i in 0 1; do
        o=$((1-i))
        ip addr add 10.99.0.$((i+1))/32 dev v$i; ip link set v$i mtu 4200 up
        echo 1 >/proc/sys/net/ipv4/conf/v$i/accept_local
        echo 0 >/proc/sys/net/ipv4/conf/v$i/rp_filter
        ip route add 10.99.0.$((o+1))/32 dev v$i table 10$i
        ip rule add pref 1$i iif lo from 10.99.0.$((i+1)) to 10.99.0.$((o+1)) lookup 10$i
    done
    ip rule add pref 20 lookup local; ip rule del pref 0
    for i in 0 1; do
        peer=$(cat /sys/class/net/v$((1-i))/address)
        ip neigh replace 10.99.0.$((2-i)) lladdr $peer dev v$i nud permanent
        rdma link add rxe$i type rxe netdev v$i
    done
}
setup_wire() {
    d=$(ls /sys/class/net | grep -E '^(eth|en)' | head -1)
    ip addr add 10.99.0.$((NODE+1))/24 dev $d; ip link set $d mtu 4200 up
    rdma link add rxe0 type rxe netdev $d
}
if [ $NODES = 2 ]; then setup_wire; else setup_$NET; fi

i=0; until [ -e /dev/infiniband/uverbs0 ] || [ $i = 50 ]; do sleep 0.1; i=$((i+1)); done
echo "guest $NODE: ready $(cut -d' ' -f1 /proc/uptime) s after its boot"
bash /run/ctl/command.sh; rc=$?
echo "guest $NODE: status $rc, $(cut -d' ' -f1 /proc/uptime) s after its boot"
echo $rc >/run/ctl/status; sync
echo 0 >/proc/sys/kernel/printk; echo o >/proc/sysrq-trigger; while :; do :; done
GUEST
}

write_control() { # NODE: the directory by which host and guest talk
    local dir=$scratch/$1
    mkdir -p "$dir"
    printf '%s\n' ${shares[@]+"${shares[@]}"} | sed '/^$/d' >"$dir/shares"
    {
        printf 'cd %q\n' "${shares[0]:-/}"
        printf '%q ' "${command[@]}"
    } >"$dir/command.sh"
    echo "NET=$net NODE=$1 NODES=$nodes" >"$dir/env"
    cp "$scratch/guest.sh" "$dir/guest.sh"
}

# --- boot ---

PARAMETERS="console=ttyS0 panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check \
random.trust_cpu=on net.ifnames=0"

# /dev/kvm may be there and yet fail or stand still, as in nested machines: a guest that only says a
# word comes first. With KVM that takes 2 s.
kvm_works() {
    [ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
    timeout -k 1 20 qemu-system-x86_64 -accel kvm -cpu host -M q35 -smp "$smp" -m "$memory" \
        -nographic -no-reboot -nodefaults -serial stdio -kernel "$kernel_root/boot/vmlinuz-$kernel" \
        -initrd "$initramfs" -append "$PARAMETERS quiet probe" </dev/null 2>&1 |
        grep -q 'guest: alive'
}

boot() { # NODE
    local args=() i
    write_control "$1"
    case $accel in
    kvm) args+=(-accel kvm -cpu host) ;;
    tcg) args+=(-accel "tcg,thread=multi,tb-size=256" -cpu max) ;;
    *) fail "--accel is kvm or tcg, not $accel" ;;
    esac
    share() { # ID PATH TAG [OPTION]
        args+=(-fsdev "local,id=$1,path=$2,security_model=none${4:-}"
            -device "virtio-9p-pci,fsdev=$1,mount_tag=$3")
    }
    share root / root ,readonly=on,multidevs=remap
    share ctl "$scratch/$1" ctl
    for i in ${shares[@]+"${!shares[@]}"}; do
        share "s$i" "${shares[i]}" "share$i" ,multidevs=remap
    done
    if [ "$nodes" = 1 ]; then
        args+=(-nic none)
    else
        local ends="local.type=unix,local.path=$scratch/w$1"
        ends+=",remote.type=unix,remote.path=$scratch/w$((1 - $1))"
        args+=(-netdev "dgram,id=w,$ends"
            -device "virtio-net-pci,netdev=w,mac=52:54:00:99:00:0$1,romfile=")
    fi
    timeout "$limit" qemu-system-x86_64 "${args[@]}" -M q35 -smp "$smp" -m "$memory" \
        -nographic -no-reboot -nodefaults -serial stdio -device virtio-rng-pci \
        -kernel "$kernel_root/boot/vmlinuz-$kernel" -initrd "$initramfs" \
        -append "$PARAMETERS $verbosity" </dev/null |
        sed -u -e 's/\r$//' -e '/SeaBIOS\|Booting from ROM\|^\x1bc/d' \
            -e '/sysrq: Power Off\|reboot: Power down/d' \
            -e "$([ "$nodes" = 1 ] || echo "s/^/[$1] /")"
}

mkdir -p "$cache"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find_kernel
kernel_root=$cache/root-$kernel
initramfs=$cache/initramfs-$kernel.cpio
unpack_kernel
pack_initramfs
[ -n "$accel" ] || { kvm_works && accel=kvm || accel=tcg; }
write_guest_script

if [ "$nodes" = 2 ]; then
    boot 0 &
    first=$!
    boot 1 || true
    wait $first || true
else
    boot 0 || true
fi

status=0
for ((node = 0; node < nodes; node++)); do
    reported=$(cat "$scratch/$node/status" 2>/dev/null || echo 125)
    [ $status != 0 ] || status=$reported
done
[ "$status" != 125 ] || echo "soft-roce-vm.sh: a guest reported nothing (accelerator $accel)" >&2
exit "$status"
