/// Variables that decide which code a program runs, or which keychain it asks. A file never sets them: it comes with a
/// repository, and would take over every program that is started with it.
///
/// No list of names is complete. So a variable whose name has the form of such names is set only where the command line
/// names it. Of every other one a person has seen the value or the item. Where nobody is asked, a file sets references
/// under names of secrets alone, and what the command line names.
enum ProtectedVariables {
    /// Why a file may not set a variable; nil for one that it may set. Some programs read names in either case.
    static func reason(against name: String) -> String? {
        let name = name.uppercased()
        return rows.first { row in row.names.contains(name) || row.beginnings.contains(where: name.hasPrefix) }?.reason
    }

    /// The form of such names that a name has, and what such a variable does; nil for none.
    static func shape(of name: String) -> (form: String, reason: String)? {
        let name = name.uppercased()
        for row in shapes {
            if let ending = row.endings.first(where: name.hasSuffix) { return ("*\(ending)", row.reason) }
            if let part = row.parts.first(where: name.contains) { return ("*\(part)*", row.reason) }
            if row.names.contains(name) { return (name, row.reason) }
        }
        return nil
    }

    /// Whether a variable is called as secrets are. No program runs what such a variable says, or connects to it.
    static func isNameOfSecret(_ name: String) -> Bool {
        let word = name.uppercased().reversed().drop { $0.isNumber || $0 == "_" }
        return secrets.contains { word.starts(with: $0.reversed()) || word.starts(with: "S" + $0.reversed()) }
    }

    /// The ends of such names, without a number or an S behind them.
    static let secrets = [
        "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "PASSCODE", "PIN", "KEY", "KEY_ID", "CREDENTIAL",
        "AUTH", "USER", "USERNAME", "LOGIN",
    ]

    /// Each reason with the ends and the parts of names that it is about, and with names.
    static let shapes: [(reason: String, endings: [String], parts: [String], names: Set<String>)] = [
        (
            "Such a variable names a program that is started.",
            [
                "_WRAPPER", "_LAUNCHER", "_EDITOR", "_PAGER", "_ASKPASS", "_SHELL", "_RSH", "_COMMAND", "_CMD", "_PROG",
                "_PROGRAM", "_EXEC", "_EXE", "_RUNNER", "_HOOK", "_HOOKS", "_HELPER", "_COMPILER", "_LINKER",
                "_INTERPRETER", "_CC", "_CXX", "HOSTCC", "HOSTCXX", "_STARTUP",
            ], ["_BINARY", "_EXECUTABLE", "_FOR_BUILD"], []
        ),
        (
            "Such a variable says where programs and their parts are found.",
            ["PATH", "_HOME", "_PLUGINS", "_PRELOAD", "_LIBRARY", "_MODULES"], [], []
        ),
        ("The words of such a variable are options of a program.", ["FLAGS", "_OPTS", "_OPTIONS", "_ADDOPTS"], [], []),
        (
            "Such a variable says where a program connects to, or which servers it trusts.",
            ["_PROXY", "_PROXY_ADDR", "_CA_BUNDLE", "_CA_FILE", "_CAFILE", "_CACERT"],
            ["_REGISTRY_URL", "_REPOSITORY_URL", "_INDEX_URL", "AWS_ENDPOINT_URL"],
            ["CONSUL_HTTP_ADDR", "GH_HOST", "GITLAB_HOST", "NOMAD_ADDR", "VAULT_ADDR", "VAULT_AGENT_ADDR"]
        ),
    ]

