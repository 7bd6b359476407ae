/// Variables that decide which code a program runs, or which keychain it asks. A file never sets them: it comes with a
/// repository, and would take over every program that is started with it.
///
/// No list of names is complete. So a variable whose name has the form of such names is set only where the command line
/// names it. Of every other one without an item a person has seen the value, or the command line names it.
enum ProtectedVariables {
    /// Why a file may not set a variable; nil for one that it may set. Some programs read names in either case.
    static func reason(against name: String) -> String? {
        let name = name.uppercased()
        return rows.first { row in row.names.contains(name) || row.beginnings.contains(where: name.hasPrefix) }?.reason
    }

    /// The form of such names that a name has; nil for none.
    static func shape(of name: String) -> String? {
        let name = name.uppercased()
        if let ending = endings.first(where: name.hasSuffix) { return "*\(ending)" }
        return middles.first { name.contains($0) }.map { "*\($0)*" }
    }

    static let endings = [
        "_PROXY", "PATH", "_HOME", "FLAGS", "_OPTS", "_OPTIONS", "_ADDOPTS", "_PLUGINS", "_PRELOAD", "_WRAPPER",
        "_LAUNCHER", "_EDITOR", "_PAGER", "_ASKPASS", "_SHELL", "_RSH", "_COMMAND", "_PROG", "_PROGRAM", "_STARTUP",
    ]
    static let middles = ["_BINARY", "_EXECUTABLE"]

    /// Each reason with the names, and the beginnings of names, that it is about, in capital letters.
    static let rows: [(reason: String, names: Set<String>, beginnings: [String])] = [
        ("it decides which programs are found", ["PATH", "CDPATH", "HOME", "SHELL", "TMPDIR"], []),
        (
            "the dynamic loader or the C library obeys it",
            ["GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "HOSTALIASES", "RESOLV_HOST_CONF"],
            ["LD_", "DYLD_", "MALLOC_"]
        ),
        (
            "a shell obeys it",
            [
                "BASH_ENV", "ENV", "IFS", "PS0", "PS1", "PS2", "PS4", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND",
                "ZDOTDIR", "FPATH", "BASH_LOADABLES_PATH", "INPUTRC", "HISTFILE",
            ], ["BASH_FUNC_"]
        ),
        (
            "an interpreter obeys it",
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
            "a build tool or a package manager obeys it",
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
            "a rule of make starts it",
            [
                "AR", "AS", "CC", "CO", "CPP", "CTANGLE", "CWEAVE", "CXX", "FC", "GET", "LD", "LEX", "LINT", "M2C",
                "MAKE",
                "MAKEINFO", "OBJC", "PC", "RM", "TANGLE", "TEX", "TEXI2DVI", "WEAVE", "YACC",
            ], []
        ),
        (
            "a program starts what it names",
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
        ("git obeys it", [], ["GIT_"]),
        ("it chooses the keychain", [], ["KEYCHAIN_"]),
        (
            "it sends connections elsewhere",
            [
                "HTTP_PROXY", "HTTPS_PROXY",
                "ALL_PROXY", "NO_PROXY", "FTP_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
                "REQUESTS_CA_BUNDLE", "NODE_TLS_REJECT_UNAUTHORIZED", "SSLKEYLOGFILE", "DOCKER_HOST", "SSH_AUTH_SOCK",
                "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS",
            ], []
        ),
    ]
}
