// Secure Transport is not implemented. The functions that every program with it calls are declared, so that the
// compiler names the alternative.

/// A connection of Secure Transport.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public final class SSLContext {}

/// The side of a connection.
public enum SSLProtocolSide: Int32, Sendable {
    /// The server and the client.
    case serverSide, clientSide
}

/// The kind of a connection.
public enum SSLConnectionType: Int32, Sendable {
    /// TLS, or DTLS.
    case streamType, datagramType
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLCreateContext(
    _ alloc: CFAllocator?, _ protocolSide: SSLProtocolSide, _ connectionType: SSLConnectionType
) -> SSLContext? {
    nil
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLSetIOFuncs(
    _ context: SSLContext,
    _ readFunc: (UnsafeRawPointer, UnsafeMutableRawPointer, UnsafeMutablePointer<Int>) -> OSStatus,
    _ writeFunc: (UnsafeRawPointer, UnsafeRawPointer, UnsafeMutablePointer<Int>) -> OSStatus
) -> OSStatus {
    errSecUnimplemented
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLSetConnection(_ context: SSLContext, _ connection: UnsafeRawPointer?) -> OSStatus {
    errSecUnimplemented
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLSetPeerDomainName(
    _ context: SSLContext, _ peerName: UnsafePointer<CChar>?, _ peerNameLen: Int
) -> OSStatus {
    errSecUnimplemented
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLSetCertificate(_ context: SSLContext, _ certRefs: CFArray?) -> OSStatus { errSecUnimplemented }

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLSetProtocolVersionMin(_ context: SSLContext, _ minVersion: SSLProtocol) -> OSStatus {
    errSecUnimplemented
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLSetProtocolVersionMax(_ context: SSLContext, _ maxVersion: SSLProtocol) -> OSStatus {
    errSecUnimplemented
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLHandshake(_ context: SSLContext) -> OSStatus { errSecUnimplemented }

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLRead(
    _ context: SSLContext, _ data: UnsafeMutableRawPointer, _ dataLength: Int, _ processed: UnsafeMutablePointer<Int>
) -> OSStatus {
    errSecUnimplemented
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLWrite(
    _ context: SSLContext, _ data: UnsafeRawPointer?, _ dataLength: Int, _ processed: UnsafeMutablePointer<Int>
) -> OSStatus {
    errSecUnimplemented
}

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLClose(_ context: SSLContext) -> OSStatus { errSecUnimplemented }

/// Not here.
@available(*, unavailable, message: "Secure Transport is not here: use SwiftNIO SSL or URLSession, and SecTrust")
public func SSLCopyPeerTrust(_ context: SSLContext, _ trust: UnsafeMutablePointer<SecTrust?>) -> OSStatus {
    errSecUnimplemented
}
