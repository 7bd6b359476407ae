import LinuxSystem
import Testing

@testable import SecurityCommands

@Suite("Env files") struct EnvironmentFileTests {
    private func lines(_ text: String) throws(EnvironmentFile.Malformed) -> [String] {
        try EnvironmentFile.parse(SecretBytes(copying: Array(text.utf8).span)).map { line in
            "\(line.number) \(line.name)=\(line.value.withSpan { $0.text(0, $0.count) ?? "" })"
        }
    }

    @Test("Plain and quoted values, comments, exports and carriage returns are read")
    func reads() throws {
        let text = """
            # comment

            A=plain # more\r
            export B='single # "x" \\n'
            \tC="a \\"b\\" \\n\\t\\\\ $HOME `id`" # more
            D=
            E=a#b
            F="" #
            A=again
            """
        #expect(
            try lines(text) == [
                "3 A=plain", "4 B=single # \"x\" \\n", "5 C=a \"b\" \n\t\\ $HOME `id`", "6 D=", "7 E=a#b", "8 F=",
                "9 A=again",
            ])
        #expect(try lines("").isEmpty)
    }

    @Test(
        "Everything else is refused with its line, and the refusal does not contain it",
        arguments: [
            "NAME", "=zzue", "1A=zzue", "A B=zzue", "A-B=zzue", "é=zzue", "A =zzue", "A='zzue", "A=\"zzue",
            "A=\"zzue\\q\"", "A=\"zzue\\", "A='zzue' more", "A=zz\0ue", "A='zz\0ue'", "\u{FEFF}A=zzue",
            "export export A=zzue", "A\0=zzue",
        ])
    func refuses(line: String) {
        do throws(EnvironmentFile.Malformed) {
            _ = try lines("X=1\n\(line)\nY=2\n")
            Issue.record("it was taken")
        } catch {
            #expect(error.line == 2 && !error.problem.contains("zz"))
        }
    }

    @Test(
        "A file sets no variable by which a program runs other code or talks to another",
        arguments: [
            "PATH", "LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "BASH_FUNC_ls%%", "PS1", "PS4", "PYTHONSTARTUP",
            "NODE_OPTIONS",
            "GIT_CONFIG_COUNT", "KEYCHAIN_HOME", "TAR_OPTIONS", "AWS_CONFIG_FILE", "KUBECONFIG", "XDG_CONFIG_HOME",
            "NODE_TLS_REJECT_UNAUTHORIZED", "SSLKEYLOGFILE", "DOCKER_HOST", "CURL_HOME", "RSYNC_RSH", "GOTOOLCHAIN",
            "ANSIBLE_CONFIG", "TF_CLI_CONFIG_FILE", "MAVEN_OPTS", "VIMINIT", "PSQLRC", "DOTNET_STARTUP_HOOKS",
            "http_proxy", "Http_Proxy", "npm_config_registry", "Path", "git_dir", "RM", "AR", "cc", "GCC_EXEC_PREFIX",
            "PYTEST_PLUGINS", "NODE_V8_COVERAGE", "LESS", "SSH_SK_PROVIDER", "GOCACHEPROG", "COMPlus_Profiler",
        ])
    func protects(name: String) { #expect(ProtectedVariables.reason(against: name) != nil) }

    @Test(
        "Variables that programs take values from are a file's to set",
        arguments: [
            "TOKEN", "AWS_ACCESS_KEY_ID", "DATABASE_URL", "COMPOSER_AUTH", "TF_VAR_x", "DOTNET_ENVIRONMENT", "R_KEY",
            "PATHS", "NODE_ENV", "NPM_TOKEN", "RMX", "PROXY", "HOMEPAGE",
        ])
    func leaves(name: String) {
        #expect(ProtectedVariables.reason(against: name) == nil && ProtectedVariables.shape(of: name) == nil)
    }

    @Test(
        "A name of the form of dangerous ones is known by it",
        arguments: [
            ("Corp_Proxy", "*_PROXY"), ("COMPILER_PATH", "*PATH"), ("CPATH", "*PATH"), ("APP_HOME", "*_HOME"),
            ("CFLAGS", "*FLAGS"), ("LDFLAGS", "*FLAGS"), ("X_OPTS", "*_OPTS"), ("TOOL_OPTIONS", "*_OPTIONS"),
            ("X_ADDOPTS", "*_ADDOPTS"), ("X_PLUGINS", "*_PLUGINS"), ("X_PRELOAD", "*_PRELOAD"),
            ("X_WRAPPER", "*_WRAPPER"), ("KUBE_EDITOR", "*_EDITOR"), ("X_PAGER", "*_PAGER"),
            ("ESBUILD_BINARY_DIR", "*_BINARY*"), ("PUPPETEER_EXECUTABLE_DIR", "*_EXECUTABLE*"),
            ("SWIFT_EXEC", "*_EXEC"), ("HOSTCC", "*HOSTCC"), ("BUILD_CC", "*_CC"), ("CC_FOR_BUILD", "*_FOR_BUILD*"),
            ("vault_addr", "VAULT_ADDR"), ("VAULT_PROXY_ADDR", "*_PROXY_ADDR"),
            ("TWINE_REPOSITORY_URL", "*_REPOSITORY_URL*"),
            ("AWS_ENDPOINT_URL_S3", "*AWS_ENDPOINT_URL*"), ("QT_PLUGINS", "*_PLUGINS"), ("DOTNET_CAFILE", "*_CAFILE"),
        ])
    func knowsShapes(name: String, shape: String) { #expect(ProtectedVariables.shape(of: name)?.form == shape) }

    @Test("Every row says why, and no ending of the names of secrets is in one")
    func givesReasons() {
        let reasons = ProtectedVariables.rows.map(\.reason) + ProtectedVariables.shapes.map(\.reason)
        #expect(reasons.allSatisfy { $0.count > 10 } && Set(reasons).count == reasons.count)
        for ending in ProtectedVariables.secrets {
            #expect(ProtectedVariables.shape(of: "X_\(ending)") == nil)
            #expect(ProtectedVariables.reason(against: ending) == nil)
        }
    }

    @Test("A name of a secret is known by its end, with a number or an S behind it")
    func knowsSecrets() {
        for name in ["TOKEN", "npm_token", "DB_PASSWORD", "AWS_ACCESS_KEY_ID", "API_KEYS", "TOKEN_2", "COMPOSER_AUTH"] {
            #expect(ProtectedVariables.isNameOfSecret(name), "\(name)")
        }
        for name in [
            "", "T", "S", "TOKEN_URL", "PASSWORD_COMMAND", "DATABASE_URL", "SSH_AUTH_SOCK", "SECRETARY", "PORT",
        ] {
            #expect(!ProtectedVariables.isNameOfSecret(name), "\(name)")
        }
    }

    @Test("A name of more than 128 bytes is refused")
    func limitsNames() throws {
        #expect(try lines(String(repeating: "_", count: 128) + "=x").count == 1)
        do throws(EnvironmentFile.Malformed) {
            _ = try lines("X=1\n" + String(repeating: "_", count: 129) + "=x")
            Issue.record("it was taken")
        } catch { #expect(error.line == 2 && !error.problem.contains("_")) }
    }
}
