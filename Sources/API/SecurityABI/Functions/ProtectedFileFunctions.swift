internal import KeychainModel
internal import ProtectedFiles
internal import Security

// SecProtectedFile.h.

@_cdecl("SecProtectedFileGetTypeID")
public func secProtectedFileGetTypeID() -> UInt { SecProtectedFile.runtimeType.identifier }

@_cdecl("SecProtectedFileProtect")
public func secProtectedFileProtect(
    _ path: UnsafePointer<CChar>?, _ protection: UInt32, _ options: Reference?
) -> Int32 {
    reporting { () throws(Refusal) in
        let (url, options) = (try unsafe url(path), try unsafe fileOptions(protection, options))
        try filing { () throws(SecItemError) in try ProtectedFile.setProtection(options, of: url) }
        return nil
    }
}

@_cdecl("SecProtectedFileGetProtection")
public func secProtectedFileGetProtection(
    _ path: UnsafePointer<CChar>?, _ protection: UnsafeMutablePointer<UInt32>?
) -> Int32 {
    reporting { () throws(Refusal) in
        let (url, place) = (try unsafe url(path), try unsafe given(protection))
        let info = try filing { () throws(SecItemError) in try ProtectedFile.info(of: url) }
        unsafe place.pointee = info.protection.number
        return nil
    }
}

@_cdecl("SecProtectedFileWriteData")
public func secProtectedFileWriteData(
    _ path: UnsafePointer<CChar>?, _ content: Reference?, _ protection: UInt32, _ options: Reference?
) -> Int32 {
    reporting { () throws(Refusal) in
        let (url, options) = (try unsafe url(path), try unsafe fileOptions(protection, options))
        let content: NSData = try unsafe borrowed(content)
        try filing { () throws(SecItemError) in try options.write(content as Data, to: url) }
        return nil
    }
}

@_cdecl("SecProtectedFileCopyData")
public func secProtectedFileCopyData(_ path: UnsafePointer<CChar>?, _ content: Place?) -> Int32 {
    unsafe status(content) { (content: UnsafeMutablePointer<NSData?>) throws(Refusal) in
        reporting { () throws(Refusal) in
            let url = try unsafe url(path)
            let read = try filing { () throws(SecItemError) in try Data(contentsOfProtected: url) }
            unsafe content.pointee = read as NSData
            return nil
        }
    }
}

@_cdecl("SecProtectedFileOpen")
public func secProtectedFileOpen(_ path: UnsafePointer<CChar>?, _ file: Place?) -> Int32 {
    unsafe status(file) { (file: UnsafeMutablePointer<SecProtectedFile?>) throws(Refusal) in
        reporting { () throws(Refusal) in
            let url = try unsafe url(path)
            let reader = try filing { () throws(SecItemError) in try ProtectedFile.Reader(readingFrom: url) }
            unsafe file.pointee = SecProtectedFile(.reading(reader))
            return nil
        }
    }
}

@_cdecl("SecProtectedFileGetLength")
public func secProtectedFileGetLength(_ file: Reference?, _ length: UnsafeMutablePointer<UInt64>?) -> Int32 {
    reporting { () throws(Refusal) in
        let (file, place): (SecProtectedFile, _) = (try unsafe borrowed(file), try unsafe given(length))
        unsafe place.pointee = try file.reader.length
        return nil
    }
}

@_cdecl("SecProtectedFileRead")
public func secProtectedFileRead(
    _ file: Reference?, _ offset: UInt64, _ buffer: UnsafeMutableRawPointer?, _ size: Int,
    _ done: UnsafeMutablePointer<Int>?
) -> Int32 {
    reporting { () throws(Refusal) in
        let (file, place): (SecProtectedFile, _) = (try unsafe borrowed(file), try unsafe given(done))
        let (reader, buffer) = (try file.reader, try unsafe given(buffer))
        unsafe place.pointee = 0
        guard size >= 0 else { throw .unusable("a size beyond all memory", "that of the memory") }
        // Verified piece by piece: what came before a failure is not left behind as if it were all.
        var count = 0
        do throws(SecItemError) {
            try reader.read(at: offset, count: size) { (piece: Span<UInt8>) in
                unsafe piece.withUnsafeBytes { bytes in
                    guard let start = bytes.baseAddress else { return }
                    unsafe (buffer + count).copyMemory(from: start, byteCount: bytes.count)
                }
                count += piece.count
            }
        } catch {
            unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0, count: count)
            throw Refusal(error)
        }
        unsafe place.pointee = count
        return nil
    }
}

