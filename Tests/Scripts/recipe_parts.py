"""Compiles copies of modules that a recipe of CONTRIBUTING has changed, against the rest of the debug build."""

import dataclasses
import glob
import os
import re
import shutil
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = f"{TOP}/.build/debug"
# As Package.swift has them for every module.
FEATURES = "ExistentialAny InternalImportsByDefault MemberImportVisibility".split()
PACKAGE = re.sub(r"\W", "_", os.path.basename(TOP).lower())


@dataclasses.dataclass
class Recipe:
    """What a recipe changes, and a program that shows what came of it."""

    name: str
    # The modules that are copied, lowest first, as LAYER/MODULE.
    modules: list
    # Changes as (file, text that is there once, text in its place), and new files by name.
    edits: tuple
    check: str
    files: dict = dataclasses.field(default_factory=dict)
    # Modules of C libraries that are installed.
    libraries: list = dataclasses.field(default_factory=list)
    # Runs of the check as (arguments, status, a text that is in what it says).
    runs: tuple = ()

    def build(self, scratch):
        """The path of the check, compiled."""
        names = [os.path.basename(module) for module in self.modules]
        for module, name in zip(self.modules, names):
            shutil.copytree(f"{TOP}/Sources/{module}", f"{scratch}/{name}")
        for file, old, new in self.edits:
            edit(f"{scratch}/{file}", old, new)
        for file, text in self.files.items():
            write(f"{scratch}/{file}", text)
        for name in names:
            self.compile(scratch, name)
        write(f"{scratch}/Check.swift", self.check)
        objects = [f"{scratch}/{name}.o" for name in names] + objects_of(below(self.modules))
        self.swiftc(scratch, "Check", f"{scratch}/Check.swift", *objects, "-o", f"{scratch}/check")
        return f"{scratch}/check"

    def compile(self, scratch, name):
        sources = glob.glob(f"{scratch}/{name}/**/*.swift", recursive=True)
        module = ["-emit-module", "-emit-module-path", f"{scratch}/{name}.swiftmodule"]
        self.swiftc(scratch, name, *sources, "-wmo", "-c", *module, "-o", f"{scratch}/{name}.o")

    def swiftc(self, scratch, name, *words):
        command = [os.environ.get("SWIFTC", "swiftc"), "-module-name", name, "-package-name", PACKAGE]
        command += ["-Onone", "-parse-as-library", "-swift-version", "6"]
        command += ["-I", scratch, "-I", f"{BUILD}/Modules", "-I", f"{TOP}/Sources/CLibraries/CLinux/include"]
        command += ["-Xcc", f"-fmodule-map-file={BUILD}/CLinux.build/module.modulemap"]
        for library in self.libraries:
            command += ["-Xcc", f"-fmodule-map-file={TOP}/Sources/CLibraries/{library}/module.modulemap"]
        for feature in FEATURES:
            command += ["-enable-upcoming-feature", feature]
        subprocess.run([*command, *words], check=True)


def below(modules):
    """The modules that some modules stand on, by the rows of the manifest, as LAYER/MODULE."""
    with open(f"{TOP}/Package.swift", encoding="utf-8") as file:
        rows = re.findall(r'module\(\s*"(\w+)", in: "(\w+)"(?:,\s*uses: \[([^]]*)\])?', file.read())
    layers = {name: layer for name, layer, _ in rows}
    uses = {name: re.findall(r'"(\w+)"', text) for name, _, text in rows}
    copied = [os.path.basename(module) for module in modules]
    found, waiting = set(), list(copied)
    while waiting:
        new = [name for name in uses[waiting.pop()] if name in uses and name not in found]
        found.update(new)
        waiting += new
    return [f"{layers[name]}/{name}" for name in sorted(found.difference(copied))]


def objects_of(modules):
    """The objects of modules and of CLinux. A folder of builds also keeps those of files that are gone."""
    found = [
        f"{BUILD}/{os.path.basename(module)}.build/{os.path.basename(source)}.o"
        for module in modules
        for source in glob.glob(f"{TOP}/Sources/{module}/**/*.swift", recursive=True)
    ]
    c = [os.path.basename(source) + ".o" for source in glob.glob(f"{TOP}/Sources/CLibraries/CLinux/*.c")]
    return found + [f"{BUILD}/CLinux.build/{name}" for name in c]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def edit(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert text.count(old) == 1, f"{path} no longer has one place for the recipe: {old}"
    write(path, text.replace(old, new))
