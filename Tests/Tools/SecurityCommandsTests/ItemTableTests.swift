import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("The table of many items") struct ItemTableTests {
    /// A generic password as a list has it.
    static func item(
        _ name: String, _ account: String = "ann", label: String? = nil, group: String = "g", changed: Double = 0,
        expires: Double? = nil, of itemClass: ItemClass = .genericPassword, number: UInt8 = 1,
        isDeleted: Bool = false, ended: Double? = nil, in keychain: ChosenKeychain = .login
    ) throws -> ListedItem {
        let writer = ResponseWriter()
        writer.begin(id: 1)
        writer.beginItem(itemClass)
        writer.buffer.append(.service, .string(name))
        writer.buffer.append(.account, .string(account))
        writer.buffer.append(.accessGroup, .string(group))
        if let label { writer.buffer.append(.label, .string(label)) }
        if let expires { writer.buffer.append(.endDate, .date(expires)) }
        if changed > 0 { writer.buffer.append(.modificationDate, .date(changed)) }
        if let ended { writer.buffer.append(.versionEnded, .date(ended)) }
        writer.buffer.append(.persistentReference, .data(Array("genp".utf8) + [UInt8](repeating: number, count: 16)))
        writer.endItem()
        writer.end(cursor: 0)
        let response = try ItemResponse(status: 0, body: writer.buffer.copy(from: FrameHeader.size))
        return ListedItem(try #require(response.items.first), in: keychain, isDeleted: isDeleted)
    }

    private static func everything(of item: ListedItem) -> [String] {
        [item.name, item.account, item.label, item.group, "\(item.kind)", "\(item.itemClass)", "\(item.reference)"]
            + [item.created, item.changed, item.expires].map { $0.map { "\($0)" } ?? "none" }
            + ["\(item.port ?? -1)", "\(String(describing: item.accessibility))", "\(item.keychain)"]
    }

    @Test(
        "An item comes out as it went in, whatever its names",
        arguments: [
            ("", "", nil), ("deploy", "ci", "deploy"), ("部门", "张三", "x"), ("a", "b", ""),
            (
                String(repeating: "x", count: 253), String(repeating: "y", count: 254),
                String(repeating: "z", count: 255)
            ),
            (String(repeating: "部", count: 30_000), "", nil),
        ])
    func roundTrip(name: String, account: String, label: String?) throws {
        let item = try Self.item(name, account, label: label, changed: 12.25)
        let table = ItemTable([try Self.item("before"), item, try Self.item("after")])
        #expect(Self.everything(of: table[1]) == Self.everything(of: item))
        #expect(table[0].name == "before" && table[2].name == "after" && table.count == 3)
    }

    @Test("An order is that of the bytes of the folded name, then of the account, then of the coming")
    func names() throws {
        let names = [
            ("b", "1"), ("A", "2"), ("a", "1"), ("É", ""), ("e\u{301}", "x"), ("Ａ", "0"), ("", "9"), ("a", "1"),
            ("a\0", ""), ("é", "2"), ("abcdefgh", "1"), ("ABCDEFG", "1"), ("abcdefg", ""), ("部", ""),
        ]
        let table = ItemTable(try names.map { try Self.item($0, $1) })
        let sorted = table.sorted(by: .name).map { "\(table[$0].name)/\(table[$0].account)" }
        #expect(
            sorted == [
                "/9", "Ａ/0", "a/1", "a/1", "A/2", "a\0/", "abcdefg/", "ABCDEFG/1", "abcdefgh/1", "b/1",
                "É/", "é/2", "e\u{301}/x", "部/",
            ])
        #expect(table.sorted(by: .name)[2...3] == [2, 7])
    }

    @Test("Long names that differ late are sorted as their bytes are")
    func longNames() throws {
        var random = SplitMix64(seed: 11)
        let names = (0..<400).map { _ in
            String(
                (0..<Int.random(in: 0..<40, using: &random)).map { _ in "aAbé".randomElement(using: &random) ?? "a" })
        }
        let table = ItemTable(try names.map { try Self.item($0, "") })
        let sorted = table.sorted(by: .name).map { names[Int($0)] }
        let wanted = names.enumerated().sorted { left, right in
            let texts = [left.element, right.element].map { SearchText($0).bytes }
            return texts[0] == texts[1] ? left.offset < right.offset : texts[0].lexicographicallyPrecedes(texts[1])
        }
        #expect(sorted == wanted.map(\.element))
    }

    @Test("Every order sorts as one would by hand", arguments: ItemOrder.allCases)
    func orders(order: ItemOrder) throws {
        let items = try (0..<300).map { number in
            try Self.item(
                "n\((number * 7919) % 101)", "a\(number % 7)", group: "g\(number % 5)",
                changed: Double((number * 31) % 17) + 1)
        }
        let table = ItemTable(items)
        let sorted = table.sorted(by: order).map { (item: table[$0], number: $0) }
        #expect(sorted.count == items.count)
        for (left, right) in zip(sorted, sorted.dropFirst()) {
            let keys = [left, right].map { Self.key(of: $0.item, order) }
            let ties = [left, right].map { ($0.item.name, $0.item.account, $0.number) }
            #expect(keys[0] < keys[1] || keys[0] == keys[1] && ties[0] < ties[1])
        }
    }

    private static func key(of item: ListedItem, _ order: ItemOrder) -> String {
        switch order {
        case .name: ""
        case .kind: item.kind.rawValue
        case .account: item.account
        case .group: item.group
        // The newest first.
        case .changed: String(1000 - Int(item.changed ?? 0))
        case .created: String(1000 - Int(item.created ?? 0))
        }
    }

    @Test(
        "A row is found by the words by which its item is found",
        arguments: [
            "", "dep", "DEP", "deploy", "deploy/ci", "ci", "部", "Ｄ", "x/ci", "label", "é", "É", "e", "strasé", "Σας",
            "क",
        ])
    func searches(word: String) throws {
        let items = [
            try Self.item("Deploy", "ci"), try Self.item("部门", "ci"), try Self.item("x", "Ci", label: "LABEL"),
            try Self.item("E\u{301}", ""), try Self.item("", ""), try Self.item("ΣΑΣ", "É", label: "ΣΑΣ"),
            try Self.item("कि", "Straße", label: "é"),
        ]
        let (table, wanted) = (ItemTable(items), ItemWord(word))
        for (number, item) in items.enumerated() {
            let row = table.searched(UInt32(number))
            #expect(wanted.isPart(of: row) == wanted.isPart(of: item), "\(item.name)")
            #expect(wanted.isName(of: row) == wanted.isName(of: item), "\(item.name)")
        }
    }

    @Test(
        "A text is found by a part of it, whatever its letters are made of",
        arguments: [
            ("कि", "क", true), ("github\u{301}", "github", true), ("İstanbul", "istanbul", true),
            ("ISTANBUL", "İst", true),
            ("ΟΔΟΣ", "οδος", true), ("οδός", "ΟΔΌΣ", true), ("e\u{301}", "é", true), ("é", "E\u{301}", true),
            ("é", "e", true), ("Café", "cafe", true), ("cafe", "CAFÉ", true), ("Tiếng Việt", "tieng viet", true),
            ("が", "か", false), ("क", "कि", false), ("Ａｄｍｉｎ", "admin", true), ("straße", "strasse", false),
            ("STRAẞE", "straße", true), ("가나", "나", true),
            ("👩‍💻 work", "💻", true), ("", "", true), ("", "a", false), ("ab", "abc", false),
        ])
    func folding(text: String, part: String, isFound: Bool) {
        #expect(SearchText(text).contains(SearchText(part)) == isFound)
    }

    @Test("Names of very many letters are searched and sorted")
    func longForeignNames() throws {
        let long = String(repeating: "部", count: full(60_000, gate: 10_000))
        let table = ItemTable(try (0..<30).map { try Self.item(long + "\($0 % 7)É", long, number: UInt8($0)) })
        let word = ItemWord("6é")
        #expect(table.numbers.filter { word.isPart(of: table.searched($0)) } == table.numbers.filter { $0 % 7 == 6 })
        #expect(table.sorted(by: .name).map { $0 % 7 } == table.numbers.map { $0 % 7 }.sorted())
    }

    @Test("A sorted table stays sorted when items come, change and go")
    func changes() throws {
        var (sorted, random) = (SortedTable(), SplitMix64(seed: 5))
        var model: [UInt8: String] = [:]
        for _ in 0..<3000 {
            let number = UInt8.random(in: 0..<40, using: &random)
            let name = Bool.random(using: &random) ? "n\(Int.random(in: 0..<99, using: &random))" : nil
            let gone = sorted.table.numbers(of: [try Self.item("", number: number).reference], in: .login)
            #expect(gone.count == (model[number] == nil ? 0 : 1))
            sorted.replace(gone, with: try name.map { [try Self.item($0, number: number)] } ?? [])
            model[number] = name
            let names = sorted.numbers(by: .name).map { sorted.table[$0].name }
            #expect(names == model.values.sorted() && sorted.table.count == model.count)
        }
        // Rows of items that are gone take no memory for ever.
        #expect(sorted.table.numbers.count < 2 * model.count + 1100)
    }

    @Test("A change takes and gives the selection and the counts")
    func selection() throws {
        var catalog = ItemCatalog(own: OwnGroups(groups: ["g"], program: "security"))
        let items = try ["a", "b", "c"].enumerated().map { try Self.item($1, number: UInt8($0)) }
        catalog.replace(items: ItemTable(items))
        catalog.select(1)
        let before = try Self.item("0", number: 9)
        catalog.replace([items[0].reference], in: .login, with: [before])
        #expect(catalog.selected?.name == "b" && catalog.shown.map(\.name) == ["0", "b", "c"])
        catalog.replace([items[1].reference], in: .login, with: [try Self.item("zz", number: 1)])
        #expect(catalog.selected?.name == "zz" && catalog.place == 2)
        catalog.replace([items[1].reference], in: .login, with: [])
        #expect(catalog.selected?.name == "c" && catalog.count(of: nil) == 2)
        // Another keychain's item may have the same name.
        let name = try #require(NamedKeychain.Identifier("00000000-0000-4000-8000-000000000000"))
        let elsewhere = ChosenKeychain.named(NamedKeychain(name, path: "/x"))
        catalog.replace([items[2].reference], in: elsewhere, with: [])
        #expect(catalog.count(of: nil) == 2)
    }
}
