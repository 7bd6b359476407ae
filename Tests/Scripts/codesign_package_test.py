"""The line of docs/guides/signing.md signs what SwiftPM has built, from an empty folder.

usage: codesign_package_test.py FOLDER-OF-PROGRAMS
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from codesign_test import PLIST, Signer, expect, independent
from patience import PATIENCE


def swift_package(signer, folder, programs):
    """access-groups.entitlements.build: one line signs what SwiftPM built, and again after the next build."""
    package = pathlib.Path(folder, "App")
    package.mkdir()
    swift = os.environ.get("SWIFT", "swift")
    subprocess.run(
        [swift, "package", "init", "--type", "executable", "--name", "App"],
        cwd=package,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (package / "App.entitlements").write_text(PLIST % "$(AppIdentifierPrefix)com.example.shared")
    shutil.copy(f"{folder}/team.pem", package / "team.pem")
    line = (
        'swift build && security codesign -s team.pem -f -e App.entitlements -i com.example.app \\\n'
        '        "$(swift build --show-bin-path)/App"'
    )
    page = pathlib.Path(__file__).parents[2] / "docs/guides/signing.md"
    expect(line in page.read_text(), "the line that is tested is the one on the page")
    env = signer.env | {"PATH": f"{programs}:{os.environ['PATH']}"}
    if "/" in swift:
        env["PATH"] = f"{os.path.dirname(swift)}:{env['PATH']}"
    for _ in range(2):
        done = subprocess.run(
            ["sh", "-c", line], cwd=package, env=env, capture_output=True, text=True, timeout=10 * PATIENCE
        )
        expect(done.returncode == 0, f"the line of the page: {done.stdout}{done.stderr}")
    app = next(package.glob(".build/*/debug/App"))
    signature = independent(app)
    expect(
        signature["identifier"] == "com.example.app" and len(signature["groups"]) == 2, "what SwiftPM built is signed"
    )
    expect("Hello" in subprocess.run([app], capture_output=True, text=True).stdout, "and runs")
    before = os.stat(app).st_size
    signer.run("-f", "-s", f"{folder}/team.pem", str(app))
    expect(os.stat(app).st_size <= before, "signing again does not make it larger")


def main():
    programs = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="codesign-") as folder:
        signer = Signer(folder, programs)
        try:
            signer.run("-c", f"{folder}/team.pem")
            swift_package(signer, folder, programs)
        finally:
            signer.stop_daemon()
    print("what SwiftPM has built is signed by one line")


main()
