"""Builds the Python package: maturin's backend, with the program `quaich` in the wheel.

The program and the module are targets of one cargo package, so that what both need is compiled once. maturin packs whatever is in
`data/scripts` into the wheel's scripts, where pip puts it on the path.

`pip wheel . --config-settings compatibility=manylinux_2_17` makes a wheel for old versions of glibc, with the linker of zig.
"""

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import maturin

ROOT = Path(__file__).resolve().parent.parent.parent
BINDING = ROOT / "bindings" / "python"
PROFILE = "wheel"
# Where maturin finds what it puts into the scripts of a wheel.
SCRIPTS = BINDING / "data" / "scripts"

# What a source distribution consists of: everything that the build reads.
SOURCES = ["Cargo.toml", "Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "pyproject.toml", "crates", "data/sample", "bindings"]

get_requires_for_build_editable = maturin.get_requires_for_build_editable
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist

# What links for versions of glibc older than this machine's.
ZIG = ["ziglang==0.17.0", "cargo-zigbuild>=0.23"]


def get_requires_for_build_wheel(config_settings=None):
    """The packages that the build needs."""
    required = maturin.get_requires_for_build_wheel(config_settings)
    return required + ZIG if compatibility(config_settings) else required


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Make the metadata; maturin expects the folder of the program even then."""
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the program, then the wheel with it."""
    tag = compatibility(config_settings)
    if tag is None:
        build_program()
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    # manylinux_2_17 means glibc 2.17.
    version = ".".join(tag.removeprefix("manylinux_").split("_"))
    build_program(("cargo", "zigbuild"), f"{platform.machine()}-unknown-linux-gnu.{version}")
    return maturin.build_wheel(wheel_directory, {"build-args": f"--zig --compatibility {tag}"}, metadata_directory)


def compatibility(config_settings):
    """The tag of the oldest system that the wheel is for, such as manylinux_2_17, if one was chosen."""
    return (config_settings or {}).get("compatibility")


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The same for a package that is used from the checkout."""
    build_program()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_program(command=("cargo", "build"), target=None):
    """Build the program for a target of cargo-zigbuild, or for this machine, and put it where maturin finds it."""
    arguments = ["--profile", PROFILE, "--bin", "quaich", "--manifest-path", str(BINDING / "Cargo.toml")]
    chosen = [] if target is None else ["--target", target]
    # As maturin does; pyo3 is a dependency of the package, although the program does not use it.
    environment = {**os.environ, "PYO3_BUILD_EXTENSION_MODULE": "1", "PYO3_PYTHON": sys.executable}
    subprocess.run([*command, *arguments, *chosen], check=True, env=environment)
    folder = Path(os.environ.get("CARGO_TARGET_DIR", BINDING / "target"))
    if target is not None:
        # cargo-zigbuild takes the version of glibc after the target.
        folder /= target.partition(".")[0]
    name = "quaich.exe" if sys.platform == "win32" else "quaich"
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    shutil.copy2(folder / PROFILE / name, SCRIPTS / name)


def build_sdist(sdist_directory, config_settings=None):
    """Pack the sources that the build reads: all files of git, or of an unpacked source distribution."""
    metadata_folder = prepare_metadata_for_build_wheel(sdist_directory)
    metadata = Path(sdist_directory) / metadata_folder / "METADATA"
    content = metadata.read_bytes()
    shutil.rmtree(metadata.parent)
    version = next(line for line in content.decode().splitlines() if line.startswith("Version: ")).split()[1]
    name = f"quaich-{version}"
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        info.size = len(content)
        archive.addfile(info, BytesIO(content))
        for path in sources():
            archive.add(ROOT / path, f"{name}/{path}", recursive=False, filter=without_owner)
    return f"{name}.tar.gz"


def sources():
    """The paths of the source files, in order."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *SOURCES]
        found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    else:
        found = [str(path.relative_to(ROOT)) for source in SOURCES for path in files(ROOT / source)]
    return sorted(path for path in found if path and (ROOT / path).is_file())


def files(path):
    """A file, or all files of a folder without what the build makes."""
    if path.is_file():
        return [path]
    made = {"target", "data/scripts", "__pycache__"}
    return [file for file in path.rglob("*") if file.is_file() and not made & set(file.relative_to(path).parts)]


def without_owner(info):
    """The entry of a file as anyone would make it."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mtime = 0
    return info
