internal import Glibc

/// An object of this module with a type in Core Foundation. C's `CFGetTypeID`, `CFEqual`, `CFHash` and
/// `CFCopyDescription` work on it.
///
/// Core Foundation reads the eight bytes after an object's head as its own word, which names the type. Such a class
/// therefore has ``RuntimeType/word`` as its first stored property.
protocol SecurityObject: NSObject {
    /// The class's type, made with its first object or at the first request for its identifier.
    static var runtimeType: RuntimeType { get }
}

/// A class as a type of Core Foundation's runtime.
package struct RuntimeType: Sendable {
    /// The value of `CFGetTypeID` for its objects, in Swift and in C. Core Foundation assigns it for the life of the
    /// process.
    package let identifier: CFTypeID

    /// The word of an object: its type, and that Core Foundation keeps nothing but a reference count of it.
    package var word: UInt64 { UInt64(identifier) << 8 | 0x80 }

    /// Registers a class. Content decides what is equal, and `description` describes.
    package init(_ type: AnyClass) {
        let entry = UnsafeMutablePointer<RuntimeClass>.allocate(capacity: 1)
        unsafe entry.initialize(to: RuntimeClass(named: "\(type)"))
        identifier = unsafe registerClass(entry)
        unsafe bridgeType(identifier, to: unsafeBitCast(type, to: UnsafeRawPointer.self))
    }
}

/// Core Foundation's record of a class (`CFRuntimeClass`), which it reads for as long as the process lasts.
@unsafe private struct RuntimeClass {
    let version = 0
    let name: UnsafeMutablePointer<CChar>?
    let initialize: UnsafeRawPointer? = nil
    let copy: UnsafeRawPointer? = nil
    let finalize: UnsafeRawPointer? = nil
    let equal: @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?) -> UInt8 = { left, right in
        unsafe object(left)?.isEqual(object(right)) == true ? 1 : 0
    }
    let hash: @convention(c) (UnsafeRawPointer?) -> CFHashCode = { reference in
        CFHashCode(bitPattern: unsafe object(reference)?.hash ?? 0)
    }
    let copyFormattingDescription: UnsafeRawPointer? = nil
    let copyDescription: @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer? = { reference in
        var text = unsafe object(reference)?.description ?? ""
        // C's functions on Foundation's own strings are not safe.
        return text.withUTF8 { bytes in
            unsafe makeString(nil, bytes.baseAddress, bytes.count, kCFStringEncodingUTF8, 0)
        }
    }
    let reclaim: UnsafeRawPointer? = nil
    let referenceCount: UnsafeRawPointer? = nil
    let alignment: UInt = 0

    init(named name: String) { unsafe self.name = strdup(name) }

    private static func object(_ reference: UnsafeRawPointer?) -> NSObject? {
        guard let reference = unsafe reference else { return nil }
        return unsafe Unmanaged<NSObject>.fromOpaque(reference).takeUnretainedValue()
    }
}

@_silgen_name("_CFRuntimeRegisterClass")
private func registerClass(_ entry: UnsafePointer<RuntimeClass>) -> CFTypeID

@_silgen_name("_CFRuntimeBridgeTypeToClass")
private func bridgeType(_ identifier: CFTypeID, to type: UnsafeRawPointer)

@_silgen_name("CFStringCreateWithBytes")
private func makeString(
    _ allocator: UnsafeRawPointer?, _ bytes: UnsafePointer<UInt8>?, _ count: CFIndex, _ encoding: CFStringEncoding,
    _ isExternal: UInt8
) -> UnsafeRawPointer?
