#!/usr/bin/env python3
"""packages FOLDER [--same-as FOLDER] | --installed BUILD: what `tools/release` made is whole, runs, and goes again.

The tarball is unpacked and asked; the Debian package is read by lintian and installed in a bare
Debian, used and purged; the bundle and the bill of materials agree with what stands beside them.
With --same-as the files of two releases of one commit are the same, byte for byte. What cannot be
tried on this machine is said, and is no failure. With --installed a build is installed in a folder
of its own, which is looked at as the tarball is.
"""

import argparse
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

problems = []
tried = 0


def check(holds, claim):
    global tried
    tried += 1
    if not holds:
        problems.append(claim)
        print(f"not ok  {claim}")


def said(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stdout}{done.stderr}"


def skipped(why):
    print(f"SKIPPED {why}")


def one(folder, pattern):
    found = glob.glob(os.path.join(folder, pattern))
    check(len(found) == 1, f"one {pattern}")
    return found[0] if found else None


def check_sums(folder):
    check("FAILED" not in said("sha256sum", "--check", "SHA256SUMS", cwd=folder), "SHA256SUMS holds")
    with open(os.path.join(folder, "SHA256SUMS")) as file:
        listed = {line.split()[1] for line in file}
    check(listed == set(os.listdir(folder)) - {"SHA256SUMS"}, "SHA256SUMS lists every file")


def check_tarball(path, room):
    subprocess.run(["tar", "--extract", "--file", path, "--directory", room], check=True)
    check_installed(os.path.join(room, os.listdir(room)[0]), room)


def check_build(build, room):
    root = os.path.join(room, "installed")
    told = said("cmake", "--install", build, "--prefix", root)
    check(os.path.isdir(root), f"a build is installed: {told}")
    check_installed(root, room)


def check_installed(root, room):
    program = os.path.join(root, "bin/notesdb")
    check("not a dynamic" in said("ldd", program) or "statically linked" in said("ldd", program), "the program needs no library")
    sample = os.path.join(room, "sample")
    shutil.copytree(os.path.join(root, "share/doc/notesdb/examples/notes-sample"), sample)
    check('"stories"' in said(program, "--root", sample, "list", "--json"), "the program lists the sample")
    listed = said(program, "help")
    for name in set(re.findall(r"^  ([a-z][a-z-]*)", listed, re.M)) - {"help"}:
        page = os.path.join(root, f"share/man/man1/notesdb-{name}.1.gz")
        check(os.path.exists(page), f"a man page for {name}")
        if shutil.which("mandoc") and os.path.exists(page):
            told = subprocess.run(["mandoc", "-Tlint", "-W", "error", page], capture_output=True, text=True)
            check(told.returncode == 0, f"mandoc reads the page of {name}: {told.stdout}")
    check(said("bash", "-n", os.path.join(root, "share/bash-completion/completions/notesdb")) == "", "bash reads the completion")


def check_bundle(folder):
    bundle = one(folder, "*.mcpb")
    with open(os.path.join(folder, "server.json")) as file:
        package = json.load(file)["packages"][0]
    with open(bundle, "rb") as file:
        check(hashlib.sha256(file.read()).hexdigest() == package["fileSha256"], "server.json has the bundle's sum")
    check(package["identifier"].endswith("/" + os.path.basename(bundle)), "server.json names the bundle")
    with zipfile.ZipFile(bundle) as archive:
        check({"manifest.json", "server/notesdb"} <= set(archive.namelist()), "the bundle holds its manifest and the program")


def check_bill(folder):
    with open(one(folder, "*.spdx.json")) as file:
        bill = json.load(file)
    names = {package["name"] for package in bill["packages"]}
    check({"notesdb", "libyaml-cpp-dev", "libsqlite3-dev", "preact"} <= names, "the bill of materials names what is linked")
    check(all(package["versionInfo"] and package["licenseDeclared"] != "NOASSERTION" for package in bill["packages"]),
          "every package has a version and a licence")


def check_debian(path, room):
    if shutil.which("lintian"):
        told = said("lintian", "--allow-root", "--tag-display-limit", "0", path)
        check(told == "", f"lintian has nothing to say:\n{told}")
    else:
        skipped("lintian is not here")
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        return skipped("a bare Debian takes root and debootstrap")
    root = os.path.join(room, "debian")
    sources = "".join(open(name).read() for name in glob.glob("/etc/apt/sources.list.d/*") + glob.glob("/etc/apt/sources.list"))
    mirrors = re.findall(r"^(?:URIs:|deb(?: \[.*\])?) *(\S*debian\S*)", sources, re.M)
    if not mirrors:
        return skipped("no mirror of Debian is among the sources of this machine")
    made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root, mirrors[0]], capture_output=True, text=True)
    if made.returncode != 0:
        return skipped(f"no bare Debian: {made.stdout[-300:]}")
    shutil.copytree("/etc/apt/apt.conf.d", os.path.join(root, "etc/apt/apt.conf.d"), dirs_exist_ok=True)
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copy(name, root + name)
    for name in ("/etc/ssl/certs", "/usr/local/share/ca-certificates", "/etc/apt/sources.list.d"):
        if os.path.isdir(name):
            shutil.copytree(name, root + name, dirs_exist_ok=True)
    shutil.copy(path, os.path.join(root, "root/notesdb.deb"))

    def inside(command):
        return said("chroot", root, "sh", "-c", command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive",
                                                              **{k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")}})

    subprocess.run(["mount", "-t", "proc", "proc", os.path.join(root, "proc")], check=False)
    try:
        installed = inside("apt-get update -qq && apt-get install -qq -y --no-install-recommends /root/notesdb.deb 2>&1")
        check("Setting up notesdb" in installed, f"apt installs the package:\n{installed[-600:]}")
        check('"stories"' in inside("cp -r /usr/share/doc/notesdb/examples/notes-sample /root/s && notesdb --root /root/s list --json"),
              "the installed command lists the sample")
        check("exit" not in inside("notesdb serve --help"), "the installed server starts")
        files = inside("dpkg -L notesdb | while read f; do test -f $f && echo $f; done").split()
        check(len(files) > 40, "the package has files")
        check("exit" not in inside("apt-get purge -qq -y notesdb 2>&1"), "apt purges the package")
        left = [name for name in files if os.path.exists(root + name)]
        check(not left, f"nothing is left of it: {left[:5]}")
    finally:
        subprocess.run(["umount", os.path.join(root, "proc")], check=False)


def check_release(folder, twin, room):
    check_sums(folder)
    os.mkdir(os.path.join(room, "tarball"))
    check_tarball(one(folder, "*.tar.gz"), os.path.join(room, "tarball"))
    check_bundle(folder)
    check_bill(folder)
    check_debian(one(folder, "*.deb"), room)
    if twin:
        check(said("diff", "-r", folder, twin) == "", f"{twin} has the same bytes")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", nargs="?")
    options.add_argument("--same-as")
    options.add_argument("--installed")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as room:
        if given.installed:
            check_build(given.installed, room)
        else:
            check_release(os.path.abspath(given.folder), given.same_as, room)
    print(f"{tried} tried, {len(problems)} broken")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