    /// Each reason with the names, and the beginnings of names, that it is about, in capital letters.
    static let rows: [(reason: String, names: Set<String>, beginnings: [String])] = [
        ("It decides which programs are found.", ["PATH", "CDPATH", "HOME", "SHELL", "TMPDIR"], []),
        (
            "The dynamic loader or the C library obeys it.",
            ["GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "HOSTALIASES", "RESOLV_HOST_CONF"],
            ["LD_", "DYLD_", "MALLOC_"]
        ),
        (
            "A shell obeys it.",
            [
                "BASH_ENV", "ENV", "IFS", "PS0", "PS1", "PS2", "PS4", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND",
                "ZDOTDIR", "FPATH", "BASH_LOADABLES_PATH", "INPUTRC", "HISTFILE",
            ], ["BASH_FUNC_"]
        ),
        (
            "An interpreter obeys it.",
            [
                "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_REPL_EXTERNAL_MODULE", "CLASSPATH",
                "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_HOME", "PHPRC", "PHP_INI_SCAN_DIR",
                "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "ELECTRON_RUN_AS_NODE", "DENO_DIR", "DOTNET_STARTUP_HOOKS",
                "BUNDLE_PATH", "BUNDLE_BIN", "BUNDLE_APP_CONFIG", "COMPOSER", "COMPOSER_HOME", "COMPOSER_VENDOR_DIR",
                "YARN_RC_FILENAME", "YARN_YARN_PATH", "YARN_PLUGINS", "DOTNET_ROOT", "DOTNET_ADDITIONAL_DEPS",
                "R_HOME", "R_ENVIRON", "R_ENVIRON_USER", "GOFLAGS", "GOENV", "GOROOT", "GOPATH", "GOPROXY",
                "GOTOOLCHAIN", "AWKPATH", "AWKLIBPATH",
                "TCLLIBPATH", "OCAMLRUNPARAM", "JAVA_OPTS", "MAVEN_OPTS", "GRADLE_OPTS", "ANT_OPTS", "SBT_OPTS",
                "GRADLE_USER_HOME", "NODE_V8_COVERAGE", "GOCACHEPROG", "MONO_PATH", "CLOUDSDK_PYTHON",
            ],
            [
                "PYTHON", "PERL", "RUBY", "LUA_", "CORECLR_", "COR_", "COMPLUS_", "GUILE_", "JULIA_", "ERL_",
                "R_PROFILE", "R_LIBS",
            ]
        ),
        (
            "A build tool or a package manager obeys it.",
            [
                "MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MFLAGS", "RUSTC", "RUSTC_WRAPPER", "RUSTFLAGS",
                "GCC_EXEC_PREFIX",
            ],
            [
                "NPM_CONFIG_", "CARGO_", "PIP_", "UV_", "RUSTUP_", "CMAKE_", "COREPACK_", "ANSIBLE_",
                "TF_CLI_", "CGO_", "PKG_CONFIG", "PYTEST_",
            ]
        ),
        (
            "A rule of make starts it.",
            [
                "AR", "AS", "CC", "CO", "CPP", "CTANGLE", "CWEAVE", "CXX", "FC", "GET", "LD", "LEX", "LINT", "M2C",
                "MAKE",
                "MAKEINFO", "OBJC", "PC", "RM", "TANGLE", "TEX", "TEXI2DVI", "WEAVE", "YACC",
            ], []
        ),
        (
            "A program starts what it names.",
            [
                "EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESS", "LESSKEY", "LESSOPEN", "LESSCLOSE", "BROWSER",
                "SSH_ASKPASS",
                "SUDO_ASKPASS", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "TERMINFO", "TERMINFO_DIRS",
                "TAR_OPTIONS", "RSYNC_RSH", "CVS_RSH", "SVN_SSH", "RSYNC_CONNECT_PROG", "SSH_SK_PROVIDER", "SVN_EDITOR",
                "HGEDITOR", "HGRCPATH", "FCEDIT",
                "VIMINIT",
                "EXINIT", "SYSTEMD_PAGER", "SYSTEMD_EDITOR", "PSQL_PAGER", "PSQL_EDITOR", "PSQLRC", "AWS_PAGER",
                "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "KUBECONFIG", "DOCKER_CONFIG", "GNUPGHOME",
                "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR", "CURL_HOME",
                "WGETRC", "GTK_MODULES", "GTK_PATH", "GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "QT_PLUGIN_PATH",
            ], []
        ),
        ("Git obeys it.", [], ["GIT_"]),
        ("It chooses the keychain.", [], ["KEYCHAIN_"]),
        (
            "It sends connections elsewhere.",
            [
                "HTTP_PROXY", "HTTPS_PROXY",
                "ALL_PROXY", "NO_PROXY", "FTP_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
                "REQUESTS_CA_BUNDLE", "NODE_TLS_REJECT_UNAUTHORIZED", "SSLKEYLOGFILE", "DOCKER_HOST", "SSH_AUTH_SOCK",
                "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS",
            ], []
        ),
    ]
}
