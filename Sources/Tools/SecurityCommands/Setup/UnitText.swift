/// Texts of unit files.
enum UnitText {
    /// The program of a unit (systemd.service(5), "Command lines"). Variables are not replaced in it.
    static func quoted(_ word: String) -> String {
        let escapes: [Unicode.Scalar: String] = [
            "\\": "\\\\", "\"": "\\\"", "%": "%%", "\n": "\\n", "\r": "\\r", "\t": "\\t",
        ]
        return "\"" + word.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "\""
    }
}
