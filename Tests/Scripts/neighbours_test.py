"""Packages that know nothing of the product, in one build with it: neighbours_test.py FOLDER [whole].

The tree is taken as others take it: from a git repository, by version.
"""

import os
import sys
import time

from sdk_parts import ATTEMPTS, FAILED, ROOT, SEES, STORES, SWIFT, Package, check, run

WORK = sys.argv[1]
SOURCE = f"{WORK}/swift-keychain"
# The C libraries that a dependent links; those that the programs alone link are not among them.
NEEDED = ("sqlite3", "libcrypto", "libargon2", "expat")
# Neither the user's caches nor what their SwiftPM remembers of versions.
OWN = ("--disable-dependency-cache", "--security-path", f"{WORK}/security")

MANIFEST = f"""// swift-tools-version: 6.0
import PackageDescription

let keychain = Target.Dependency.product(
    name: "KeychainModules", package: "swift-keychain",
    moduleAliases: [
        "Security": "KeychainSecurity", "LocalAuthentication": "KeychainLocalAuthentication",
        "CoreFoundation": "KeychainCoreFoundation", "CommonCrypto": "KeychainCommonCrypto",
    ])
let package = Package(
    name: "app",
    dependencies: [
        .package(url: "file://{SOURCE}", from: "0.5.0"), .package(path: "../neighbour"), .package(path: "../other"),
    ],
    targets: [
        .target(name: "Keeping", dependencies: [keychain]),
        .executableTarget(
            name: "keeper",
            dependencies: [
                "Keeping", .product(name: "Neighbour", package: "neighbour"), .product(name: "Other", package: "other"),
            ]),
        .executableTarget(name: "alone", dependencies: [.product(name: "Neighbour", package: "neighbour")]),
    ])
// Swift Build of Swift 6.3 gives an executable no names.
if Context.environment["NATIVE"] != nil {{
    package.targets.append(.executableTarget(name: "direct", dependencies: [keychain]))
}}
"""

# Each condition that such code takes for "is an Apple platform".
NEIGHBOUR = """
import Foundation
#if canImport(LocalAuthentication)
    import LocalAuthentication
#endif
#if canImport(CommonCrypto)
    import CommonCrypto
#endif
#if canImport(Security)
    import Security
#endif
import CoreFoundation

public func neighbour() -> String {{
{}
}}
public func absolute() -> CFAbsoluteTime {{ CFAbsoluteTimeGetCurrent() }}
"""

KEEPING = f"""
import CommonCrypto
import CoreFoundation
import Foundation
import LocalAuthentication
import Security

public func keep() {{
{STORES}
    precondition(LAContext().interactionNotAllowed == false && CC_SHA256_DIGEST_LENGTH == 32)
}}
"""


def git(*words):
    return run("git", "--git-dir", f"{SOURCE}/.git", "--work-tree", ROOT, *words, folder=ROOT).strip()


