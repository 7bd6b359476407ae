import KeychainModel
import LinuxSystem

/// Since version 5 of the store every row has a code under the index key that covers all its columns.
///
///     code = HMAC-SHA256(index key, "rc" class:u8 *(length:u8 name kind:u8 length:u32 bytes))[0 ..< 16]
///     kind = 1 an integer of eight bytes, 2 bytes, 3 anything else
///
/// The columns stand in the order of their names. A column that is NULL is left out, so that a column that is added
/// later, and NULL in old rows, needs no new code. `id` is left out too, because it is given when the row is there: the
/// row's name is its `uuid`. A row with another code was not written by this keychain. Its writer could have searches
/// find what they did not ask for.
enum RowCodes {
    static let column = "code"
    static let size = 16

    /// A covered column and where a statement has it, counted from the row's first column.
    struct Column {
        let name: [UInt8]
        let index: Int32
    }

    /// All columns of a class's table but the code, in the order in which statements give them.
    static func columnNames(of itemClass: ItemClass) -> [String] { names[Int(itemClass.rawValue) - 1] }

    /// The covered columns in the order of their names.
    static func covered(of itemClass: ItemClass) -> [Column] { columns[Int(itemClass.rawValue) - 1] }

    /// Where the code is.
    static func index(of itemClass: ItemClass) -> Int32 { Int32(columnNames(of: itemClass).count) }

    /// How many columns a statement has of a row.
    static func width(of itemClass: ItemClass) -> Int32 { index(of: itemClass) + 1 }

    private static let names = ItemClass.allCases.map { itemClass in
        Schema.sealedColumnNames + Schema.digestColumns(of: itemClass).map(\.code) + [Ownership.column]
    }

    private static let columns = names.map(covering)

    /// The input of a code over columns that a statement gives in this order.
    static func covering(_ names: [String]) -> [Column] {
        names.enumerated().filter { $0.element != "id" }.sorted { $0.element < $1.element }
            .map { Column(name: Array($0.element.utf8), index: Int32($0.offset)) }
    }
}
