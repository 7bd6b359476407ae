import LinuxSystem

@testable import KeychainModel
@testable import KeychainWire

/// Frames as a daemon gets them are read or refused; what is read is written, and read as the same.
func fuzzRequest(_ bytes: Span<UInt8>) {
    guard let head = try? FrameHeader(bytes, limit: WireLimits.requestBody) else { return }
    let isSame = written { head.append(to: $0) }.span.isEqual(to: bytes.extracting(..<FrameHeader.size))
    require(isSame, "the head of a frame is written in another way")
    fuzzBody(bytes.array(FrameHeader.size, bytes.count - FrameHeader.size), head.kind)
}

private func fuzzBody(_ body: [UInt8], _ kind: FrameHeader.Kind) {
    switch kind {
    case .item:
        guard let (first, again) = settle(body, ItemRequest.init(decoding:), { $0.append(to: $1) }) else { return }
        require(verdict(first) == verdict(again), "a request that was written is judged in another way")
    case .device:
        let pair = settle(body, DeviceRequest.init(decoding:), { $0.append(to: $1) })
        require(pair?.first == pair?.again, "a device request is read as another one")
    case .key:
        let pair = settle(body, KeyRequest.init(decoding:), { $0.append(to: $1) })
        require(pair?.first == pair?.again, "a key request is read as another one")
    case .authentication: _ = settle(body, AuthenticationRequest.init(decoding:), { $0.append(to: $1) })
    case .introduction:
        let pair = settle(body, IntroductionRequest.init(decoding:), { $0.append(to: $1) })
        require(pair?.first == pair?.again, "an introduction is read as another one")
    case .response: break
    }
}

/// The rule that refuses a request, and about what it speaks; nil for one that may be made.
func verdict(_ request: ItemRequest) -> String? {
    do throws(Refusal) { try request.check() } catch {
        require(error.status != .success && !error.rule.rawValue.isEmpty, "a refusal that says nothing")
        return "\(error.rule.rawValue) \(error.subject)"
    }
    return nil
}

