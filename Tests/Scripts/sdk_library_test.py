"""Programs and the library.

Sdk_library_test.py FOLDER PARTS, with an SDK installed in FOLDER/prefix, and what it was built of.
"""

import glob
import os
import re
import shutil
import sys

from sdk_parts import COMPILER, FAILED, ROOT, STORES, Package, check, program, run

WORK, PARTS = sys.argv[1], sys.argv[2]
PREFIX = f"{WORK}/prefix"
MODULES = f"{PREFIX}/lib/swift-keychain/sdk"
CLIENT_MODULES = [name.removesuffix(".swiftmodule") for name in os.listdir(MODULES)]

# Its own class below one of the library's is what an upgrade could break first.
CLIENT = "import LocalAuthentication\nimport Security\n" + STORES + """
final class Mine: LAContext, @unchecked Sendable {
    var number = 42
    override func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool { number == 42 }
}
let mine = Mine()
mine.localizedReason = "because"
print(mine.number, mine.localizedReason, mine.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
"""
ANSWER = "s3cret\n42 because true"


def compiled(name, *options, modules=MODULES, libraries=f"{PREFIX}/lib"):
    """The path of a program that is the client."""
    source = f"{WORK}/main.swift"
    with open(source, "w") as file:
        file.write(CLIENT)
    run(COMPILER, "-swift-version", "6", "-I", modules, "-L", libraries, source, "-o", f"{WORK}/{name}", *options)
    return f"{WORK}/{name}"


def answer(path, expected=0):
    return program(path, f"{WORK}/keychain", expected).strip()


def check_interfaces():
    """A compiler that cannot read our compiler's modules reads the texts."""
    texts = f"{WORK}/texts"
    shutil.copytree(MODULES, texts, ignore=shutil.ignore_patterns("*-linux-gnu.swiftmodule", "*.swiftdoc"))
    check("there is a text for each module", len(glob.glob(f"{texts}/*/*.swiftinterface")) == len(CLIENT_MODULES))
    imports = "".join(f"import {module}\n" for module in CLIENT_MODULES)
    with open(f"{WORK}/imports.swift", "w") as file:
        file.write(imports)
    cache = ("-module-cache-path", f"{WORK}/cache")
    run(COMPILER, "-typecheck", "-swift-version", "6", "-I", texts, *cache, f"{WORK}/imports.swift")
    path = compiled("from-texts", *cache, "-Xlinker", "-rpath", "-Xlinker", f"{PREFIX}/lib", modules=texts)
    check("a client is built from the interfaces' texts alone", answer(path) == ANSWER)
    hidden = re.compile("(KeychainModel|KeychainEngine|LinuxSystem|KeychainWire)")
    check(
        "no text speaks of a module below",
        not any(hidden.search(open(path).read()) for path in glob.glob(f"{texts}/*/*.swiftinterface")),
    )


def check_run_paths():
    """Where the runtime is looked for: where root alone can put something, and nowhere else."""
    allowed = run(f"{ROOT}/scripts/run-path").strip()
    dynamic = run("readelf", "-d", f"{PREFIX}/lib/libSecurity.so.1")
    check(
        "the library has no other run path",
        re.findall(r"R(?:UN)?PATH.*\[(.*)\]", dynamic) == ([allowed] if allowed else []),
    )
    recorded = re.findall(r"-rpath,(\S+)", open(f"{PREFIX}/lib/pkgconfig/security.pc").read())
    check("pkg-config records no other", recorded == ([allowed] if allowed else []))


def members(archive):
    """The contents of an archive's objects, in order."""
    data, at = open(archive, "rb").read(), 8
    while at < len(data):
        name, size = data[at : at + 16].strip(), int(data[at + 48 : at + 58])
        if name not in (b"/", b"//", b"/SYM64/"):
            yield data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


