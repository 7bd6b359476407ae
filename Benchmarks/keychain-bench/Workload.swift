import CYardstick
import EnclaveWire
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem
import SecureEnclave

/// The items that are stored and looked up: what a program of some size keeps.
enum Workload {
    static let valueBytes = 150
    /// Lookups go all over the store: the same numbers as the yardstick's client has.
    static func number(_ index: Int, of items: Int) -> Int { index * Int(YARDSTICK_STRIDE) % items }

    static func service(_ number: Int) -> String { "com.example.service\(number % 1000)" }
    static func account(_ number: Int) -> String { "user\(number)@example.com" }
    static func value(_ number: Int) -> [UInt8] {
        Array(repeating: UInt8(truncatingIfNeeded: number), count: valueBytes)
    }

    /// The request that adds an item.
    static func addition(service: String, account: String, value: [UInt8]) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("genp"))
        try builder.set("svce", .string(service))
        try builder.set("acct", .string(account))
        try builder.set("labl", .string("A label as programs give one"))
        try builder.set("v_Data", data: value.span)
        return try builder.build()
    }

    /// The request that looks up a value, or all there is about an item.
    static func lookup(_ number: Int, attributes: Bool = false) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("svce", .string(service(number)))
        try builder.set("acct", .string(account(number)))
        try builder.set("r_Data", .boolean(true))
        if attributes { try builder.set("r_Attributes", .boolean(true)) }
        return try builder.build()
    }

    /// The frame of a lookup, as a client sends it.
    static func frame(_ number: Int) throws(Refusal) -> [UInt8] {
        let (body, frame) = (SecretBuffer(), SecretBuffer())
        try lookup(number).append(to: body)
        FrameHeader(length: body.count, kind: .item, id: 1, word: WireLimits.defaultDeadline).append(to: frame)
        body.withSpan { frame.append($0) }
        return frame.withSpan { $0.array(0, $0.count) }
    }
}

/// A store of the product's own making, filled for a measurement.
struct FilledStore {
    let folder: String
    let items: Int

    /// Makes a store, all items of which belong to `caller`.
    static func make(in folder: String, items: Int, for caller: CallerIdentity) throws -> FilledStore {
        let store = FilledStore(folder: folder, items: items)
        let engine = try store.openEngine(isNew: true)
        for first in stride(from: 0, to: items, by: 1000) {
            let batch = try (first..<min(first + 1000, items)).map { number in
                let (service, account) = (Workload.service(number), Workload.account(number))
                let request = try Workload.addition(service: service, account: account, value: Workload.value(number))
                return PendingWrite(request, from: caller, id: 0, by: .never)
            }
            try write(batch, to: engine)
        }
        return store
    }

    /// Adds an item that belongs to a program.
    func add(_ service: String, _ account: String, for program: String) throws {
        let owner = CallerIdentity(
            user: CurrentProcess.user, process: 0, program: program,
            groups: [CallerIdentity.ownGroup(ofExecutable: program)])
        let request = try Workload.addition(service: service, account: account, value: Array("a password".utf8))
        try Self.write([PendingWrite(request, from: owner, id: 0, by: .never)], to: openEngine())
    }

    private static func write(_ batch: [PendingWrite], to engine: KeychainEngine) throws {
        engine.write(batch)
        for write in batch {
            let answer = write.writer.complete()
            if answer.status != 0 { throw Refusal(decoding: answer.body, status: answer.status) }
        }
        engine.maintain()
    }

    /// An engine that owns the store, as a daemon's does.
    ///
    /// - Parameter enclaved: the program that is the enclave, in a process of its own; nil for an enclave inside.
    func openEngine(isNew: Bool = false, enclaved: String? = nil) throws(Refusal) -> KeychainEngine {
        let (store, vault) = (try ItemStore(folder: folder, prefersExclusive: true), "\(folder)/vault")
        let enclave: any EnclaveService =
            if let enclaved {
                try EnclaveProcess.start(executable: enclaved, vault: vault, createIfMissing: isNew)
            } else { try SoftwareEnclave(vault: vault, createIfMissing: isNew) }
        return try KeychainEngine(store: store, enclave: enclave, deployment: "benchmark")
    }
}
