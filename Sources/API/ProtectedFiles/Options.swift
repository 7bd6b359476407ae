internal import FileFormat
public import Foundation
internal import KeychainModel
internal import KeychainWire
public import LocalAuthentication
public import Security

extension ProtectedFile {
    /// Where new files belong: their class, their access group and what else the keychain demands.
    public struct Options: Sendable {
        /// The class of the files.
        public var protection: Protection
        /// Whether the key of the files never leaves this device, also in no backup.
        public var isThisDeviceOnly = false
        /// The access group; nil is where the program's items go by default.
        public var accessGroup: String?
        /// The name of a shelf: files of one shelf are destroyed together when it is deleted. Nil is the default shelf
        /// of class and group. At most 255 bytes.
        public var shelf: String?
        /// The authentication that making and opening a file requires, such as `.userPresence`.
        public var accessControl: SecAccessControlCreateFlags = []

        /// Recovery recipients, at most seven, as `security file recovery-key` shows them (`age1…`). The identity of
        /// one opens the files without the keychain, whatever their class is, also when their shelf was deleted. A file
        /// that is written again has those of its new options. The keychain may give each file more
        /// (`security file recovery-default`), seven in all.
        public var recovery: [String] = []

        /// Makes options for a class. The default is the one that survives locking, as on Apple's systems.
        public init(_ protection: Protection = .completeUntilFirstUserAuthentication) { self.protection = protection }

        /// Writes data to a protected file, which takes its place when it is complete. An existing file's owner and
        /// permissions stay; a new one is for its owner alone.
        ///
        /// - Parameters:
        ///   - data: the content.
        ///   - url: of the file, protected or not.
        ///   - context: for options with an access control.
        /// - Throws: `SecItemError`: the keychain's refusal; `errSecIO` and its kin. The path has what it had then.
        public func write(_ data: Data, to url: URL, context: LAContext? = nil) throws(SecItemError) {
            let writer = try Writer(writingTo: url, self, context: context)
            try writer.write(data)
            try writer.close()
        }
    }
}

extension ProtectedFile.Options {
    func place() throws(Refusal) -> ShelfPlace {
        let name = shelf ?? ""
        guard name.utf8.count <= ShelfPlace.nameBytes else {
            throw Refusal(
                .param, .tooLarge, "shelf", "The name of a shelf has at most \(ShelfPlace.nameBytes) bytes.",
                do: "Shorten it.")
        }
        let protection = protection.inFormat
        guard let accessibility = protection.accessibilities.first(where: { $0.isThisDeviceOnly == isThisDeviceOnly })
        else { throw .malformed("the class of a file") }
        try checkControl(accessibility)
        let binding = KeyBinding(
            group: accessGroup ?? "", accessibility: accessibility, control: UInt64(accessControl.rawValue))
        return ShelfPlace(protection, binding, name: name)
    }

    func recipients() throws(Refusal) -> [RecoveryRecipient] {
        var found: [RecoveryRecipient] = []
        for text in recovery {
            guard let recipient = RecoveryRecipient(text: text) else { throw .noRecipient }
            if !found.contains(recipient) { found.append(recipient) }
        }
        guard found.count < FileHeader.mostSlots else { throw .manyRecipients }
        return found
    }

    /// The rules are those of items.
    private func checkControl(_ accessibility: Accessibility) throws(Refusal) {
        guard !accessControl.isEmpty else { return }
        var error: Unmanaged<CFError>?
        let made = unsafe SecAccessControlCreateWithFlags(
            nil, accessibility.code as NSString, accessControl, &error)
        if made != nil { return }
        let reason = unsafe error?.takeRetainedValue().localizedDescription ?? "The flags contradict each other."
        throw Refusal(.param, .contradiction, "accessControl", reason, do: "Pass other flags.")
    }
}

extension Refusal {
    fileprivate static let noRecipient = Refusal(
        .param, .wrongValue, "recovery", "A text is no recovery recipient: those begin with age1.",
        do: "Pass what security file recovery-key has shown.")
    fileprivate static let manyRecipients = Refusal(
        .param, .tooLarge, "recovery", "A file has at most \(FileHeader.mostSlots - 1) recovery recipients.",
        do: "Pass fewer.")
}

extension Data {
    /// Writes the data to a protected file, as ``ProtectedFile/Options/write(_:to:context:)`` does.
    ///
    /// - Throws: `SecItemError`.
    public func write(to url: URL, protection: ProtectedFile.Options) throws(SecItemError) {
        try protection.write(self, to: url)
    }

    /// Reads a whole protected file.
    ///
    /// - Parameters:
    ///   - url: of a protected file.
    ///   - context: for files whose shelf has an access control.
    /// - Throws: `SecItemError`: `errSecInteractionNotAllowed` while its class is locked, `errSecDecode`
    ///   (`file.damaged`), `errSecItemNotFound` (`file.no-shelf`), `errSecMissingEntitlement` for another group's file.
    public init(contentsOfProtected url: URL, context: LAContext? = nil) throws(SecItemError) {
        let file = try ProtectedFile.Reader(readingFrom: url, context: context)
        self = try file.read(at: 0, count: Int(clamping: file.length))
    }
}
