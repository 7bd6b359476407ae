import CertificateWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Answers of keychain-pki") struct CertificateAnswerTests {
    private static func certificate(_ extra: [(AttributeID, AttributeValue)] = []) -> CertificateItem? {
        let buffer = SecretBuffer()
        buffer.append(.publicKeyHash, .data([UInt8](repeating: 7, count: 20)))
        buffer.append(.label, .string("A certificate"))
        for (id, value) in extra { buffer.append(id, value) }
        buffer.append(.valueData, .data, [0x30, 0x00].span)
        return (try? AttributeList(parsing: buffer.finish())).map { CertificateItem(.certificate, $0) }
    }

    private static func encoded(_ answer: some CertificateAnswer) -> [UInt8] {
        let buffer = SecretBuffer()
        buffer.append(littleEndian: Int32(0))
        answer.append(to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    private static func read<Answer: CertificateAnswer>(_ bytes: [UInt8], _: Answer.Type) throws(Refusal) -> Answer {
        var reader = WireReader(SecretBytes(copying: bytes.span))
        return try reader.certificateAnswer(Answer.self)
    }

    @Test("an answer is read as it was written") func roundTrip() throws {
        let item = try #require(Self.certificate())
        let read = try Self.read(Self.encoded(ReadFile.Answer([item, item])), ReadFile.Answer.self)
        #expect(read.items.map(\.label) == ["A certificate", "A certificate"])
        #expect(read.items[0].keyHash == [UInt8](repeating: 7, count: 20))
    }

    @Test("an answer that ends early, or has bytes behind its end, is refused") func truncated() throws {
        let item = try #require(Self.certificate())
        let whole = Self.encoded(ReadFile.Answer([item]))
        for count in 0..<whole.count {
            #expect(throws: Refusal.self) { try Self.read(Array(whole[..<count]), ReadFile.Answer.self) }
        }
        #expect(throws: Refusal.self) { try Self.read(whole + [0], ReadFile.Answer.self) }
    }

    @Test("an item that names its access group or its access control is refused") func foreignAttributes() throws {
        let forbidden: [(AttributeID, AttributeValue)] = [
            (.accessGroup, .string("com.example")), (.synchronizable, .number(1)), (.tokenID, .string("x")),
            (.label, .string("twice")),
        ]
        for extra in forbidden {
            let item = try #require(Self.certificate([extra]))
            #expect(throws: Refusal.self) {
                try Self.read(Self.encoded(ReadFile.Answer([item])), ReadFile.Answer.self)
            }
        }
    }

    @Test("a refusal comes back as it was made") func refusal() {
        let buffer = SecretBuffer()
        buffer.append(littleEndian: Int32(-25264))
        Refusal(.param, .malformedFrame, "file", "It is broken.", do: "Mend it.").append(to: buffer)
        let bytes = buffer.withSpan { $0.array(0, $0.count) }
        #expect(throws: Refusal.self) { try Self.read(bytes, ReadFile.Answer.self) }
        do { _ = try Self.read(bytes, ReadFile.Answer.self) } catch {
            #expect(error.status.rawValue == -25264 && error.problem == "It is broken.")
        }
    }

    @Test("a task is read as it was written") func task() throws {
        var task = EvaluateTrust([[1, 2], [3]], date: 12.5)
        (task.policy, task.name, task.anchors) = (.codeSigning, "example.com", [[4]])
        var reader = WireReader(task.encoded())
        #expect(try reader.certificateTask() == .evaluate)
        let read = try EvaluateTrust(reading: &reader)
        #expect(read.certificates == [[1, 2], [3]] && read.anchors == [[4]] && read.policy == .codeSigning)
        #expect(read.name == "example.com" && read.date == 12.5 && reader.isAtEnd)
    }
}
