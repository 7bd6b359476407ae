import LinuxSystem

extension String {
    /// What of a foreign text can stand in a line on a terminal.
    package var printable: String { ForeignText.shown(self) }
    /// The same between our quotation marks.
    var quoted: String { "\"\(ForeignText.shown(self, inQuotes: true))\"" }
}
