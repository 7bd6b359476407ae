import KeychainClient
import TerminalText

/// The page of an item's changes.
extension Painter {
    mutating func drawHistory(_ detail: ItemDetail, _ area: Area) {
        guard let history = detail.history, !history.isEmpty else {
            let text = say(detail.history == nil ? "reading …" : "There is no earlier version.")
            put(text, area.row, area.column + 2, room: area.columns - 3)
            return
        }
        let lines = history.enumerated().flatMap { place, change in
            self.lines(of: change, area.columns - 6).enumerated().map { index, text in
                (text: text, place: place, isFirst: index == 0)
            }
        }
        // The selected change is in sight, as much of it as there is room for.
        let first = lines.firstIndex { $0.place == detail.version } ?? 0
        let end = (lines.lastIndex { $0.place == detail.version } ?? 0) + 1
        let start = max(0, min(first, end - area.rows))
        for (index, line) in lines.dropFirst(start).prefix(max(0, area.rows)).enumerated() {
            let (row, isHere) = (area.row + index, line.place == detail.version)
            if isHere, line.isFirst {
                put(">", row, area.column + 1)
                picture.cursor = (row, area.column + 1)
            }
            put(line.text, row, area.column + (line.isFirst ? 2 : 4), room: area.columns - 5)
        }
    }

    /// The moment and what was changed, each attribute that was, and by which program.
    private func lines(of change: HistoryEntry, _ room: Int) -> [String] {
        let moment = say(ItemDate(seconds: change.time).long(now: now))
        let names = change.fields.map { say($0.label) }.joined(separator: ", ")
        let what =
            change.isDeletion ? say("deleted") : say("changed: \(names.isEmpty ? say("the value alone") : names)")
        let fields = change.fields.map { field in
            let texts = [field.before, field.after].map { $0.isEmpty ? say("none") : $0 }
            return "\(say(field.label)): \(texts[0]) → \(texts[1])"
        }
        let program = change.program.map { [say("by \(DisplayName.shown($0))")] } ?? []
        return wrapped("\(moment)  \(what)", room) + (fields + program).flatMap { wrapped($0, room) }
    }
}
