import LinuxSystem

@testable import EnclaveWire
@testable import KeychainClient
@testable import KeychainModel
@testable import KeychainWire

/// Answers as a client gets them are read or refused; what is in them is written, and read as the same.
///
/// The first byte says to what it is the answer, and its highest bit that the status is one of a refusal.
func fuzzReply(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    let (choice, status) = (Int(bytes[0] & 0x7F), bytes[0] & 0x80 == 0 ? Int32(0) : -25300)
    let body = bytes.array(1, bytes.count - 1)
    if status != 0 { checkRefusal(body, status) }
    switch choice {
    case ..<0x20: fuzzItems(body, status)
    case ..<0x40: fuzzWhole(choice & 0x1F, SecretBytes(body), status)
    default: fuzzPart(choice & 0x3F, body)
    }
}

/// Whatever the body is, the status of a refusal reaches the caller.
private func checkRefusal(_ body: [UInt8], _ status: Int32) {
    let refusal = Refusal(decoding: SecretBytes(body), status: status)
    require(refusal.status.rawValue == status, "a refusal has another status")
    let again = Refusal(decoding: SecretBytes(written { refusal.append(to: $0) }), status: status)
    require(again.problem == refusal.problem && again.rule == refusal.rule, "a refusal is read as another one")
}

private func fuzzItems(_ body: [UInt8], _ status: Int32) {
    guard let response = try? ItemResponse(status: status, body: SecretBytes(body)) else { return }
    require(status == 0, "a refusal is taken for items")
    let writer = ResponseWriter()
    writer.begin(id: 1, notice: response.notice)
    for item in response.items {
        writer.beginItem(item.itemClass)
        item.attributes.append(to: writer.buffer)
        writer.endItem()
    }
    writer.end(cursor: response.cursor)
    let answer = writer.complete()
    let again = must("what was written cannot be read") { () throws(Refusal) in
        try ItemResponse(status: answer.status, body: answer.body)
    }
    require(again.cursor == response.cursor && again.items.count == response.items.count, "another answer")
    for (left, right) in zip(again.items, response.items) {
        let isSame = left.attributes.withEncoded { left in right.attributes.withEncoded { left.isEqual(to: $0) } }
        require(isSame && left.itemClass == right.itemClass, "an item is read as another one")
    }
}

/// Answers that are a body of their own: a refusal is never taken for anything else.
private func fuzzWhole(_ choice: Int, _ body: SecretBytes, _ status: Int32) {
    do throws(Refusal) { try readWhole(choice, body, status) } catch { return }
    require(status == 0, "a refusal is taken for an answer")
}

private func readWhole(_ choice: Int, _ body: SecretBytes, _ status: Int32) throws(Refusal) {
    let (device, authentication) = (FuzzSeeds.device, FuzzSeeds.authentication)
    switch choice {
    case device.indices: _ = try DeviceReply(to: device[choice], status: status, body: body)
    case 28, 29: _ = try KeyReply(to: FuzzSeeds.keys[choice - 28], status: status, body: body)
    case 30: _ = try IntroductionRequest.number(status: status, body: body)
    default:
        for request in authentication { _ = try? AuthenticationReply(to: request, status: status, body: body) }
        throw Refusal(decoding: body, status: -50)
    }
}

