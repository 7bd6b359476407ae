import LinuxSystem

/// Git's description of a login: lines of `key=value` up to an empty one.
struct GitDescription {
    private var values: [String: SecretBytes] = [:]

    /// - Throws: ``CommandFailure/failed(_:remedy:)`` for input that is not of this form.
    init(reading input: Input) throws(CommandFailure) {
        do throws(SystemError) {
            while let line = try input.readLine(), line.count > 0 { take(line) }
        } catch { throw CommandFailure("standard input", error) }
    }

    /// A key with brackets may come several times; none of those is of interest here.
    private mutating func take(_ line: SecretBytes) {
        line.withSpan { line in
            guard let mark = line.indices.first(where: { line[$0] == UInt8(ascii: "=") }) else { return }
            let key = String(decoding: line.array(0, mark), as: UTF8.self)
            values[key] = SecretBytes(copying: line.extracting((mark + 1)...))
        }
    }

    /// A value that is no secret; nil when it is missing or empty.
    subscript(key: String) -> String? { string(key).flatMap { $0.isEmpty ? nil : $0 } }

    /// The account; nil when git did not say. An empty one is an account like any other: servers that take a token
    /// alone have it.
    var account: String? { string("username") }

    private func string(_ key: String) -> String? {
        secret(key).map { $0.withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) } }
    }

    /// A value, which may be empty; nil when it is missing.
    func secret(_ key: String) -> SecretBytes? { values[key] }

    /// The server the login is for; nil when git did not say enough.
    var server: ServerAddress? {
        guard let scheme = self["protocol"] else { return nil }
        // A client certificate has a file's path and no host.
        guard let host = self["host"] else { return self["path"].flatMap { ServerAddress(scheme: scheme, file: $0) } }
        return ServerAddress(scheme: scheme, authority: host, path: self["path"])
    }
}
