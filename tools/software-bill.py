"""software-bill VERSION BUILD: the packages that a release is made of, as SPDX 2.3 in JSON, on standard output.

Those of Debian are the ones whose files the build folder was configured with, and the libraries of
the system that a static program takes in; those of the page come from web/package-lock.json.
"""

import json
import os
import re
import subprocess
import sys
import time

# A package's licence, as Debian's copyright file of its source tells it.
LICENCES = {"libyaml-cpp-dev": "MIT", "libre2-dev": "BSD-3-Clause", "libutf8proc-dev": "MIT", "libxxhash-dev": "BSD-2-Clause",
            "libsqlite3-dev": "blessing", "libboost-filesystem1.74-dev": "BSL-1.0", "libboost1.74-dev": "BSL-1.0",
            "libtomlplusplus-dev": "MIT", "nlohmann-json3-dev": "MIT", "libcli11-dev": "BSD-3-Clause",
            "libcpp-httplib-dev": "MIT", "libc6-dev": "LGPL-2.1-or-later", "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1"}


def debian_package(path):
    """Name and version of the package that a file belongs to; nothing for others."""
    found = subprocess.run(["dpkg-query", "--search", os.path.realpath(path)], capture_output=True, text=True)
    if found.returncode != 0:
        return None
    name = found.stdout.split(":")[0]
    shown = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", name], capture_output=True, text=True, check=True)
    return name, shown.stdout


def debian_packages(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        cache = file.read()
    paths = re.findall(r"^pkg_\w+_ARCHIVE:FILEPATH=(.+)$", cache, re.M)
    for headers in re.findall(r"^TOML_INCLUDE:PATH=(.+)$", cache, re.M):
        paths.append(os.path.join(headers, "toml++/toml.h"))
    paths += [os.path.join(folder, file)
              for folder, file in re.findall(r"^(?:nlohmann_json|CLI11)_DIR:PATH=(.+)()$", cache, re.M)]
    paths = [os.path.join(path, sorted(os.listdir(path))[0]) if os.path.isdir(path) else path for path in paths]
    paths.append("/usr/include/httplib.h")
    for archive in ("libc.a", "libstdc++.a"):
        found = subprocess.run(["g++", f"-print-file-name={archive}"], capture_output=True, text=True, check=True)
        paths.append(found.stdout.strip())
    return sorted(set(filter(None, map(debian_package, paths))))


def page_packages():
    with open("web/package-lock.json", encoding="utf-8") as file:
        lock = json.load(file)
    for path, package in sorted(lock["packages"].items()):
        if path and not package.get("dev"):
            yield path.split("node_modules/")[-1], package["version"], package.get("license", "NOASSERTION")


def package(number, name, version, licence, where):
    return {"SPDXID": f"SPDXRef-{number}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": where}]}


def main():
    version, build = sys.argv[1:]
    packages = [package(0, "notesdb", version, "Apache-2.0", f"pkg:generic/notesdb@{version}")]
    for name, of in debian_packages(build):
        packages.append(package(len(packages), name, of, LICENCES.get(name, "NOASSERTION"), f"pkg:deb/debian/{name}@{of}"))
    for name, of, licence in page_packages():
        packages.append(package(len(packages), name, of, licence, f"pkg:npm/{name.replace('@', '%40')}@{of}"))
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"notesdb-{version}",
        "documentNamespace": f"https://notesdb.example/spdx/{version}/{commit}",
        "creationInfo": {"created": made, "creators": ["Tool: tools/release"]},
        "packages": packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-0"}]
        + [{"spdxElementId": "SPDXRef-0", "relationshipType": "STATIC_LINK" if "deb" in p["externalRefs"][0]["referenceLocator"][:8] else "CONTAINS",
            "relatedSpdxElement": p["SPDXID"]} for p in packages[1:]],
    }, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
