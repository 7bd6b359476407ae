import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

struct RowKeyTests {
    let device = TestDevice()

    @Test("a row's key opens for its row, and is not in what the store keeps", .rule("protection.storage.row-bound"))
    func roundTrip() throws {
        let enclave = try device.start()
        let row = try TestRow(.whenUnlocked, in: enclave)
        #expect(row.wrapped.count == RowKeyRecord.wrappedBytes)
        let answers = try enclave.unwrap([row.record])
        #expect(answers.outcomes == [.opened])
        #expect(answers.keys[0].isEqual(to: row.key))
    }

    @Test("wrapping the same key twice gives two wrappings, for every nonce is fresh")
    func nonces() throws {
        let enclave = try device.start()
        let row = try TestRow(.always, in: enclave)
        let again = try enclave.wrapRowKey(row.key, row: row.identity.span, for: .always)
        #expect(row.wrapped != again)
        #expect(row.wrapped.prefix(12) != again.prefix(12))
    }

    @Test("a batch is answered row by row, in order, after what the buffer holds already")
    func batch() throws {
        let enclave = try device.start()
        let rows = try (0..<50).map { index throws(Refusal) in
            try TestRow(Accessibility.allCases[index % 6], in: enclave)
        }
        var records = rows.map(\.record)
        records[7][79] ^= 1
        let answers = try enclave.unwrap(records)
        #expect(answers.outcomes == rows.indices.map { $0 == 7 ? .damaged : .opened })
        for (index, row) in rows.enumerated() where index != 7 { #expect(answers.keys[index].isEqual(to: row.key)) }
        #expect(answers.keys[7].isEqual(to: SecretBytes(count: 32)))
        let buffer = SecretBuffer()
        buffer.append(99)
        let record = records[0]
        try enclave.unwrapRowKeys(record.span, into: buffer)
        #expect(buffer.count == 34)
        #expect(buffer.withSpan { $0[0] } == 99)
    }

    @Test("a wrapped key opens for no other row, class or device, and with no bit of it changed")
    func binding() throws {
        let enclave = try device.start()
        let row = try TestRow(.whenUnlocked, in: enclave)
        for position in 0..<RowKeyRecord.size {
            var record = row.record
            record[position] ^= 1
            #expect(try enclave.unwrap([record]).outcomes == [.damaged], "bit changed at \(position)")
        }
        let other = TestDevice()
        #expect(try other.start().outcome(of: row) == .damaged)
    }

    @Test("a record of a class that does not exist is damaged, an empty batch has no answers")
    func strangeRecords() throws {
        let enclave = try device.start()
        var record = try TestRow(.always, in: enclave).record
        for code: UInt8 in [0, 8, 255] {
            record[0] = code
            #expect(try enclave.unwrap([record]).outcomes == [.damaged])
        }
        #expect(try enclave.unwrap([]).outcomes.isEmpty)
    }

    @Test("sizes other than those of the format are refused with errSecParam", arguments: [0, 1, 79, 81, 159])
    func wrongBatchSizes(_ size: Int) throws {
        let enclave = try device.start()
        let buffer = SecretBuffer()
        let refused = refusal {
            if size > 0 { try enclave.unwrapRowKeys([UInt8](repeating: 1, count: size).span, into: buffer) }
            _ = try enclave.wrapRowKey(SecretBytes(count: size), row: Randomness.bytes(16).span, for: .always)
        }
        #expect(refused?.status == .param)
        #expect(buffer.count == 0)
        let row = refusal { _ = try enclave.wrapRowKey(SecretBytes(count: 32), row: [1, 2, 3].span, for: .always) }
        #expect(row?.status == .param)
    }

    @Test("a metadata key opens for its class only, also after a restart, and is not taken for a row's key")
    func metadataKeys() throws {
        let (key, wrapped) = try device.start().makeMetadataKey(for: .afterFirstUnlock)
        let enclave = try device.start()
        #expect(try enclave.unwrapMetadataKey(wrapped, for: .afterFirstUnlock).isEqual(to: key))
        for accessibility in Accessibility.allCases where accessibility != .afterFirstUnlock {
            #expect(refusal { _ = try enclave.unwrapMetadataKey(wrapped, for: accessibility) } != nil)
        }
        for changed in [[], Array(wrapped.dropLast()), [UInt8](repeating: 0, count: 60)] {
            let refused = refusal { _ = try enclave.unwrapMetadataKey(changed, for: .afterFirstUnlock) }
            #expect(refused?.status == .decode)
        }
        var row = try TestRow(.afterFirstUnlock, in: enclave)
        row.wrapped = wrapped
        #expect(try enclave.outcome(of: row) == .damaged)
    }

    @Test("the index key is the same at every start and on no other device")
    func indexKey() throws {
        let key = try device.start().indexKey()
        #expect(key.count == 32)
        #expect(try device.start(passcode: "1234").indexKey().isEqual(to: key))
        let other = TestDevice()
        #expect(try !other.start().indexKey().isEqual(to: key))
    }
}
