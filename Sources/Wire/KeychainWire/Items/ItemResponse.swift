package import KeychainModel
package import LinuxSystem

/// The answer to an item request.
///
///     body = noticeLength:u32 notice cursor:u64 count:u32 *item         ; when the status is success
///     item = length:u32 class:u8 zero:u8 zero:u16 list
///     body = refusal                                                     ; otherwise
///
/// An item's list has the attributes asked for, and with them value data and persistent reference.
package struct ItemResponse: Sendable {
    /// An item as far as it was asked for.
    package struct Item: Sendable {
        package let itemClass: ItemClass
        package let attributes: AttributeList
    }

    package var items: [Item]
    /// Where the enumeration goes on; 0 when it is complete.
    package var cursor: UInt64
    /// Something the caller should know although the request succeeded.
    package var notice: Refusal?

    /// Reads the body of a response.
    ///
    /// - Throws: the refusal it carries, or `errSecInternalComponent`-like `wire.malformed` when it cannot be read.
    package init(status: Int32, body: SecretBytes) throws(Refusal) {
        guard status == 0 else { throw Refusal(decoding: body, status: status) }
        var reader = WireReader(body)
        notice = try reader.notice()
        cursor = try reader.integer(UInt64.self)
        let count = try reader.integer(UInt32.self)
        items = []
        for _ in 0..<count { items.append(try reader.item()) }
        guard reader.isAtEnd else { throw .malformed("the end of the response") }
    }
}

/// Writes a response, frame head included, straight into the buffer that goes to the socket.
package final class ResponseWriter {
    package let buffer: SecretBuffer
    /// How many items there are.
    package var count: UInt32 { items }
    private var items: UInt32 = 0
    private var countOffset = 0
    private var itemOffset = 0

    /// Writes into `buffer`, after what is already there.
    package init(_ buffer: SecretBuffer = SecretBuffer(capacity: 2048)) { self.buffer = buffer }

    private var frameOffset = 0

    /// Begins a response to the request with this id.
    package func begin(id: UInt32, notice: Refusal? = nil) {
        frameOffset = buffer.count
        FrameHeader(length: 0, kind: .response, id: id, word: 0).append(to: buffer)
        let noticeOffset = buffer.count
        buffer.append(littleEndian: UInt32(0))
        if let notice {
            notice.append(to: buffer)
            buffer.overwrite(littleEndian: UInt32(buffer.count - noticeOffset - 4), at: noticeOffset)
        }
        countOffset = buffer.count
        buffer.append(littleEndian: UInt64(0))
        buffer.append(littleEndian: UInt32(0))
        items = 0
    }

    /// Begins an item; its attributes are appended to ``buffer`` by the caller.
    package func beginItem(_ itemClass: ItemClass) {
        itemOffset = buffer.count
        buffer.append(littleEndian: UInt32(0))
        buffer.append(littleEndian: UInt32(itemClass.rawValue))
    }

    /// Keeps the item begun last.
    package func endItem() {
        buffer.overwrite(littleEndian: UInt32(buffer.count - itemOffset - 8), at: itemOffset)
        items += 1
    }

    /// Forgets the item begun last, such as one that turns out not to open.
    package func dropItem() { buffer.truncate(to: itemOffset) }

    /// Completes the frame.
    package func end(cursor: UInt64 = 0) {
        buffer.overwrite(littleEndian: cursor, at: countOffset)
        buffer.overwrite(littleEndian: items, at: countOffset + 8)
        finish(status: 0)
    }

    /// The status of the finished response.
    package var status: Int32 { buffer.withSpan { $0.littleEndian(Int32.self, at: frameOffset + 12) } }

    /// Takes the finished response apart, for a caller in the same process.
    package func complete() -> (status: Int32, body: SecretBytes) {
        return (status, buffer.copy(from: frameOffset + FrameHeader.size))
    }

    /// Writes a whole response that is not about items.
    package func answer(_ id: UInt32, _ body: (SecretBuffer) -> Void) {
        frameOffset = buffer.count
        FrameHeader(length: 0, kind: .response, id: id, word: 0).append(to: buffer)
        buffer.append(littleEndian: UInt32(0))
        body(buffer)
        finish(status: 0)
    }

    /// Completes the frame as a refusal; what was written of it before is forgotten.
    package func refuse(_ refusal: Refusal, id: UInt32) {
        buffer.truncate(to: frameOffset)
        FrameHeader(length: 0, kind: .response, id: id, word: 0).append(to: buffer)
        refusal.append(to: buffer)
        finish(status: refusal.status.rawValue)
    }

    private func finish(status: Int32) {
        buffer.overwrite(littleEndian: UInt32(buffer.count - frameOffset - FrameHeader.size), at: frameOffset)
        buffer.overwrite(littleEndian: status, at: frameOffset + 12)
    }
}

extension WireReader {
    mutating func item() throws(Refusal) -> ItemResponse.Item {
        let length = Int(try integer(UInt32.self))
        let code = try integer(UInt32.self)
        guard let itemClass = UInt8(exactly: code).flatMap(ItemClass.init(rawValue:)) else {
            throw .malformed("a class")
        }
        let range = try take(bytes: length)
        do throws(AttributeList.Malformed) {
            return ItemResponse.Item(itemClass: itemClass, attributes: try AttributeList(parsing: body, in: range))
        } catch { throw .malformed("an item") }
    }
}