private func fuzzPart(_ choice: Int, _ body: [UInt8]) {
    switch choice % 14 {
    case 0: Format(DeviceStatus.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 1: Format(VerificationPage.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 2: Format(DeviceDetails.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 3: Format(CallerReport.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 4: Format(DeviceStateChange.init(from:), { $0.append(to: $1) }).settleEqually(body)
    // A time may be no number, which is not equal to itself.
    case 5: Format(DecisionPage.init(from:), { $0.append(to: $1) }).settle(body)
    case 6: Format(Explanation.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 7: Format(MoveReport.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 8: Format(OrphanGroup.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 9: Format(AuthenticationCapabilities.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 10: Format(AuthenticationResult.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 11: Format(EnclaveStatus.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 12: Format(StoreAge.init(from:), { $0.append(to: $1) }).settleEqually(body)
    default: Format(VerificationCursor.init(from:), { $0.append(to: $1) }).settleEqually(body)
    }
}

extension FuzzSeeds {
    static func ofReply() -> [[UInt8]] {
        let refusal = Refusal(.itemNotFound, .unknownKey, "acct", "There is none.", do: "Add one.")
        let device = DeviceStatus(
            protection: .passcode, lockState: .locked, passcodeIsSet: true, failedAttempts: 1, retryAfter: 60,
            deployment: "user daemon", location: "/home/a", enclave: "separate process")
        var seeds: [[UInt8]] = [[0x80] + written { refusal.append(to: $0) }]
        for notice in [refusal, nil] {
            let writer = ResponseWriter()
            writer.begin(id: 1, notice: notice)
            writer.beginItem(.genericPassword)
            writer.buffer.append(.account, .string("a"))
            writer.endItem()
            writer.end(cursor: 9)
            seeds.append([0] + writer.complete().body.array)
        }
        // With the notice that there is none, as bodies of their own.
        for (number, request) in FuzzSeeds.device.enumerated() {
            let content =
                switch request {
                case .status: written { device.append(to: $0) }
                case .details: parts[2]
                case .verify: parts[1]
                case .identity, .examine: parts[3]
                case .watch: parts[4]
                case .watchGroups: written { [GroupNumber(group: "g", number: 7)].append(to: $0) }
                default: [UInt8]()
                }
            seeds.append([0x20 | UInt8(number)] + [0, 0, 0, 0] + content)
        }
        // More slots than a keychain has.
        let crowded = (0...UnlockSlot.most).flatMap { _ -> [UInt8] in [0, 2] }
        seeds.append([0x42, 0, 0, 0, 0, 0, UInt8(UnlockSlot.most + 1)] + crowded + [0])
        seeds += parts.enumerated().map { [0x40 | UInt8($0)] + $1 }
        return seeds
    }

    private static var parts: [[UInt8]] {
        let status = DeviceStatus(
            protection: .softwareOnly, lockState: .unlocked, passcodeIsSet: false, failedAttempts: 0, retryAfter: 0,
            deployment: "embedded", location: "/home/a", enclave: "in process")
        var page = VerificationPage()
        page.total = 3
        page.next = VerificationCursor(.key, after: 2)
        page.report.damage = [.init(itemClass: .key, row: 2, problem: "does not open")]
        var agent = AgentReport()
        agent.sensor = "reader"
        let details = DeviceDetails(
            settings: DeviceSettings(), slots: [UnlockSlot(number: 0, kind: .passcode)], agent: agent)
        let caller = CallerReport(
            user: 1000, process: 7, program: "/usr/bin/a", source: "signed", detail: "TEAM", isAnchored: true,
            mayInspectAllGroups: false, groups: ["a", "b"])
        let decisions = DecisionPage(
            entries: [
                DecisionEntry(
                    number: 1, time: 2, process: 3, user: 4, program: "p", provenance: "v", isAnchored: true,
                    operation: "add", itemClass: .key, groups: ["g"], status: -25300, rule: "r")
            ], next: 2, lost: 1)
        let explanation = Explanation(
            refusal: Refusal(.itemNotFound, .locked, "s", "p", do: "r"), program: "p", groups: ["g"], looked: 1,
            candidates: [
                .init(
                    itemClass: .key, verdict: .excluded, exclusions: [.init(.attributeDiffers, "acct")], isShown: true,
                    attributes: list([(.account, .string("a"))]))
            ])
        var moved = MoveReport()
        moved.note(.init(itemClass: .key, rule: .conflict, name: "n"))
        let orphan = OrphanGroup(group: "g", policy: .keep, items: 1, lastSeen: 2, programs: ["p"])
        let enclave = EnclaveStatus(
            protection: .hardware, lockState: .locked, passcodeIsSet: true, failedAttempts: 0, retryAfter: 0, kind: "k")
        let mark = StoreMark(changes: 1, block: 2, code: Array(0..<32))
        return [
            written { status.append(to: $0) }, written { page.append(to: $0) }, written { details.append(to: $0) },
            written { caller.append(to: $0) }, written { DeviceStateChange(epoch: 1, status: status).append(to: $0) },
            written { decisions.append(to: $0) }, written { explanation.append(to: $0) },
            written { moved.append(to: $0) }, written { orphan.append(to: $0) },
            written {
                AuthenticationCapabilities(
                    biometry: BiometryStatus(state: .ready, enrolment: Array(0..<32)), passcodeIsSet: true
                ).append(to: $0)
            },
            written { AuthenticationResult(factors: .passcode, enrolment: []).append(to: $0) },
            written { enclave.append(to: $0) }, written { StoreAge.current(mark).append(to: $0) },
            written { VerificationCursor.start.append(to: $0) },
        ]
    }
}
