/// The file that brings modules to all sources of a target, as Foundation does on Apple's systems.
struct SwiftExport {
    let security: Bool
    let compat: Bool

    static let fileName = "ReexportSecurity.swift"

    /// The change in a target's folder; a file that somebody else wrote, or has changed, stays as it is.
    ///
    /// - Throws: ``CommandFailure`` for one that cannot be read.
    func change(in folder: String, undoes: Bool) throws(CommandFailure) -> FileChange {
        let path = "\(folder)/\(Self.fileName)"
        let before = try FileChange.read(path)
        let isForeign = before.map { !Self.texts.contains($0) } ?? false
        if isForeign { return FileChange(path: path, before: before, after: before) }
        if undoes { return FileChange(path: path, before: before, after: nil) }
        return FileChange(path: path, before: before, after: text ?? before)
    }

    private var text: String? {
        guard security || compat else { return nil }
        return [security ? Self.securityText : nil, compat ? Self.compatText : nil].compactMap(\.self).joined()
    }

    /// All that it may have written.
    private static let texts = [securityText, compatText, securityText + compatText]

    private static let securityText = """
        // On Apple's systems Foundation brings Security with it; elsewhere this does, for every file of the target.
        #if canImport(Security)
            @_exported import Security
        #endif

        """
    private static let compatText = """
        // Names of Apple's Foundation that Linux's lacks: with the SDK, or the product AppleCompat of swift-keychain.
        #if canImport(AppleCompat)
            @_exported import AppleCompat
        #endif

        """
}
