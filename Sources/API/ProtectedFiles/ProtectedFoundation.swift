public import Foundation
internal import Security

/// Functions of Foundation with the protection of files that it ignores on Linux.
///
/// `security setup --file-protection swift` writes a file that calls them under Foundation's names, in the target that
/// needs them. Files with a protection are encrypted. Reading decrypts a protected file, and takes any other as it is.
/// A file that is replaced without a protection keeps the one it has. Nothing is decrypted on the disk.
///
/// Errors are `CocoaError`s as on Apple's systems, `fileReadNoPermission` for a locked file; the keychain's
/// `SecItemError` is the underlying error.
public enum ProtectedFoundation {
    /// `Data.write(to:options:)`.
    ///
    /// - Throws: `CocoaError`; the file is as it was then.
    public static func write(_ data: Data, to url: URL, options: Data.WritingOptions) throws {
        guard let protection = try protection(options) ?? replaced(at: url) else {
            return try data.write(to: url, options: options)
        }
        if options.contains(.withoutOverwriting), FileManager.default.fileExists(atPath: url.path) {
            throw CocoaError(.fileWriteFileExists, userInfo: [NSURLErrorKey: url])
        }
        try translating(url, isWrite: true) { () throws(SecItemError) in
            try data.write(to: url, protection: .init(protection))
        }
    }

    /// `Data(contentsOf:options:)`.
    ///
    /// - Throws: `CocoaError`.
    public static func read(contentsOf url: URL, options: Data.ReadingOptions) throws -> Data {
        guard isProtected(url) else { return try Data(contentsOf: url, options: options) }
        return try translating(url, isWrite: false) { () throws(SecItemError) in try Data(contentsOfProtected: url) }
    }

    /// `String.write(to:atomically:encoding:)`.
    ///
    /// - Throws: `CocoaError`; the file is as it was then.
    public static func write(_ text: String, to url: URL, atomically: Bool, encoding: String.Encoding) throws {
        guard try replaced(at: url) != nil else {
            return try text.write(to: url, atomically: atomically, encoding: encoding)
        }
        guard let data = text.data(using: encoding) else {
            throw CocoaError(.fileWriteInapplicableStringEncoding, userInfo: [NSURLErrorKey: url])
        }
        try write(data, to: url, options: [])
    }

    /// `FileManager.setAttributes(_:ofItemAtPath:)`. A `.protectionKey` encrypts the file, or changes its class;
    /// folders have none and are refused.
    ///
    /// - Throws: `CocoaError`; the content is as it was then.
    public static func setAttributes(
        _ attributes: [FileAttributeKey: Any], ofItemAtPath path: String, by manager: FileManager
    ) throws {
        var rest = attributes
        if let wanted = rest.removeValue(forKey: .protectionKey) {
            let (url, protection) = (URL(filePath: path), try protection(named: wanted))
            try translating(url, isWrite: true) { () throws(SecItemError) in
                try ProtectedFile.setProtection(.init(protection), of: url)
            }
        }
        if !rest.isEmpty { try manager.setAttributes(rest, ofItemAtPath: path) }
    }

    /// `FileManager.attributesOfItem(atPath:)`. A protected file's size is that of its content.
    ///
    /// - Throws: Foundation's error.
    public static func attributesOfItem(
        atPath path: String, by manager: FileManager
    ) throws -> [FileAttributeKey: Any] {
        var attributes = try manager.attributesOfItem(atPath: path)
        guard attributes[.type] as? FileAttributeType == .typeRegular,
            let info = try? ProtectedFile.info(of: URL(filePath: path))
        else { return attributes }
        attributes[.protectionKey] = info.protection.inFoundation
        attributes[.size] = NSNumber(value: info.length)
        return attributes
    }

    /// `FileManager.createFile(atPath:contents:attributes:)`.
    ///
    /// - Returns: false when the file was not made.
    public static func createFile(
        atPath path: String, contents: Data?, attributes: [FileAttributeKey: Any]?, by manager: FileManager
    ) -> Bool {
        var rest = attributes ?? [:]
        let (url, wanted) = (URL(filePath: path), rest.removeValue(forKey: .protectionKey))
        do {
            guard let protection = try wanted.map(protection(named:)) ?? replaced(at: url) else {
                return manager.createFile(atPath: path, contents: contents, attributes: attributes)
            }
            try (contents ?? Data()).write(to: url, protection: .init(protection))
            if !rest.isEmpty { try manager.setAttributes(rest, ofItemAtPath: path) }
            return true
        } catch { return false }
    }
}

extension ProtectedFoundation {
    /// Whether a file claims to be a protected one. Damaged ones are: their bytes are nobody's content.
    private static func isProtected(_ url: URL) -> Bool {
        do throws(SecItemError) { _ = try ProtectedFile.info(of: url) } catch {
            return error.rule.hasPrefix("file.") && error.rule != "file.not-protected"
        }
        return true
    }

    /// The class of a protected file that is about to be replaced; nil where there is none.
    private static func replaced(at url: URL) throws -> ProtectedFile.Protection? {
        guard isProtected(url) else { return nil }
        return try translating(url, isWrite: true) { () throws(SecItemError) in
            try ProtectedFile.info(of: url).protection
        }
    }

    /// The class that options ask for. Its bits are a number, not a set.
    private static func protection(_ options: Data.WritingOptions) throws -> ProtectedFile.Protection? {
        let mask = Data.WritingOptions.fileProtectionMask.rawValue
        switch options.rawValue & mask {
        case 0: return nil
        case Data.WritingOptions.noFileProtection.rawValue & mask: return ProtectedFile.Protection.none
        case Data.WritingOptions.completeFileProtection.rawValue & mask: return .complete
        case Data.WritingOptions.completeFileProtectionUnlessOpen.rawValue & mask: return .completeUnlessOpen
        case Data.WritingOptions.completeFileProtectionUntilFirstUserAuthentication.rawValue & mask:
            return .completeUntilFirstUserAuthentication
        default: throw CocoaError(.featureUnsupported)
        }
    }

    private static func protection(named value: Any) throws -> ProtectedFile.Protection {
        let name = (value as? FileProtectionType)?.rawValue ?? value as? String
        guard let found = ProtectedFile.Protection.allCases.first(where: { $0.inFoundation.rawValue == name }) else {
            throw CocoaError(.featureUnsupported)
        }
        return found
    }

    private static func translating<Result>(
        _ url: URL, isWrite: Bool, _ body: () throws(SecItemError) -> Result
    ) throws -> Result {
        do throws(SecItemError) { return try body() } catch {
            let code: CocoaError.Code =
                switch error.status {
                case errSecInteractionNotAllowed, errSecMissingEntitlement:
                    isWrite ? .fileWriteNoPermission : .fileReadNoPermission
                case errSecDecode where !isWrite: .fileReadCorruptFile
                case errSecDiskFull: .fileWriteOutOfSpace
                default: isWrite ? .fileWriteUnknown : .fileReadUnknown
                }
            throw CocoaError(code, userInfo: [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
        }
    }
}

extension ProtectedFile.Protection {
    fileprivate var inFoundation: FileProtectionType {
        switch self {
        case .complete: .complete
        case .completeUnlessOpen: .completeUnlessOpen
        case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
        case .none: .none
        }
    }
}
