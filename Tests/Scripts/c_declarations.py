"""What the C headers declare, held against the functions that Swift's compiler has made and the table of coverage."""

import re
import subprocess

HEADERS = "Sources/CLibraries/CSecurity/headers"
UMBRELLAS = "#include <Security/Security.h>\n#include <LocalAuthentication/LocalAuthentication.h>\n"
# A type as far as a call depends on it: addresses, truth values, and numbers of a size. Whether a number has a sign
# does not matter, and Swift has none of C's unsigned sizes.
SHAPES = """
#include <type_traits>
typedef long NSInteger;
typedef unsigned long NSUInteger;
template <typename T, typename = void> struct Shape { using Type = T; };
template <> struct Shape<bool> { using Type = bool; };
template <typename T> struct Shape<T, std::enable_if_t<std::is_enum_v<T> || std::is_integral_v<T>>> {
    using Type = std::make_unsigned_t<T>;
};
template <typename T> struct Shape<T *> { using Type = void *; };
template <typename R, typename... A> struct Shape<R(A...)> {
    using Type = typename Shape<R>::Type(typename Shape<A>::Type...);
};
template <typename R, typename... A> struct Shape<R (^)(A...)> { using Type = typename Shape<R(A...)>::Type *; };
template <typename... F> struct Same;
template <typename F, typename G> struct Same<F, G> : std::is_same<typename Shape<F>::Type, typename Shape<G>::Type> {};
#define BOOL bool
"""

# What only compilers with blocks are shown.
WITH_BLOCKS = {
    "SecTrustEvaluateAsync",
    "SecTrustEvaluateAsyncWithError",
    "SecAddSharedWebCredential",
    "SecRequestSharedWebCredential",
}


class Headers:
    """The public headers as a compiler with its flags sees them."""

    def __init__(self, flags, prefix):
        self.flags = flags
        source = subprocess.run(
            ["clang", "-E", "-fblocks", *flags, "-x", "c", "-"],
            input=UMBRELLAS,
            capture_output=True,
            text=True,
            check=True,
        )
        ours, kept = False, []
        for line in source.stdout.splitlines():
            marker = re.match(r'# \d+ "([^"]*)"', line)
            if marker:
                ours = marker[1].startswith(prefix)
            elif ours:
                kept.append(line)
        # What is declared so that a compiler says what to use instead is not there.
        kept = re.sub(r"[^;{}]*__attribute__\(\(unavailable\([^;]*;", "", "\n".join(kept)).splitlines()
        text = re.sub(
            r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|_Pragma\(\"[^\"]*\"\)|#pragma.*", " ", "\n".join(kept)
        )
        enumerations = re.findall(r"\benum\b[^;{]*\{([^}]*)\}", text)
        self.numbers = [name for body in enumerations for name in re.findall(r"\b(\w+)\s*=?[^,]*,", body)]
        declarations = re.sub(r"\{[^}]*\}", " ", text).split(";")
        constant = re.compile(r"\s*extern const \w+\s*(?:_Nullable)?\s*(\w+)\s*$")
        self.constants = [m[1] for d in declarations if (m := constant.match(d))]
        self.functions = [
            m[1] for d in declarations if "typedef" not in d and (m := re.match(r"[\w\s*]*?\b(\w+)\s*\(", d.strip()))
        ]
        with open(f"{HEADERS}/LocalAuthentication/LAPublicDefines.h") as file:
            self.macros = re.findall(r"^#define (kLA\w+) ", file.read(), re.M)


def swift_functions(emitted):
    """The functions of the header that Swift's compiler writes of a module: names, and declarations without them."""
    found = re.findall(r"^SWIFT_EXTERN (.*?)\b(\w+)\((.*)\) SWIFT_NOEXCEPT", emitted, re.M)
    return {name: f"{result}({arguments})" for result, name, arguments in found}


def differing_functions(headers, emitted, compiler="clang++"):
    """Functions whose declarations for C are not what Swift has compiled: another number, kind or width of arguments.
    """
    functions = swift_functions(emitted)
    lines = [
        f"static_assert(Same<decltype({name}), {declaration}>::value, \"{name}\");"
        for name, declaration in functions.items()
        if name in headers.functions
    ]
    built = subprocess.run(
        [compiler, "-std=c++17", "-fblocks", "-fsyntax-only", "-ferror-limit=0", *headers.flags, "-x", "c++", "-"],
        input=UMBRELLAS + SHAPES + "\n".join(lines),
        capture_output=True,
        text=True,
    )
    if built.returncode == 0:
        return []
    return re.findall(r"static assertion failed.*::value': (\w+)", built.stderr) or [built.stderr[:2000]]


def folder_of(header):
    """The framework of a header; none where C has nothing of it: objects of LocalAuthentication are Swift's classes."""
    if not header.startswith("LA"):
        return "Security"
    return "LocalAuthentication" if header == "LAPublicDefines.h" else None


def covered_symbols():
    """The symbols of Apple's headers that docs/coverage.md does not call absent, by header, where C can have them."""
    with open("docs/coverage.md") as page:
        rows = [line.split("|")[1:-1] for line in page if line.startswith("| `") and "| absent |" in line]
    absent = {name for row in rows for name in re.findall(r"`(\w+)`", row[2])}
    symbols = {}
    with open("docs/coverage-symbols.tsv") as table:
        for line in table:
            header, name, _ = line.rstrip("\n").split("\t")
            if name not in absent and folder_of(header):
                symbols.setdefault(header, []).append(name)
    return symbols


def missing_symbols(flags, compiler):
    """Symbols that a program does not find in the header where Apple has them, including nothing else."""
    missing, clang = [], "clang" in compiler
    for header, names in covered_symbols().items():
        names = [name for name in names if clang or name not in WITH_BLOCKS]
        uses = "\n".join(f"    (void){name};" for name in names)
        built = subprocess.run(
            [compiler, "-fsyntax-only", "-fblocks" if clang else "-w", *flags, "-x", "c", "-"],
            input=f"#include <{folder_of(header)}/{header}>\nvoid uses(void) {{\n{uses}\n}}\n",
            capture_output=True,
            text=True,
        )
        undeclared = set(re.findall(r"undeclared identifier '(\w+)'|‘(\w+)’ undeclared", built.stderr))
        missing += [f"{header}: {a or b}" for a, b in undeclared]
        if built.returncode != 0 and not undeclared:
            missing.append(f"{header}: {built.stderr[:500]}")
    return missing
