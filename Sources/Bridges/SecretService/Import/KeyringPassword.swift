import LinuxSystem

/// Where the password of an encrypted keyring comes from: the user at the terminal, or a descriptor. It is no word of a
/// command line, which others can see.
package struct KeyringPassword: Sendable {
    private let descriptor: String?

    private static let limit = 64 << 10
    /// The time for a descriptor, in milliseconds.
    private static let patience = 60_000

    /// - Parameter descriptor: the number of the open descriptor that gives it, a line; nil for the terminal.
    package init(descriptor: String?) { self.descriptor = descriptor }

    func read(for path: String, in language: UserLanguage) throws(ImportFailure) -> SecretBytes {
        if let descriptor { return try line(of: descriptor) }
        let prompt = PromptText(english: "Password of \(path): ", chinese: "\(path) 的密码：")
        let terminal = Terminal.ofForeground()
        guard case .line(let password)? = try? terminal?.askSecretly(ForeignText.shown(prompt(language))) else {
            throw ImportFailure(
                "\(path) is encrypted. Give its password at a terminal, or by --password-fd.",
                "\(path) 已加密。请在终端输入其密码，或使用 --password-fd。")
        }
        return password
    }

    private func line(of descriptor: String) throws(ImportFailure) -> SecretBytes {
        let room = SecretBytes(count: Self.limit)
        let count = FileDescriptor(inherited: descriptor).flatMap { file in
            try? room.withMutableSpan { (span) throws(SystemError) in
                try file.readFully(into: &span, deadline: .after(milliseconds: Self.patience))
            }
        }
        guard let count else {
            throw ImportFailure(
                "Descriptor \(descriptor) gives no password.", "描述符 \(descriptor) 没有给出密码。")
        }
        return room.withSpan { bytes in
            let end = (0..<count).first { bytes[$0] == UInt8(ascii: "\n") } ?? count
            return SecretBytes(copying: bytes.extracting(..<end))
        }
    }
}
