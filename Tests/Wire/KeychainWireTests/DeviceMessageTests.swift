import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Device messages on the wire")
struct DeviceMessageTests {
    private static func bytes(_ write: (SecretBuffer) -> Void) -> SecretBytes {
        let buffer = SecretBuffer()
        write(buffer)
        return buffer.copy()
    }

    @Test(
        "Every request is read as it was written, and takes the passcodes it names",
        arguments: [
            .status, .lock, .unlock, .setPasscode, .removePasscode, .removePasscodeAndFiles, .moveToTPM,
            .moveToSoftware,
            .verify(from: .start),
            .verify(from: VerificationCursor(.key, after: .max)), .verify(from: VerificationCursor(nil, after: -1)),
        ] as [DeviceRequest])
    func roundTripsRequest(request: DeviceRequest) throws {
        #expect(try DeviceRequest(decoding: Self.bytes { request.append(to: $0) }) == request)
        #expect(request.descriptors.upperBound <= WireLimits.descriptors)
    }

    @Test(
        "A request that is unknown, empty, too short or too long is refused",
        arguments: [
            [], [0], [200], [1, 1], [6], [6, 1, 0, 0, 0, 0, 0, 0, 0], [6, 5, 0, 0, 0, 0, 0, 0, 0, 0],
            [6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func refusesRequest(body: [UInt8]) {
        let body = SecretBytes(copying: body.span)
        #expect(failure { () throws(Refusal) in try DeviceRequest(decoding: body) }?.rule == .malformedFrame)
    }

    private static let status = DeviceStatus(
        protection: .passcode, lockState: .locked, passcodeIsSet: true, failedAttempts: 3, retryAfter: 60,
        deployment: "user daemon", location: "/home/ä", enclave: "separate process")

    @Test("A status is read as it was written")
    func roundTripsStatus() throws {
        var reader = WireReader(Self.bytes { Self.status.append(to: $0) })
        #expect(try DeviceStatus(from: &reader) == Self.status)
        #expect(reader.isAtEnd)
    }

    @Test("A status with an unknown protection or lock state, or a part of it missing, is refused")
    func refusesStatus() {
        let whole = Self.bytes { Self.status.append(to: $0) }.withSpan { $0.array(0, $0.count) }
        var broken = (0..<whole.count).map { Array(whole.prefix($0)) }
        for offset in 0...1 {
            var bytes = whole
            bytes[offset] = 9
            broken.append(bytes)
        }
        for bytes in broken {
            var reader = WireReader(SecretBytes(copying: bytes.span))
            #expect(failure { () throws(Refusal) in try DeviceStatus(from: &reader) }?.rule == .malformedFrame)
        }
    }

    @Test("A report is read as it was written, with every damaged row")
    func roundTripsReport() throws {
        var report = VerificationReport()
        (report.checked, report.locked, report.file) = (.max, 2, "row 7 missing from index")
        report.damage = ItemClass.stored.map { .init(itemClass: $0, row: -5, problem: "The value does not open.") }
        var reader = WireReader(Self.bytes { report.append(to: $0) })
        #expect(try VerificationReport(from: &reader) == report)
        #expect(reader.isAtEnd)
    }

    @Test("A report that promises more rows than it has is refused")
    func refusesReport() {
        let body = Self.bytes { buffer in
            for _ in 0..<2 { buffer.append(littleEndian: UInt64(0)) }
            buffer.append(text: "")
            buffer.append(littleEndian: UInt32.max)
        }
        var reader = WireReader(body)
        #expect(failure { () throws(Refusal) in try VerificationReport(from: &reader) }?.rule == .malformedFrame)
    }

    @Test(
        "Details with more slots than a keychain may have are refused",
        arguments: [UnlockSlot.most, UnlockSlot.most + 1])
    func slots(count: Int) throws {
        let buffer = SecretBuffer(capacity: 64)
        DeviceSettings().append(to: buffer)
        buffer.append(UInt8(count))
        for _ in 0..<count {
            buffer.append(0)
            buffer.append(UnlockSlot.Kind.passcode.rawValue)
        }
        buffer.append(0)
        var reader = WireReader(buffer.finish())
        let details = try? DeviceDetails(from: &reader)
        #expect(details?.slots.count == (count > UnlockSlot.most ? nil : count))
    }

    @Test("Details and a request have at most seven recovery recipients", arguments: [0, 1, 7, 8])
    func recipients(count: Int) throws {
        let texts = RecoveryTexts((0..<count).map { "age1\($0)" })
        let details = DeviceDetails(settings: DeviceSettings(), slots: [], recovery: texts)
        var reader = WireReader(Self.bytes { details.append(to: $0) })
        #expect((try? DeviceDetails(from: &reader)) == (count > 7 ? nil : details))
        let request = DeviceRequest.setFileRecovery(texts, by: .passcode)
        #expect((try? DeviceRequest(decoding: Self.bytes { request.append(to: $0) })) == (count > 7 ? nil : request))
        let long = DeviceRequest.setFileRecovery(RecoveryTexts([String(repeating: "a", count: 129)]), by: .passcode)
        #expect((try? DeviceRequest(decoding: Self.bytes { long.append(to: $0) })) == nil)
    }

    @Test("A text that is not UTF-8 is refused")
    func refusesText() {
        let body = Self.bytes { buffer in
            buffer.append(littleEndian: UInt32(2))
            for byte in [0xc3, 0x28] as [UInt8] { buffer.append(byte) }
        }
        var reader = WireReader(body)
        #expect(failure { () throws(Refusal) in try reader.text() }?.rule == .malformedFrame)
    }
}
