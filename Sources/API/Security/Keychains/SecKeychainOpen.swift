internal import Glibc
internal import KeychainClient
internal import KeychainModel

/// Returns the object for the keychain at a path.
///
/// As on macOS, there need not be a keychain: the functions that use the object say `errSecNoSuchKeychain` then, and
/// `errSecInvalidKeychain` for a file that names none. A bare name stands for a file in the keychain's own folder or
/// in `~/Library/Keychains`.
///
/// - Parameters:
///   - pathName: the path, or `login.keychain`; UTF-8 and a zero byte.
///   - keychain: receives the object.
/// - Returns: `errSecSuccess`; `errSecParam` for a path that is empty, is not UTF-8 or has a control character.
///
/// Source: Apple, SecKeychainOpen.
@discardableResult
public func SecKeychainOpen(
    _ pathName: UnsafePointer<CChar>, _ keychain: UnsafeMutablePointer<SecKeychain?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe keychain.pointee = nil
        guard let name = unsafe String(validatingCString: pathName), !name.isEmpty else { throw .noPath }
        let place = try NamedKeychainSession.keychains().place(named: name)
        unsafe keychain.pointee = SecKeychain(place)
        return nil
    }
}

/// Copies the path of a keychain.
///
/// - Parameters:
///   - keychain: the keychain; nil for the default.
///   - ioPathLength: the size of `pathName` in bytes; receives the length of the path without its zero byte.
///   - pathName: receives the path and a zero byte.
/// - Returns: `errSecSuccess`; `errSecBufferTooSmall` when path and zero byte do not fit. Nothing is copied then.
///
/// Source: Apple, SecKeychainGetPath.
@discardableResult
public func SecKeychainGetPath(
    _ keychain: SecKeychain?, _ ioPathLength: UnsafeMutablePointer<UInt32>, _ pathName: UnsafeMutablePointer<CChar>
) -> OSStatus {
    reporting { () throws(Refusal) in
        let keychains = try NamedKeychainSession.keychains()
        let place = if let keychain { keychain.place } else { keychains.place(of: try keychains.standard()) }
        let path = Array(keychains.path(of: place).utf8CString)
        let size = unsafe ioPathLength.pointee
        unsafe ioPathLength.pointee = UInt32(clamping: path.count - 1)
        guard path.count <= Int(size) else { throw .pathIsLonger(path.count) }
        for (index, byte) in path.enumerated() { unsafe pathName[index] = byte }
        return nil
    }
}

extension KeychainStatus {
    fileprivate static let bufferTooSmall = Self(rawValue: errSecBufferTooSmall)
}

extension Refusal {
    fileprivate static let noPath = Refusal(
        .param, .wrongValue, "pathName", "The path of a keychain is empty, or is not UTF-8.",
        do: "Give a path, or login.keychain.")

    fileprivate static func pathIsLonger(_ size: Int) -> Refusal {
        Refusal(
            .bufferTooSmall, .tooLarge, "pathName", "The path and its zero byte need \(size) bytes.",
            do: "Give as many; ioPathLength is their number.")
    }
}
