import KeychainClient
import KeychainModel

/// Many listed items in little memory: about 80 bytes for one with short names. No value is among them.
///
/// A row is never moved: its number stays the same until ``compacted()``. Values that many items share are kept once.
struct ItemTable {
    /// The part that the order and the counts look at; the rest of the item is in ``texts``.
    private struct Row {
        var created, changed: Double
        /// Where the record of the item begins.
        var start: UInt32
        var group, keychain: UInt32
        var kind: ListedItem.Kind
        var isASCII: Bool
        var isGone = false
    }

    private var rows: [Row] = []
    /// The records. Each has the number of what few items have, lengths and bytes of the reference and of the names.
    /// Names that are not ASCII stand there twice more: folded, and without accents.
    private var texts: [UInt8] = []
    private var groupNames = InternedValues<String>()
    private var keychains = InternedValues<ChosenKeychain>()
    private var rarities = InternedValues<Rarity>()
    /// How many rows are items.
    private(set) var count = 0

    /// Facts that many items have in common, though not all.
    private struct Rarity: Hashable {
        let itemClass: ItemClass
        let port: Int64?
        let accessControl: AccessControl?
        let accessibility: Accessibility?
        let expires: Double?
    }

    init() {}

    init(_ items: [ListedItem]) { for item in items { append(item) } }
}

/// Reading.
extension ItemTable {
    /// The numbers of all rows; some are no items any more.
    var numbers: Range<UInt32> { 0..<UInt32(rows.count) }

    /// The numbers of the items, in the order in which they came.
    var places: [UInt32] { numbers.filter { !rows[Int($0)].isGone } }

    func isGone(_ number: UInt32) -> Bool { rows[Int(number)].isGone }
    func kind(of number: UInt32) -> ListedItem.Kind { rows[Int(number)].kind }
    func created(_ number: UInt32) -> Double { rows[Int(number)].created }
    func changed(_ number: UInt32) -> Double { rows[Int(number)].changed }
    /// The number of the group in ``groups``.
    func group(of number: UInt32) -> Int { Int(rows[Int(number)].group) }
    func keychain(of number: UInt32) -> ChosenKeychain { keychains.value(of: rows[Int(number)].keychain) }

    /// The groups that items have or had.
    var groups: [String] { groupNames.all }

    /// The item of a row.
    subscript(number: UInt32) -> ListedItem {
        let (row, record) = (rows[Int(number)], record(of: number))
        let rarity = rarities.value(of: record.rarity)
        return ListedItem(
            itemClass: rarity.itemClass, kind: row.kind, name: text(record.names.name),
            account: text(record.names.account),
            label: text(record.names.label), group: groupNames.value(of: row.group),
            dates: (row.created.moment, row.changed.moment, rarity.expires), port: rarity.port,
            protection: (rarity.accessControl, rarity.accessibility),
            reference: Array(texts[record.reference]), keychain: keychains.value(of: row.keychain))
    }

    /// The rows of a keychain's items with these lasting names.
    func numbers(of references: Set<[UInt8]>, in keychain: ChosenKeychain) -> [UInt32] {
        let ends = Set(references.compactMap(\.last))
        return places.filter { number in
            let range = record(of: number).reference
            guard let last = texts[range].last, ends.contains(last) else { return false }
            return references.contains(Array(texts[range])) && self.keychain(of: number) == keychain
        }
    }

    /// The row as words and filters look at it.
    func searched(_ number: UInt32) -> some SearchedItem {
        let (row, record) = (rows[Int(number)], record(of: number))
        return TableRow(
            texts: texts, folded: record.folded, plain: record.plain, kind: row.kind, changed: row.changed.moment,
            expires: rarities.value(of: record.rarity).expires)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: texts[range], as: UTF8.self) }

    /// A row without the table: each of the table's parts would be counted for each row.
    private struct TableRow: SearchedItem {
        let texts: [UInt8]
        let folded, plain: Names
        let kind: ListedItem.Kind
        let changed, expires: Double?

        func has(_ text: SearchText, as extent: SearchExtent, of field: SearchedField) -> Bool {
            let names = extent == .whole ? folded : plain
            guard field == .names else { return has(text, as: extent, at: names.account) }
            if has(text, as: extent, at: names.name) { return true }
            // Most labels are the name, and an item without a label has none to be found by.
            let isElsewhere = names.label != names.name && !names.label.isEmpty
            return isElsewhere && has(text, as: extent, at: names.label)
        }

        private func has(_ text: SearchText, as extent: SearchExtent, at range: Range<Int>) -> Bool {
            extent == .whole ? text.isWhole(texts, range) : text.isPart(of: texts, range)
        }
    }
}

/// The records.
extension ItemTable {
    /// Where the parts of a record are.
    private struct Record {
        let rarity: UInt32
        let reference: Range<Int>
        let names, folded, plain: Names
    }

    /// Where the names of an item are.
    private struct Names {
        var name, account, label: Range<Int>
    }