extension FuzzSeeds {
    static func ofRequest() -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        func add(_ kind: FrameHeader.Kind, descriptors: Int = 0, _ body: any FrameBody) {
            let content = written { body.append(to: $0) }
            let head = FrameHeader(length: content.count, kind: kind, descriptors: descriptors, id: 7, word: 60_000)
            seeds.append(written { head.append(to: $0) } + content)
        }
        for request in items { add(.item, request) }
        for request in device { add(.device, descriptors: request.descriptors.lowerBound, request) }
        for request in keys { add(.key, request) }
        for request in authentication { add(.authentication, request) }
        for request in [IntroductionRequest.begin, .finish(number: Array(0..<16))] { add(.introduction, request) }
        return seeds
    }

    static var items: [ItemRequest] {
        let item: [(AttributeID, AttributeValue)] = [
            (.account, .string("a")), (.service, .string("s")), (.label, .data([1, 2])), (.accessible, .string("ak")),
            (.creationDate, .date(1)), (.synchronizable, .number(0)), (.valueData, .data([9, 8, 7])),
        ]
        let operations: [ItemRequest.Operation] = [
            .add, .copyMatching, .update, .delete, .history, .restore, .forget,
        ]
        var requests = operations.map { operation in
            var request = ItemRequest(
                operation, query: list(item), changes: operation == .update ? list([(.comment, .string("c"))]) : .empty)
            request.itemClass = .genericPassword
            return request
        }
        requests[1].returns = [.data, .attributes, .persistentReference]
        requests[1].limit = .all
        requests[1].query = list([(.account, .string("a")), (.synchronizable, .string("syna"))])
        requests[3].query = list([(.persistentReference, .data(Array("genp".utf8) + Array(0..<16)))])
        requests[3].itemClass = nil
        var guarded = requests[0]
        guarded.query = list([(.accessControl, .data(Array("aku;1".utf8))), (.valueData, .data([1]))])
        var certificate = requests[0]
        certificate.itemClass = .certificate
        certificate.query = list([(.subject, .data([0x30, 0])), (.certificateType, .number(1))])
        var key = requests[1]
        key.itemClass = .key
        key.query = list([(.keyClass, .number(1)), (.applicationTag, .data([5]))])
        return requests + [guarded, certificate, key]
    }

    static func list(_ entries: [(AttributeID, AttributeValue)]) -> AttributeList {
        let buffer = SecretBuffer(capacity: 64)
        for (id, value) in entries { buffer.append(id, value) }
        return must("a list") { () throws(AttributeList.Malformed) in try AttributeList(parsing: buffer.finish()) }
    }

    static let device: [DeviceRequest] =
        [
            .status, .lock, .unlock, .setPasscode, .removePasscode, .removePasscodeAndFiles, .verify(from: .start),
            .moveToTPM, .moveToSoftware,
            .details, .unlockWith(.pin), .replacePasscode(by: .recoveryCode), .addSlot(.recovery, by: .passcode),
            .removeSlot(2, by: .passcode), .changeSettings(DeviceSettings(locksOnSleep: true, idleSeconds: 300)),
            .watch(epoch: 3, milliseconds: 100),
            .watchGroups(GroupWatch([GroupNumber(group: "g", number: 7)], milliseconds: 100)), .acceptStore, .snapshot,
            .identity, .examine, .release,
            .lastUnlock, .setFileRecovery(RecoveryTexts(["age1", ""]), by: .recoveryCode),
        ] + access.map { .access($0) }

    static let access: [AccessRequest] = [
        .decisions(after: 4), .why(program: "/usr/bin/a", query: [1, 2, 3]),
        .move(GroupMove(from: "a", to: "b", itemClass: .key, isRename: true, statement: [1])), .orphans,
        .setPolicy(.purge, group: "g"), .uninstalled(["/usr/bin/a", "/usr/bin/b"]),
        .work(ProgramWork("program:/a", [ItemRequest(.add)])),
        .keepRows([ListedRow(keychain: "k", reference: Array(0..<20), changed: 7e8)]), .row(3), .others,
        .changes(after: 7), .whyFile(program: "/usr/bin/a", FileToExplain(size: 9000, head: Array(0..<64))),
    ]

    static let keys: [KeyRequest] = [.make(binding), .use(sealedKey, keyUse), .use(guardedKey, keyUse)]
    static let binding = KeyBinding(group: "g", accessibility: .whenUnlocked, control: AccessControl.privateKeyUsage)
    static let keyUse = KeyUse(
        "algid:sign:ECDSA:digest-X962:SHA256", Array(0..<32), requestedSize: 32, sharedInfo: [1, 2])
    static let sealedKey = SealedKey(
        backend: .software, origin: .madeInside, keyType: 73, bits: 256, binding: binding,
        publicKey: [4] + Array(0..<64), sealed: Array(0..<60))
    static let guardedKey = SealedKey(
        backend: .tpm, origin: .imported, keyType: 73, bits: 256, binding: binding, publicKey: [4] + Array(0..<64),
        guardBinding: GuardBinding(enrolment: Array(0..<32), password: Array(0..<24)), sealed: Array(0..<60))

    static let context = AuthenticationContext(identifier: Array(0..<16), caller: Array(0..<32))
    static let prompt = Prompt(
        interaction: .terminal, reason: "why", fallbackTitle: "Passcode", cancelTitle: "Stop",
        surroundings: PromptEnvironment(terminal: "/dev/pts/1", environment: ["TERM": "xterm", "LANG": "C.UTF-8"]))

    static var authentication: [AuthenticationRequest] {
        [
            .capabilities, .evaluate(.policy(2), context: context.identifier, prompt: prompt),
            .evaluate(.control(flags: 1, .useItem), context: context.identifier, prompt: Prompt()),
            .evaluate(.unlock, context: context.identifier, prompt: prompt),
            .perform(.item(items[1]), context: context.identifier, prompt: prompt),
            .perform(.key(keys[1]), context: nil, prompt: Prompt(interaction: .never)),
            .invalidate(context: context.identifier),
        ]
    }
}
