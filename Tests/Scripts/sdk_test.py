"""The ways in for Swift: sdk_test.py FOLDER SECURITY, with an SDK installed in FOLDER/prefix and the command."""

import os
import sys

from sdk_parts import FAILED, ROOT, SEES, STORES, SWIFT, Package, check, run

WORK, SECURITY = sys.argv[1], sys.argv[2]
PREFIX = f"{WORK}/prefix"
# Prefixes that the loader does not know by itself.
RPATH = ("-Xlinker", "-rpath", "-Xlinker", f"{PREFIX}/lib")

MANIFEST = """// swift-tools-version: 6.0
import PackageDescription
let package = Package(
    name: "app", dependencies: [.package(path: "../neighbour")],
    targets: [
        .systemLibrary(name: "SwiftSecurity", path: "SwiftSecurity", pkgConfig: "swift-security"),
        .executableTarget(
            name: "keeper", dependencies: ["SwiftSecurity", .product(name: "Neighbour", package: "neighbour")]),
        .executableTarget(name: "bystander"),
    ])
"""


def check_system_library(system):
    """Targets that ask for the SDK see it, others never do, whatever was built before."""
    folder = f"{WORK}/{system}"
    neighbour = Package(
        f"{folder}/neighbour",
        {
            "Package.swift": (
                """// swift-tools-version: 6.0
import PackageDescription
let package = Package(
    name: "neighbour", products: [.library(name: "Neighbour", targets: ["Neighbour"])],
    targets: [.target(name: "Neighbour")])
"""
            ),
            "Sources/Neighbour/N.swift": "public func neighbour() -> String {\n" + SEES.format("return") + "}\n",
        },
    )
    app = Package(
        f"{folder}/app",
        {
            "Package.swift": MANIFEST,
            "SwiftSecurity/module.modulemap": "module SwiftSecurity {}\n",
            "Sources/keeper/main.swift": "import Neighbour\nimport Security\n" + STORES + "print(neighbour())\n",
            "Sources/bystander/main.swift": SEES.format("print") + "\n",
        },
    )
    for build in ("clean", "incremental"):
        app.build(PREFIX, *RPATH, system=system)
        check(
            f"{system}, {build} build: a target that asks uses the keychain, its dependency sees nothing of it",
            app.start("keeper") == "s3cret\nsees nothing",
            app.start("keeper"),
        )
        check(
            f"{system}, {build} build: a target that does not ask sees nothing",
            app.start("bystander") == "sees nothing",
        )
        app.write("Sources/bystander/main.swift", SEES.format("print") + "\n// changed\n")
        neighbour.write(
            "Sources/Neighbour/N.swift",
            "public func neighbour() -> String {\n" + SEES.format("return") + "}\n// changed\n",
        )


def check_toolset(system):
    """A package that says `import Security` and nothing else of it is built without an edit."""
    package = Package(
        f"{WORK}/toolset-{system}",
        {
            "Package.swift": (
                """// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "plain", targets: [.executableTarget(name: "plain")])
"""
            ),
            "Sources/plain/main.swift": "import Security\n" + STORES,
        },
    )
    before = package.files()
    package.build(PREFIX, "--toolset", f"{PREFIX}/share/swift-keychain/toolset.json", system=system)
    check(f"{system}: with the toolset a package is built as it is", package.start("plain") == "s3cret")
    check(f"{system}: nothing in it has changed", package.files() == before)


def check_toolset_with_import():
    """Code that asks for Security and leaves the import to Foundation is built without a toolset and with the other."""
    package = Package(
        f"{WORK}/guarded",
        {
            "Package.swift": (
                """// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "guarded", targets: [.executableTarget(name: "guarded")])
"""
            ),
            "Sources/guarded/main.swift": (
                """import Foundation
#if canImport(Security)
    print(kSecClass as String)
#else
    print("elsewhere")
#endif
"""
            ),
        },
    )
    package.build(PREFIX)
    check("a package that asks for Security is built without a toolset", package.start("guarded") == "elsewhere")
    # Other options alone start no new build.
    run("rm", "-r", f"{package.folder}/.build")
    package.build(PREFIX, "--toolset", f"{PREFIX}/share/swift-keychain/toolset-with-import.json")
    check("with the toolset that imports it the names are there", package.start("guarded") == "class")


def check_setup():
    """One command makes a package ready whose code imports Foundation alone, and takes it back."""
    package = Package(
        f"{WORK}/ready",
        {
            "Package.swift": (
                """// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "ready", targets: [.executableTarget(name: "ready")])
"""
            ),
            "Sources/ready/main.swift": "import Foundation\n" + STORES,
        },
    )
    before = package.files()
    home = {"HOME": WORK, "PWD": package.folder}
    run(SECURITY, "setup", "--yes", "--system-library", "swift", folder=package.folder, **home)
    package.build(PREFIX, *RPATH)
    check(
        "`security setup swift` makes a package ready that imports Foundation alone", package.start("ready") == "s3cret"
    )
    run(SECURITY, "setup", "--yes", "--undo", "swift", folder=package.folder, **home)
    check(
        "undo leaves every file as it was",
        {k: v for k, v in package.files().items() if k != "Package.resolved"} == before,
    )


def check_package_dependency():
    """The package's own product, as SwiftPM builds it for somebody else."""
    name = os.path.basename(ROOT)
    package = Package(
        f"{WORK}/dependent",
        {
            "Package.swift": (
                f"""// swift-tools-version: 6.0
import PackageDescription
let package = Package(
    name: "dependent", dependencies: [.package(path: "{ROOT}")],
    targets: [
        .executableTarget(
            name: "dependent",
            dependencies: [
                .product(name: "Security", package: "{name}"), .product(name: "LocalAuthentication", package: "{name}"),
            ])
    ])
"""
            ),
            "Sources/dependent/main.swift": "import LocalAuthentication\nimport Security\n" + STORES,
        },
    )
    # Kept between runs, as what is in it does not depend on this one.
    package.build(PREFIX, "--scratch-path", f"{ROOT}/.build/dependent")
    check("a package that depends on the products uses the keychain", package.start("dependent") == "s3cret")
    manifest = run(SWIFT, "package", "dump-package", folder=ROOT)
    check("the manifest has no flags that SwiftPM refuses in a dependency", "unsafeFlags" not in manifest)


def main():
    for system in ("native", "swiftbuild"):
        check_system_library(system)
        check_toolset(system)
    check_toolset_with_import()
    check_setup()
    check_package_dependency()
    sys.exit(1 if FAILED else 0)


main()
