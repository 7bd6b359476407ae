/// Rows and columns of a terminal.
struct ScreenSize: Equatable {
    let rows, columns: Int

    /// The least that is drawn on.
    static let least = ScreenSize(rows: 10, columns: 40)
    var isEnough: Bool { rows >= Self.least.rows && columns >= Self.least.columns }
    var hasSidebar: Bool { columns >= 60 }
    /// Whether list and detail stand side by side.
    var isWide: Bool { columns >= 120 }
}
