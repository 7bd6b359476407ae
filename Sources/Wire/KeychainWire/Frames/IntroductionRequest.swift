package import KeychainModel
package import LinuxSystem

/// By what a program that the kernel marks begins each connection, so that the daemon knows it asks itself:
///
///     body = empty                     ; asks for a number; the answer has it
///          | number:16                 ; the number that came
package enum IntroductionRequest: Equatable, Sendable {
    case begin
    case finish(number: [UInt8])

    package static let numberSize = 16

    /// - Throws: `errSecParam` (`wire.malformed`) for another size.
    package init(decoding body: SecretBytes) throws(Refusal) {
        guard body.count > 0 else { self = .begin; return }
        guard body.count == Self.numberSize else { throw .malformed("the number of an introduction") }
        self = .finish(number: body.withSpan { span in span.indices.map { span[$0] } })
    }

    /// The number in the answer to ``begin``.
    ///
    /// - Throws: the refusal it was answered with; `errSecParam` (`wire.malformed`) for another size.
    package static func number(status: Int32, body: SecretBytes) throws(Refusal) -> [UInt8] {
        guard status == 0 else { throw Refusal(decoding: body, status: status) }
        var reader = WireReader(body)
        _ = try reader.notice()
        let number = try reader.array(numberSize)
        guard reader.isAtEnd else { throw .malformed("the number of an introduction") }
        return number
    }
}

extension IntroductionRequest: FrameBody {
    package func append(to buffer: SecretBuffer) {
        guard case .finish(let number) = self else { return }
        for byte in number { buffer.append(byte) }
    }
}

extension ItemRequest: FrameBody {}
extension DeviceRequest: FrameBody {}
extension KeyRequest: FrameBody {}
extension AuthenticationRequest: FrameBody {}