    private func record(of number: UInt32) -> Record {
        var place = Int(rows[Int(number)].start)
        let rarity = integer(&place)
        let (reference, name, account) = (part(&place), part(&place), part(&place))
        // A label that is the name is not kept twice.
        let names = Names(name: name, account: account, label: part(&place, orSameAs: name))
        guard !rows[Int(number)].isASCII else {
            return Record(rarity: rarity, reference: reference, names: names, folded: names, plain: names)
        }
        let folded = self.names(&place, orSameAs: names)
        let plain = self.names(&place, orSameAs: folded)
        return Record(rarity: rarity, reference: reference, names: names, folded: folded, plain: plain)
    }

    private func names(_ place: inout Int, orSameAs other: Names) -> Names {
        Names(
            name: part(&place, orSameAs: other.name), account: part(&place, orSameAs: other.account),
            label: part(&place, orSameAs: other.label))
    }

    /// The range of the folded name, for the order. It may have ASCII capitals.
    func name(of number: UInt32) -> Range<Int> { record(of: number).folded.name }
    func account(of number: UInt32) -> Range<Int> { record(of: number).folded.account }
    func sortKey(of text: Range<Int>, from offset: Int) -> UInt64 { texts.sortKey(of: text, from: offset) }

    /// Whether one text comes before another in the order of folded bytes; nil when they are equal.
    func isBefore(_ left: Range<Int>, _ right: Range<Int>) -> Bool? {
        for (left, right) in zip(left, right) where texts[left].folded != texts[right].folded {
            return texts[left].folded < texts[right].folded
        }
        return left.count == right.count ? nil : left.count < right.count
    }

    /// In place of a length: the text is that of another part.
    private static let same: UInt8 = 0xFF
    /// In place of a length: four bytes of it follow.
    private static let long: UInt8 = 0xFE

    private func part(_ place: inout Int) -> Range<Int> {
        var count = Int(texts[place])
        place += 1
        if count == Int(Self.long) { count = Int(integer(&place)) }
        defer { place += count }
        return place..<place + count
    }

    private func part(_ place: inout Int, orSameAs other: Range<Int>) -> Range<Int> {
        guard texts[place] == Self.same else { return part(&place) }
        place += 1
        return other
    }

    private mutating func append(part: some Collection<UInt8>) {
        if part.count < Int(Self.long) {
            texts.append(UInt8(part.count))
        } else {
            texts.append(Self.long)
            append(integer: UInt32(part.count))
        }
        texts.append(contentsOf: part)
    }

    private mutating func append(part: some Collection<UInt8>, orSameAs other: some Collection<UInt8>) {
        if part.elementsEqual(other) { texts.append(Self.same) } else { append(part: part) }
    }

    private func integer(_ place: inout Int) -> UInt32 {
        defer { place += 4 }
        let bytes = (texts[place], texts[place + 1], texts[place + 2], texts[place + 3])
        let low = UInt32(bytes.0) | UInt32(bytes.1) << 8
        return low | UInt32(bytes.2) << 16 | UInt32(bytes.3) << 24
    }

    private mutating func append(integer: UInt32) {
        for shift: UInt32 in [0, 8, 16, 24] { texts.append(UInt8(truncatingIfNeeded: integer >> shift)) }
    }
}

/// Changes.
extension ItemTable {
    /// Adds an item.
    ///
    /// - Returns: its number.
    @discardableResult
    mutating func append(_ item: ListedItem) -> UInt32 {
        let rarity = Rarity(
            itemClass: item.itemClass, port: item.port, accessControl: item.accessControl,
            accessibility: item.accessibility, expires: item.expires)
        rows.append(
            Row(
                created: item.created ?? -.infinity, changed: item.changed ?? -.infinity, start: UInt32(texts.count),
                group: groupNames.number(of: item.group), keychain: keychains.number(of: item.keychain),
                kind: item.kind, isASCII: item.isASCII))
        append(integer: rarities.number(of: rarity))
        append(part: item.reference)
        append(part: item.name.utf8)
        append(part: item.account.utf8)
        append(part: item.label.utf8, orSameAs: item.name.utf8)
        if !item.isASCII {
            let names = [item.name, item.account, item.label]
            for text in names { append(part: SearchText.folded(text), orSameAs: text.utf8) }
            for text in names { append(part: SearchText.plain(text), orSameAs: SearchText.folded(text)) }
        }
        count += 1
        return UInt32(rows.count - 1)
    }

    /// Removes an item.
    mutating func remove(_ number: UInt32) {
        guard !rows[Int(number)].isGone else { return }
        rows[Int(number)].isGone = true
        count -= 1
    }

    /// Whether more rows are gone than are items.
    var isSparse: Bool { rows.count > 2 * count + 1024 }

    /// The same items without the rows that are gone; their numbers are new.
    func compacted() -> ItemTable {
        var table = ItemTable()
        for number in places { table.append(self[number]) }
        return table
    }
}

extension ListedItem {
    fileprivate var isASCII: Bool {
        [name, account, label].allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
    }
}

extension Double {
    /// Seconds since 2001; nil for the value that stands for none.
    fileprivate var moment: Double? { self == -.infinity ? nil : self }
}
