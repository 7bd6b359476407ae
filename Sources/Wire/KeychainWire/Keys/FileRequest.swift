package import KeychainModel
package import LinuxSystem

/// A caller's requests about the keys of protected files.
///
///     request = 1:u8 file:16 place                         ; a key for a new file
///             | 2:u8 file:16 protection:u8 slot            ; the key of a file
///             | 3:u8 file:16 protection:u8 slot place      ; the key of a file, wrapped by another shelf
///             | 4:u8 after:16                              ; the caller's shelves, in the order of their ids
///             | 5:u8 shelf:16                              ; delete a shelf, and with it every file that it wraps
///             | 6:u8 shelf:16                              ; the same, also on the other machines of the circle
///     place   = protection:u8 binding name:text
package enum FileRequest: Hashable, Sendable {
    /// → ``FileReply/made(_:)``.
    case make(FileID, ShelfPlace)
    /// → ``FileReply/key(_:)``.
    case open(FileKeyClaim)
    /// → ``FileReply/slot(_:)``.
    case rewrap(FileKeyClaim, to: ShelfPlace)
    /// → ``FileReply/shelves(_:)``: a page of them; an empty one is the end.
    case shelves(after: ShelfID?)
    /// → ``FileReply/done``. One that other machines of the circle may have is deleted everywhere, or not at all.
    case deleteShelf(ShelfID, everywhere: Bool = false)

    private enum Code: UInt8 {
        case make = 1
        case open = 2
        case rewrap = 3
        case shelves = 4
        case deleteShelf = 5
        case deleteShelfEverywhere = 6
    }

    /// Appends the request to a message under construction.
    func append(to buffer: SecretBuffer) {
        switch self {
        case .make(let file, let place):
            buffer.append(Code.make.rawValue)
            buffer.append(file.bytes.span)
            place.append(to: buffer)
        case .open(let claim):
            buffer.append(Code.open.rawValue)
            claim.append(to: buffer)
        case .rewrap(let claim, let place):
            buffer.append(Code.rewrap.rawValue)
            claim.append(to: buffer)
            place.append(to: buffer)
        case .shelves(let last):
            buffer.append(Code.shelves.rawValue)
            let last = last ?? .zero
            buffer.append(last.bytes.span)
        case .deleteShelf(let shelf, let everywhere):
            buffer.append((everywhere ? Code.deleteShelfEverywhere : .deleteShelf).rawValue)
            buffer.append(shelf.bytes.span)
        }
    }

    /// Reads a request within a message.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    init(from reader: inout WireReader) throws(Refusal) {
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .make?:
            let file = try reader.fileID()
            self = .make(file, try ShelfPlace(from: &reader))
        case .open?: self = .open(try FileKeyClaim(from: &reader))
        case .rewrap?:
            let claim = try FileKeyClaim(from: &reader)
            self = .rewrap(claim, to: try ShelfPlace(from: &reader))
        case .shelves?:
            let last = try reader.shelfID()
            self = .shelves(after: last == .zero ? nil : last)
        case .deleteShelf?: self = .deleteShelf(try reader.shelfID())
        case .deleteShelfEverywhere?: self = .deleteShelf(try reader.shelfID(), everywhere: true)
        case nil: throw .malformed("the file request")
        }
    }
}

/// The claim of a file's header about its key, which nobody has vouched for.
package struct FileKeyClaim: Hashable, Sendable {
    package let file: FileID
    package let protection: FileProtection
    package let slot: FileSlot

    package init(file: FileID, protection: FileProtection, slot: FileSlot) {
        (self.file, self.protection, self.slot) = (file, protection, slot)
    }

    fileprivate func append(to buffer: SecretBuffer) {
        buffer.append(file.bytes.span)
        buffer.append(protection.rawValue)
        slot.append(to: buffer)
    }

    fileprivate init(from reader: inout WireReader) throws(Refusal) {
        let file = try reader.fileID()
        self.init(file: file, protection: try reader.protection(), slot: try FileSlot(from: &reader))
    }
}

/// Where a file's key is to be wrapped: the oldest shelf of this place, which is made where there is none.
package struct ShelfPlace: Hashable, Sendable {
    package var protection: FileProtection
    /// Its group may be empty: the one that the caller's items go into by default.
    package var binding: KeyBinding
    /// Empty for the default shelf.
    package var name: String

    /// The longest name of a shelf in bytes.
    package static let nameBytes = 255

    package init(_ protection: FileProtection, _ binding: KeyBinding, name: String = "") {
        (self.protection, self.binding, self.name) = (protection, binding, name)
    }

    fileprivate func append(to buffer: SecretBuffer) {
        buffer.append(protection.rawValue)
        binding.append(to: buffer)
        buffer.append(text: name)
    }

    fileprivate init(from reader: inout WireReader) throws(Refusal) {
        let protection = try reader.protection()
        self.init(protection, try KeyBinding(from: &reader), name: try reader.text())
        guard protection.accessibilities.contains(binding.accessibility) else {
            throw .malformed("the class of a file")
        }
        guard name.utf8.count <= Self.nameBytes else { throw .malformed("the name of a shelf") }
    }
}

/// A shelf as its programs see it:
///
///     shelf = id:16 made:i64 place                             ; made: seconds since 2001
package struct ShelfDescription: Hashable, Sendable {
    package let id: ShelfID
    package let place: ShelfPlace
    package let made: Int64

    package init(id: ShelfID, place: ShelfPlace, made: Int64) { (self.id, self.place, self.made) = (id, place, made) }

    func append(to buffer: SecretBuffer) {
        buffer.append(id.bytes.span)
        buffer.append(littleEndian: made)
        place.append(to: buffer)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        let id = try reader.shelfID()
        let made = try reader.integer(Int64.self)
        self.init(id: id, place: try ShelfPlace(from: &reader), made: made)
    }
}

/// The answer to a file request.
package enum FileReply: Sendable {
    case made(MadeFileKey)
    /// `key:32`.
    case key(SecretBytes)
    case slot(FileSlot)
    /// `count:u32 *shelf`.
    case shelves([ShelfDescription])
    case done

    func append(to buffer: SecretBuffer) {
        switch self {
        case .made(let made): made.append(to: buffer)
        case .key(let key): key.withSpan { buffer.append($0) }
        case .slot(let slot): slot.append(to: buffer)
        case .shelves(let shelves):
            buffer.append(littleEndian: UInt32(clamping: shelves.count))
            for shelf in shelves { shelf.append(to: buffer) }
        case .done: break
        }
    }

    init(to request: FileRequest, from reader: inout WireReader) throws(Refusal) {
        switch request {
        case .make: self = .made(try MadeFileKey(from: &reader))
        case .open: self = .key(try reader.secret(MadeFileKey.keyBytes))
        case .rewrap: self = .slot(try FileSlot(from: &reader))
        case .shelves:
            var shelves: [ShelfDescription] = []
            for _ in 0..<(try reader.integer(UInt32.self)) { shelves.append(try ShelfDescription(from: &reader)) }
            self = .shelves(shelves)
        case .deleteShelf: self = .done
        }
    }
}

extension WireReader {
    fileprivate mutating func protection() throws(Refusal) -> FileProtection {
        guard let protection = FileProtection(rawValue: try integer(UInt8.self)) else {
            throw .malformed("the class of a file")
        }
        return protection
    }
}
