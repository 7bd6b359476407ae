import EnclaveWire
import KeychainModel
package import KeychainPolicy
package import KeychainWire
import LinuxSystem

/// Making and using keys that only the enclave sees. May take as long as a TPM takes.
extension KeychainEngine {
    /// Answers a key request into `writer`.
    package func key(_ request: KeyRequest, from caller: CallerIdentity, id: UInt32, into writer: ResponseWriter) {
        decisions.record(key(request, from: caller, id: id, past: nil, into: writer))
    }

    /// As ``key(_:from:id:into:)``, where the user may have been asked; what is still missing is noted at the gate.
    func key(
        _ request: KeyRequest, from caller: CallerIdentity, id: UInt32, past gate: AccessControlGate?,
        into writer: ResponseWriter
    ) -> AuditLog.Entry {
        var entry = AuditLog.Entry(caller, request)
        do throws(Refusal) {
            let reply = try perform(request, from: caller, past: gate, &entry)
            writer.answer(id) { reply.append(to: $0) }
        } catch {
            entry.end(in: error)
            writer.refuse(error, id: id)
        }
        return entry
    }

    private func perform(
        _ request: KeyRequest, from caller: CallerIdentity, past gate: AccessControlGate?,
        _ entry: inout AuditLog.Entry
    ) throws(Refusal) -> KeyReply {
        if case .file(let request) = request {
            return .file(try FileOperations(engine: self, caller: caller, gate: gate).perform(request, &entry))
        }
        return try perform(try AccessPolicy.authorize(request, from: caller), past: gate)
    }

    private func perform(_ authorized: AuthorizedKeyRequest, past gate: AccessControlGate?) throws(Refusal) -> KeyReply
    {
        do throws(Refusal) {
            return switch authorized.request {
            case .make(let binding): .key(try enclave.makeKey(binding, in: gate?.context))
            case .use(let key, let use): .output(try enclave.useKey(key, use, in: gate?.context))
            case .file: throw .unknownShelf
            }
        } catch {
            if error.status == .authNeeded {
                try gate?.addMissing(error, authorized.request.guarded, .allow, name: { "" })
            }
            throw error
        }
    }
}

extension KeyRequest {
    /// The key's access control, and the identifier by which the enclave knows the key.
    fileprivate var guarded: ItemGuard {
        switch self {
        case .make(let binding): .ofNew(binding.control)
        case .use(let key, _): ItemGuard(identifier: key.guardIdentifier, flags: key.binding.control)
        case .file: .ofNew(0)
        }
    }
}

extension ItemGuard {
    /// The guard of a key that is being made, which nobody knows yet. Its maker need not authenticate: only the
    /// application password can be missing (rule access-control.add.free).
    static func ofNew(_ control: UInt64) -> ItemGuard {
        ItemGuard(identifier: Randomness.bytes(identifierBytes), flags: control & AccessConstraint.applicationPassword)
    }
}
