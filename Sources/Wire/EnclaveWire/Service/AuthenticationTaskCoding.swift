package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A context within a message of the enclave's channel.
///
///     context   = identifier:16 caller:32
///     [context] = 0:u8 | 1:u8 context
extension AuthenticationContext {
    /// Appends the context to a message under construction: `identifier:16 caller:32`.
    ///
    /// A context of another size, which no part of the product makes, is written as zeros. It matches no open question.
    package func append(to buffer: SecretBuffer) {
        let isWhole = identifier.count == Self.identifierBytes && caller.count == Self.callerBytes
        let bytes =
            isWhole ? identifier + caller : [UInt8](repeating: 0, count: Self.identifierBytes + Self.callerBytes)
        buffer.append(bytes.span)
    }

    /// Reads a context that the daemon wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(identifier: try reader.array(Self.identifierBytes), caller: try reader.array(Self.callerBytes))
    }
}

extension AuthenticationContext? {
    package func append(to buffer: SecretBuffer) {
        buffer.append(self == nil ? 0 : 1)
        self?.append(to: buffer)
    }
}

extension WireReader {
    /// A context, where there is one.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package mutating func context() throws(Refusal) -> AuthenticationContext? {
        switch try integer(UInt8.self) {
        case 0: nil
        case 1: try AuthenticationContext(from: &self)
        default: throw .malformed("the context")
        }
    }
}

/// A task within a message of the enclave's channel.
///
///     task   = context wanted prompt
///     wanted = 1:u8 purpose                                                  ; as in ``AuthenticationRequest``
///            | 2:u8 operation:u8 count:u16 count*(identifier:16 flags:u64)
extension AuthenticationTask {
    private enum Code: UInt8 {
        case context = 1
        case items = 2
    }

    /// Appends the task to a message under construction.
    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        switch purpose {
        case .context(let purpose):
            buffer.append(Code.context.rawValue)
            purpose.append(to: buffer)
        case .items(let guards, let operation):
            buffer.append(Code.items.rawValue)
            buffer.append(operation.rawValue)
            buffer.append(littleEndian: UInt16(clamping: guards.count))
            for item in guards {
                buffer.append(item.identifier.span)
                buffer.append(littleEndian: item.flags)
            }
        }
        prompt.append(to: buffer)
    }

    /// Refuses a task that the format cannot hold.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`).
    package func checkSize() throws(Refusal) {
        guard context.identifier.count == AuthenticationContext.identifierBytes,
            context.caller.count == AuthenticationContext.callerBytes
        else { throw .malformed("the context") }
        guard case .items(let guards, _) = purpose else { return }
        guard guards.count <= Self.mostGuards, guards.allSatisfy({ $0.identifier.count == ItemGuard.identifierBytes })
        else { throw .malformed("the guards") }
    }

    /// Reads a task that the daemon wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        let context = try AuthenticationContext(from: &reader)
        let purpose: Purpose
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .context?: purpose = .context(try AuthenticationPurpose(from: &reader))
        case .items?: purpose = try Self.items(from: &reader)
        case nil: throw .malformed("what the user is to be asked for")
        }
        self.init(context: context, purpose: purpose, prompt: try Prompt(from: &reader))
    }

    private static func items(from reader: inout WireReader) throws(Refusal) -> Purpose {
        guard let operation = GuardedOperation(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("the guarded operation")
        }
        let count = Int(try reader.integer(UInt16.self))
        guard count <= mostGuards else { throw .malformed("the number of guards") }
        var guards: [ItemGuard] = []
        for _ in 0..<count {
            let identifier = try reader.array(ItemGuard.identifierBytes)
            guards.append(ItemGuard(identifier: identifier, flags: try reader.integer(UInt64.self)))
        }
        return .items(guards: guards, operation)
    }
}

extension ItemGuard {
    /// How many bytes name something guarded.
    package static let identifierBytes = 16
}
