#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make wheel: wheel.py VERSION FOLDER GPU_CODE makes a wheel in FOLDER from FOLDER/image, which make install has filled.

A wheel is a zip file: what is in its .data/scripts goes to the environment's bin, and .data/data to its root, so that
programs find their libraries in ../lib/gridutils. There is no Python code, and nothing is compiled on installation.
"""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

version, folder, gpu_code = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
top = Path(__file__).resolve().parents[2]


def is_program_or_library(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF" and path.suffix != ".o"


def oldest_glibc(paths):
    """The version that the newest symbol of glibc among those used has, which no older glibc can provide."""
    newest = (2, 17)
    for path in paths:
        symbols = subprocess.run(["readelf", "-V", "-W", path], capture_output=True, text=True, check=True).stdout
        for found in re.findall(r"\bGLIBC_(\d+)\.(\d+)", symbols):
            newest = max(newest, (int(found[0]), int(found[1])))
    return newest


def make_tree(tree):
    """The files of the wheel, by their names there. Returns them with whether they are programs or libraries."""
    subprocess.run(["rm", "-rf", tree], check=True)
    subprocess.run(["cp", "-a", folder / "image/usr", tree], check=True)
    elf = top / "common/packages/elf.bash"
    subprocess.run(["bash", "-c", f'. "{elf}" && bundle_fmt "{tree.resolve()}"'], check=True)
    # A wheel has no links: of the folder with the form of a toolkit there is the part that links need not provide.
    cuda = tree / "lib/gridutils/cuda"
    (cuda / "bin/nvcc").unlink()
    (cuda / "bin/nvcc").write_text('#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/../../../../bin/simcc" "$@"\n')
    (cuda / "include").unlink()
    subprocess.run(["cp", "-a", tree / "lib/gridutils/include", cuda / "include"], check=True)
    files = {}
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        if path.is_symlink() and is_program_or_library(path):
            continue
        name = path.relative_to(tree).as_posix()
        files[f"{data}/scripts/{path.name}" if name.startswith("bin/") else f"{data}/data/{name}"] = path
    return files


def sum_of(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def commit_time():
    git = subprocess.run(["git", "-C", top, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
    seconds = int(git.stdout) if git.returncode == 0 else (top / "Makefile").stat().st_mtime
    return time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", seconds)))[:6]


data = f"gridutils-{version}.data"
info = f"gridutils-{version}.dist-info"
files = make_tree(folder / "wheel")
major, minor = oldest_glibc(path for path in files.values() if is_program_or_library(path))
tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
gpu = f"This build has GPU code for {gpu_code}." if gpu_code else "This build is for the simulator only: no GPU code."
metadata = f"""Metadata-Version: 2.1
Name: gridutils
Version: {version}
Summary: CUDA programs for the shell, on a GPU and in a simulator
License: MIT
License-File: LICENSE
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{gpu} `gridutils` lists the programs. `simcc` needs g++ on the machine.
`compare` and `plot` are here `gridutils-compare` and `gridutils-plot`,
since the plain names are other programs', too; `gridutils plot` runs it.

{(top / "README.md").read_text(encoding="utf-8")}"""
wheel = f"Wheel-Version: 1.0\nGenerator: gridutils {version}\nRoot-Is-Purelib: false\nTag: {tag}\n"

contents = {name: path.read_bytes() for name, path in files.items()}
contents[f"{info}/METADATA"] = metadata.encode()
contents[f"{info}/WHEEL"] = wheel.encode()
contents[f"{info}/LICENSE"] = (top / "common/packages/copyright").read_bytes()
record = "".join(f"{name},{sum_of(content)},{len(content)}\n" for name, content in contents.items())
contents[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

name = folder / f"gridutils-{version}-{tag}.whl"
date = commit_time()
with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for entry, content in contents.items():
        member = zipfile.ZipInfo(entry, date)
        member.compress_type = zipfile.ZIP_DEFLATED
        member.external_attr = (0o100755 if "/scripts/" in entry or entry.endswith("/nvcc") else 0o100644) << 16
        archive.writestr(member, content)
print(f"make: {name} ({name.stat().st_size / 1e6:.1f} MB)")