@_cdecl("SecProtectedFileCreate")
public func secProtectedFileCreate(
    _ path: UnsafePointer<CChar>?, _ protection: UInt32, _ options: Reference?, _ file: Place?
) -> Int32 {
    unsafe status(file) { (file: UnsafeMutablePointer<SecProtectedFile?>) throws(Refusal) in
        reporting { () throws(Refusal) in
            let (url, options) = (try unsafe url(path), try unsafe fileOptions(protection, options))
            let writer = try filing { () throws(SecItemError) in
                try ProtectedFile.Writer(writingTo: url, options)
            }
            unsafe file.pointee = SecProtectedFile(.writing(writer))
            return nil
        }
    }
}

@_cdecl("SecProtectedFileAppend")
public func secProtectedFileAppend(_ file: Reference?, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 {
    reporting { () throws(Refusal) in
        let file: SecProtectedFile = try unsafe borrowed(file)
        let writer = try file.writer
        guard count >= 0 else { throw .unusable("a size beyond all memory", "that of the content") }
        guard count > 0 else { return nil }
        let content = unsafe UnsafeRawBufferPointer(start: try given(bytes), count: count)
        try filing { () throws(SecItemError) in try unsafe writer.write(content) }
        return nil
    }
}

@_cdecl("SecProtectedFileClose")
public func secProtectedFileClose(_ file: Reference?) -> Int32 {
    reporting { () throws(Refusal) in
        let file: SecProtectedFile = try unsafe borrowed(file)
        switch file.work {
        case .reading(let reader): reader.close()
        case .writing(let writer): try filing { () throws(SecItemError) in try writer.close() }
        }
        return nil
    }
}

/// The object of a `SecProtectedFileRef`: a type of Core Foundation, as those of `Security` are.
final class SecProtectedFile: NSObject, Sendable {
    static let runtimeType = RuntimeType(SecProtectedFile.self)
    private let runtimeWord = SecProtectedFile.runtimeType.word
    let work: Work

    enum Work: Sendable {
        case reading(ProtectedFile.Reader)
        case writing(ProtectedFile.Writer)
    }

    init(_ work: Work) { self.work = work }

    override var description: String {
        switch work {
        case .reading(let reader): "<SecProtectedFile: \(reader.length) bytes>"
        case .writing: "<SecProtectedFile: being written>"
        }
    }

    var reader: ProtectedFile.Reader {
        get throws(Refusal) {
            if case .reading(let reader) = work { return reader }
            throw .unusable("a file that is written", "one that was opened")
        }
    }

    var writer: ProtectedFile.Writer {
        get throws(Refusal) {
            if case .writing(let writer) = work { return writer }
            throw .unusable("a file that is read", "one that was made")
        }
    }
}

/// The file of a path.
private func url(_ path: UnsafePointer<CChar>?) throws(Refusal) -> URL {
    guard let text = unsafe String(validatingCString: try given(path)), !text.isEmpty else {
        throw .unusable("a path that is empty or no UTF-8", "the path of a file")
    }
    return URL(filePath: text)
}

private let ofThisDevice: UInt32 = 1 << 8

extension ProtectedFile.Protection {
    /// The number that the format and C have.
    fileprivate var number: UInt32 {
        switch self {
        case .complete: 1
        case .completeUnlessOpen: 2
        case .completeUntilFirstUserAuthentication: 3
        case .none: 4
        }
    }
}

private func fileOptions(_ protection: UInt32, _ options: Reference?) throws(Refusal) -> ProtectedFile.Options {
    let found = ProtectedFile.Protection.allCases.first { $0.number == protection & ~ofThisDevice }
    guard let found else { throw .unusable("a class that files do not have", "a value of SecFileProtection") }
    var made = ProtectedFile.Options(found)
    made.isThisDeviceOnly = protection & ofThisDevice != 0
    guard let entries = try unsafe optionalDictionary(options) else { return made }
    for (key, value) in entries { try set(key, value, of: &made) }
    return made
}

private func set(_ key: Any, _ value: Any, of options: inout ProtectedFile.Options) throws(Refusal) {
    func text() throws(Refusal) -> String {
        if let text = value as? String { return text }
        throw .unusable("an object of another type", "a string")
    }
    switch key as? NSString {
    case kSecAttrAccessGroup: options.accessGroup = try text()
    case kSecAttrLabel: options.shelf = try text()
    case kSecProtectedFileRecovery:
        guard let recipients = value as? [String] else {
            throw .unusable("an object of another type", "an array of strings")
        }
        options.recovery = recipients
    case kSecAttrAccessControl:
        guard let control = value as? SecAccessControl else {
            throw .unusable("an object of another type", "an access control")
        }
        options.accessControl = control.flags
    default:
        throw .unusable(
            "a key that files do not have", "kSecAttrAccessGroup, kSecAttrLabel or kSecAttrAccessControl")
    }
}

private func filing<Result>(_ body: () throws(SecItemError) -> Result) throws(Refusal) -> Result {
    do throws(SecItemError) { return try body() } catch { throw Refusal(error) }
}