def publish():
    """A repository with the tree as it is, whose newest version is it."""
    if not os.path.exists(f"{SOURCE}/.git"):
        run("git", "init", "--quiet", "--initial-branch", "main", SOURCE)
    git("add", "--all")
    versions = len(git("tag").split())
    if versions == 0 or git("diff", "--cached", "--name-only", "HEAD"):
        git("-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "--message", "the tree")
        git("tag", f"0.5.{versions}")


def few_libraries():
    """A pkg-config that knows what dependents need and nothing of what only the programs link."""
    folder = f"{WORK}/pkg-config"
    os.makedirs(folder, exist_ok=True)
    for name in NEEDED:
        found = run("pkg-config", "--variable", "pcfiledir", name).strip()
        if not os.path.exists(f"{folder}/{name}.pc"):
            os.symlink(f"{found}/{name}.pc", f"{folder}/{name}.pc")
    with open(f"{folder}/pkg-config", "w") as file:
        file.write(f"#!/bin/sh\necho {folder}\n")
    os.chmod(f"{folder}/pkg-config", 0o755)
    return folder


class Dependent(Package):
    """The package that depends on the product, and what its builds say."""

    def __init__(self):
        super().__init__(
            f"{WORK}/app",
            {
                "Package.swift": MANIFEST,
                "Sources/Keeping/Keeping.swift": KEEPING,
                "Sources/keeper/main.swift": (
                    "import Keeping\nimport Neighbour\nimport Other\nkeep()\nprint(neighbour(), other())\n"
                ),
                "Sources/alone/main.swift": "import Neighbour\nprint(neighbour())\n",
                "Sources/direct/main.swift": "import Foundation\nimport Security\n" + STORES,
            },
        )
        run(SWIFT, "package", *OWN, "update", folder=self.folder)

    def build(self, system, configuration):
        options = ["--build-system", system, "--configuration", configuration, *OWN]
        few = few_libraries()
        variables = {"PATH": f"{few}:{os.environ['PATH']}"} | ({"NATIVE": "1"} if system == "native" else {})
        said = run(SWIFT, "build", *options, folder=self.folder, attempts=ATTEMPTS, **variables)
        self.products = run(SWIFT, "build", *options, "--show-bin-path", folder=self.folder).splitlines()[-1].strip()
        return said

    def modules(self):
        """The names of the modules that every target of the build can see."""
        places = (self.products, f"{self.products}/Modules")
        names = {name for place in places if os.path.isdir(place) for name in os.listdir(place)}
        return {name.removesuffix(".swiftmodule") for name in names if name.endswith(".swiftmodule")}


def neighbours():
    """A package that knows nothing of the product, and one that depends on it without another name for anything."""
    neighbour = Package(
        f"{WORK}/neighbour",
        {
            "Package.swift": (
                """// swift-tools-version: 6.0
import PackageDescription
let package = Package(
    name: "neighbour", products: [.library(name: "Neighbour", targets: ["Neighbour"])],
    targets: [.target(name: "Neighbour")])
"""
            )
        },
    )
    Package(
        f"{WORK}/other",
        {
            "Package.swift": (
                f"""// swift-tools-version: 6.0
import PackageDescription
let package = Package(
    name: "other", products: [.library(name: "Other", targets: ["Other"])],
    dependencies: [.package(url: "file://{SOURCE}", from: "0.5.0")],
    targets: [.target(name: "Other", dependencies: [.product(name: "Security", package: "swift-keychain")])])
"""
            ),
            "Sources/Other/Other.swift": "import Security\npublic func other() -> OSStatus { errSecSuccess }\n",
        },
    )
    return neighbour


def check_builds(app, neighbour, system, configuration):
    """Two builds, between which the neighbour has changed: in the second the product's modules lie there."""
    for build in ("first", "second"):
        name = f"{system}, {configuration}, {build} build"
        neighbour.write("Sources/Neighbour/N.swift", NEIGHBOUR.format(SEES.format("return")) + f"// {time.time()}\n")
        began = time.monotonic()
        said = app.build(system, configuration)
        print(f"        {name}: {time.monotonic() - began:.0f} s", flush=True)
        check(
            f"{name}: who depends on the product stores and finds, the neighbour sees nothing of it",
            app.start("keeper") == "s3cret\nsees nothing 0",
            app.start("keeper"),
        )
        check(
            f"{name}: an executable stores and finds that depends on the product itself",
            system != "native" or app.start("direct") == "s3cret",
        )
        check(f"{name}: an executable links that depends on the neighbour alone", app.start("alone") == "sees nothing")
        check(
            f"{name}: nothing warns of libraries that only the programs link",
            "you may be able to install" not in said and "couldn't find pc file" not in said,
            said[-2000:],
        )
        seen = app.modules() & {"Security", "CoreFoundation", "LocalAuthentication", "CommonCrypto"}
        check(f"{name}: no module has a name of Apple's", "KeychainSecurity" in app.modules() and not seen, seen)


def main():
    publish()
    neighbour, app = neighbours(), Dependent()
    whole = sys.argv[2:] == ["whole"]
    for system in ("native", "swiftbuild") if whole else ("native",):
        for configuration in ("debug", "release") if whole else ("debug",):
            check_builds(app, neighbour, system, configuration)
    sys.exit(1 if FAILED else 0)


main()
