internal import CodeSignature
internal import KeychainModel
internal import LinuxSystem
import PropertyLists

/// An executable and the proven content of its signature.
struct SignedCode: Hashable, Sendable {
    /// The path of the executable.
    let path: String
    /// The digest of its loaded and executed parts; nil when it is not signed.
    let signature: CodeSignature?

    /// Reads and verifies an executable on disk.
    ///
    /// - Throws: `errSecCSStaticCodeNotFound` when there is none; the refusal of an invalid signature.
    init(at path: String) throws(Refusal) {
        let file: FileDescriptor
        do throws(SystemError) { file = try FileDescriptor.open(path, 0) } catch {
            throw Refusal(
                KeychainStatus(rawValue: errSecCSStaticCodeNotFound), .notFound, path,
                "\(path) cannot be read: \(error).", do: "Name an executable that this program may read.")
        }
        (self.path, signature) = (path, try CodeSignature.read(from: file))
    }

    private init(path: String, signature: CodeSignature?) { (self.path, self.signature) = (path, signature) }

    /// The program this code runs in; read once.
    static let ofThisProcess = Result { () throws(Refusal) in
        do throws(SystemError) {
            return try ExecutableFile(ofProcess: CurrentProcess.identifier)
        } catch {
            throw Refusal(
                .notAvailable, .unavailable, "program", "This program's own executable cannot be read: \(error).",
                do: "Check that /proc is mounted.")
        }
    }.flatMap { executable in
        Result { () throws(Refusal) in
            SignedCode(path: executable.path, signature: try CodeSignature.read(from: executable.file))
        }
    }

    /// The refusal for a program that asks for a missing signature.
    static let unsigned = Refusal(
        KeychainStatus(rawValue: errSecCSUnsigned), .notFound, "signature", "The program is not signed.",
        do: "Sign it: `security codesign`.")
}

extension Entitlements.Value {
    /// In the types of a property list.
    var object: AnyObject {
        switch self {
        case .string(let text): NSString(string: text)
        case .boolean(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .date(let text): ISO8601DateFormatter().date(from: text).map { $0 as NSDate } ?? NSString(string: text)
        case .data(let bytes): NSData(copying: bytes)
        case .array(let values): NSArray(array: values.map(\.object))
        case .dictionary(let entries):
            NSDictionary(
                objects: entries.map(\.value.object), forKeys: entries.map { NSString(string: $0.key) })
        }
    }
}