def next_version(folder):
    """The library with a LocalAuthentication whose class has a stored property and a method more, each before all
    others.
    """
    sources, objects = f"{folder}/sources", f"{folder}/LocalAuthentication.build"
    shutil.copytree(f"{ROOT}/Sources/API/LocalAuthentication", sources)
    os.mkdir(objects)
    path = f"{sources}/Context/LAContext.swift"
    text = open(path).read()
    begin = "open class LAContext: NSObject, @unchecked Sendable {\n"
    assert begin in text
    with open(path, "w") as file:
        file.write(
            text.replace(begin, begin + "    public var addedField = (1, 2, 3, 4)\n    open func addedMethod() {}\n")
        )
    flags = open(f"{PARTS}/Modules/LocalAuthentication.swiftinterface").read()
    maps = glob.glob(f"{ROOT}/Sources/CLibraries/*/module.modulemap") + glob.glob(f"{PARTS}/*.build/module.modulemap")
    features = " ".join(re.findall(r"-enable-upcoming-feature \w+", flags)).split()
    run(
        COMPILER,
        "-c",
        "-wmo",
        "-parse-as-library",
        "-module-name",
        "LocalAuthentication",
        "-swift-version",
        "6",
        "-package-name",
        re.search(r"-package-name (\S+)", flags)[1],
        "-enable-library-evolution",
        "-enable-testing",
        "-module-link-name",
        "Security",
        "-Xfrontend",
        "-disable-autolink-library",
        "-Xfrontend",
        "Security",
        *features,
        "-I",
        f"{PARTS}/Modules",
        *(word for name in maps for word in ("-Xcc", f"-fmodule-map-file={name}")),
        *glob.glob(f"{sources}/**/*.swift", recursive=True),
        "-o",
        f"{objects}/all.o",
    )
    parts = f"{folder}/parts"
    os.mkdir(parts)
    for number, content in enumerate(members(f"{PARTS}/libSecurityParts.a")):
        # Debugging information says what an object was made of.
        if b"/Sources/API/LocalAuthentication/" not in content:
            with open(f"{parts}/{number}.o", "wb") as file:
                file.write(content)
    archive = f"{folder}/libSecurityParts.a"
    run("ar", "crs", archive, f"{objects}/all.o", *glob.glob(f"{parts}/*.o"))
    folders = [f"{PARTS}/{module}.build" for module in CLIENT_MODULES if module != "LocalAuthentication"]
    run(f"{ROOT}/scripts/link-sdk", archive, f"{folder}/libSecurity.so.1", objects, *folders)


def check_upgrade():
    """A later library does not break a program that was built with this one."""
    library = f"{WORK}/installed"
    shutil.copytree(f"{PREFIX}/lib", library, symlinks=True)
    path = compiled("client", "-Xlinker", "-rpath", "-Xlinker", library)
    check("a program runs with the library it was built with", answer(path) == ANSWER)
    os.mkdir(f"{WORK}/next")
    next_version(f"{WORK}/next")
    os.replace(f"{WORK}/next/libSecurity.so.1", f"{library}/libSecurity.so.1")
    check(
        "the later library has the method that was added",
        "addedMethod" in run("nm", "-D", "--defined-only", f"{library}/libSecurity.so.1"),
    )
    check("a program runs with a later library, whose class has a field and a method more", answer(path) == ANSWER)


def check_static():
    """Two Foundations in one process are refused, and the archive takes the library's place."""
    shared = compiled("two-runtimes", "-static-stdlib", "-Xlinker", "-rpath", "-Xlinker", f"{PREFIX}/lib")
    check(
        "a program with Swift's runtime inside is told at its start that it needs the archive",
        "swift-security-static" in answer(shared, expected=1),
    )
    package = Package(
        f"{WORK}/static",
        {
            "Package.swift": (
                """// swift-tools-version: 6.0
import PackageDescription
let package = Package(
    name: "inside",
    targets: [
        .systemLibrary(name: "SwiftSecurity", path: "SwiftSecurity", pkgConfig: "swift-security-static"),
        .executableTarget(name: "inside", dependencies: ["SwiftSecurity"]),
    ])
"""
            ),
            "SwiftSecurity/module.modulemap": "module SwiftSecurity {}\n",
            "Sources/inside/main.swift": CLIENT,
        },
    )
    package.build(PREFIX, "--static-swift-stdlib")
    check("with the archive it uses the keychain", package.start("inside") == ANSWER)
    needed = run("readelf", "-d", f"{package.products}/inside")
    check(
        "it needs neither the library nor Swift's runtime",
        "libSecurity" not in needed and "libFoundation" not in needed,
    )


def main():
    check_interfaces()
    check_run_paths()
    check_upgrade()
    check_static()
    sys.exit(1 if FAILED else 0)


main()
