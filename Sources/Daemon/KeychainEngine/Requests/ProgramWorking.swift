import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// The keychain's own command works for a program that its path alone names. Every request goes the way of the
/// program's own: policy, quotas, guards, decisions. An added item is read again, and compared with what came, before
/// the answer says that it is there.
extension KeychainEngine {
    func carryOut(
        _ work: ProgramWork, _ passcode: FileDescriptor?, from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> [ProgramAnswer] {
        let requests = try work.requests()
        let situation = GroupSituation(
            passcodeIsSet: try enclave.status().passcodeIsSet, daemonUser: CurrentProcess.user)
        let authority = try AccessPolicy.authority(
            toWorkFor: work.group, onlyAdding: requests.allSatisfy(\.isAddition), for: caller, in: situation,
            anchoredGroups)
        if authority == .passcode {
            guard let passcode else { throw .passcodeWanted }
            try enclave.unlock(passcode: passcode)
        }
        let program = CallerIdentity(
            user: caller.user, process: caller.process,
            program: CallerIdentity.executable(ofOwnGroup: work.group) ?? caller.program, groups: [work.group])
        return requests.map { ProgramAnswer(answer($0, for: program, by: deadline)) }
    }

    private func answer(
        _ request: ItemRequest, for program: CallerIdentity, by deadline: Deadline
    ) -> (status: Int32, body: SecretBytes) {
        do throws(Refusal) {
            switch request.operation {
            case .copyMatching: return try search(request, for: program, by: deadline)
            case .add: return try addCompared(request, for: program, by: deadline)
            case .delete: return change(request, for: program, by: deadline)
            case .update, .history, .restore, .forget: throw .notForOthers
            }
        } catch {
            let writer = ResponseWriter()
            writer.refuse(error, id: 0)
            return writer.complete()
        }
    }

    private func search(
        _ request: ItemRequest, for program: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> (status: Int32, body: SecretBytes) {
        let writer = ResponseWriter()
        try makeItemReader(past: nil).read(request, from: program, id: 0, by: deadline, into: writer)
        return writer.complete()
    }

    private func change(
        _ request: ItemRequest, for program: CallerIdentity, by deadline: Deadline
    ) -> (status: Int32, body: SecretBytes) {
        let write = PendingWrite(request, from: program, id: 0, by: deadline)
        self.write([write])
        return write.writer.complete()
    }

    /// Adds an item and compares it, as it is found then, with what was to be added.
    private func addCompared(
        _ request: ItemRequest, for program: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> (status: Int32, body: SecretBytes) {
        var addition = request
        (addition.returns, addition.limit) = (.persistentReference, .one)
        let answer = change(addition, for: program, by: deadline)
        guard answer.status == 0, let itemClass = request.effectiveClass else { return answer }
        guard let added = try ItemResponse(status: 0, body: answer.body).items.first else { throw .differs }
        let found = try search(try Self.search(for: added, of: itemClass), for: program, by: deadline)
        let items = try ItemResponse(status: found.status, body: found.body).items
        guard let item = items.first, item.attributes.has(allOf: request.query) else { throw .differs }
        return answer
    }

    private static func search(for added: ItemResponse.Item, of itemClass: ItemClass) throws(Refusal) -> ItemRequest {
        guard case .data(let reference)? = added.attributes[.persistentReference] else { throw .differs }
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string(itemClass.code))
        try builder.set("v_PersistentRef", .data(reference))
        for flag in ["r_Attributes", "r_Data"] { try builder.set(flag, .boolean(true)) }
        return try builder.build()
    }
}

extension AttributeList {
    /// Whether every attribute of another list, and its value, is here as it is there.
    fileprivate func has(allOf other: AttributeList) -> Bool {
        other.entries.allSatisfy { entry in
            guard entry.id == .valueData else { return self[entry.id] == other[entry.id] }
            guard let mine = secret(.valueData), let its = other.secret(.valueData) else { return false }
            return mine.isEqual(to: its)
        }
    }
}

extension Refusal {
    fileprivate static let notForOthers = Refusal(
        .param, .notAllowedHere, "operation", "Items are found, added and deleted for another program, nothing else.",
        do: "Let the program do it.")

    fileprivate static let differs = Refusal(
        .io, .damaged, "item", "What was stored is not found as it came.",
        do: "Keep the other copy, and run `security verify-keychain`.")
}
