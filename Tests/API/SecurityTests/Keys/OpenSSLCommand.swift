import LinuxSystem
import Security
import TestSupport

/// The command `openssl`, an independent implementation.
enum OpenSSLCommand {
    struct Failed: Error { let code: CInt }

    /// The output of the command; throws when it fails.
    static func run(_ arguments: [String], input: Data = Data()) throws -> Data {
        let folder = try TemporaryDirectory()
        let (source, target) = (folder.path + "/input", folder.path + "/output")
        try input.write(to: URL(filePath: source))
        let program = try RunningProgram("/usr/bin/openssl", arguments + ["-out", target, source])
        let code = program.waitForExit()
        guard code == 0 else { throw Failed(code: code) }
        return try Data(contentsOf: URL(filePath: target))
    }

    /// The command's result for a file, for commands that name it with `-in`.
    static func convert(_ arguments: [String], _ input: Data) throws -> Data {
        let folder = try TemporaryDirectory()
        let (source, target) = (folder.path + "/input", folder.path + "/output")
        try input.write(to: URL(filePath: source))
        let program = try RunningProgram("/usr/bin/openssl", arguments + ["-in", source, "-out", target])
        let code = program.waitForExit()
        guard code == 0 else { throw Failed(code: code) }
        return try Data(contentsOf: URL(filePath: target))
    }

    /// Whether the command accepts a signature of the data by the key in the PEM.
    static func verifies(_ signature: Data, of data: Data, pem: String) throws -> Bool {
        let folder = try TemporaryDirectory()
        let path = { (name: String) in folder.path + "/" + name }
        for (name, content) in [("key", Data(pem.utf8)), ("signature", signature), ("data", data)] {
            try content.write(to: URL(filePath: path(name)))
        }
        let program = try RunningProgram(
            "/usr/bin/openssl",
            ["dgst", "-sha256", "-verify", path("key"), "-signature", path("signature"), path("data")])
        return program.waitForExit() == 0
    }
}

extension Data {
    /// The bytes of hexadecimal digits.
    init(hexadecimal digits: String) {
        let values = digits.compactMap(\.hexDigitValue)
        self.init(stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }
}
