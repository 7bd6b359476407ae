package import KeychainModel
package import KeychainWire
package import LinuxSystem

extension Shelf: EnclaveMessage {}
extension FileSlot: EnclaveMessage {}
extension MadeFileKey: EnclaveMessage {}

/// [context] protection:u8 binding
package struct ShelfCreation: EnclaveMessage {
    let context: AuthenticationContext?
    let protection: FileProtection
    let binding: KeyBinding
}

extension ShelfCreation {
    package init(from reader: inout WireReader) throws(Refusal) {
        let context = try reader.context()
        guard let protection = FileProtection(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("the class of a file")
        }
        self.init(context: context, protection: protection, binding: try KeyBinding(from: &reader))
        guard protection.accessibilities.contains(binding.accessibility) else {
            throw .malformed("the class of a file")
        }
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        buffer.append(protection.rawValue)
        binding.append(to: buffer)
    }
}

/// [context] file:16 shelf
package struct FileKeyCreation: EnclaveMessage {
    let context: AuthenticationContext?
    let file: FileID
    let shelf: Shelf
}

extension FileKeyCreation {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(context: try reader.context(), file: try reader.fileID(), shelf: try Shelf(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        buffer.append(file.bytes.span)
        shelf.append(to: buffer)
    }
}

/// [context] file:16 slot shelf
package struct FileKeyOpening: EnclaveMessage {
    let context: AuthenticationContext?
    let file: FileID
    let slot: FileSlot
    let shelf: Shelf
}

extension FileKeyOpening {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            context: try reader.context(), file: try reader.fileID(), slot: try FileSlot(from: &reader),
            shelf: try Shelf(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        buffer.append(file.bytes.span)
        slot.append(to: buffer)
        shelf.append(to: buffer)
    }
}

/// [context] file:16 slot shelf target:shelf
package struct FileKeyRewrapping: EnclaveMessage {
    let opening: FileKeyOpening
    let target: Shelf
}

extension FileKeyRewrapping {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(opening: try FileKeyOpening(from: &reader), target: try Shelf(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        opening.append(to: buffer)
        target.append(to: buffer)
    }
}
