import TerminalScreen

/// The keys of forms and questions.
extension Browser {
    mutating func takeForm(_ form: EditForm, _ event: InputEvent) -> [Effect] {
        var form = form
        guard form.isFilled || event == .key(.escape) else { return [] }
        switch event {
        case .key(.escape) where form.isChanged && !form.isLeaving:
            form.isLeaving = true
            note = "Escape again gives up what was typed; Ctrl-S saves it."
            layers[layers.count - 1] = .form(form)
        case .key(.escape):
            layers.removeLast()
            if form.isChanged { note = "Nothing was saved." }
        case .key(.control("s")): return save(form)
        default:
            form.isLeaving = false
            form.take(event: event)
            layers[layers.count - 1] = .form(form)
        }
        return []
    }

    private mutating func save(_ form: EditForm) -> [Effect] {
        guard form.isChanged else {
            note = "Nothing was changed."
            return []
        }
        return [.save(form, overwrites: false)]
    }

    mutating func takeQuestion(_ question: BrowseQuestion, _ event: InputEvent) -> [Effect] {
        guard case .key(let key) = event else { return [] }
        layers.removeLast()
        // A screen that is too small does not have the question.
        guard key == .character(question.key), size.isEnough else {
            note = "Nothing was changed."
            return []
        }
        switch question.act {
        case .delete: return [.delete(question.item)]
        case .purge: return [.purge(question.item)]
        case .overwrite(let form): return [.save(form, overwrites: true)]
        case .replace(let path): return [.export(question.item, path, replaces: true)]
        case .revert(let change): return [.revert(question.item, change.moment)]
        }
    }
}

/// The keys of the dialog that asks for the name of a file.
extension Browser {
    mutating func takeExport(_ mark: ItemMark, _ field: TextField, _ event: InputEvent) -> [Effect] {
        var field = field
        switch event {
        case .key(.escape):
            layers.removeLast()
            note = "Nothing was written."
        case .key(.enter) where field.text.isEmpty: note = "The file needs a name."
        case .key(.enter) where !size.isEnough: break
        case .key(.enter): return [.export(mark, field.text, replaces: false)]
        default:
            guard field.take(event: event) else { return [] }
            layers[layers.count - 1] = .export(mark, field)
        }
        return []
    }

    /// Whether the name of a file is being typed.
    var isNamingFile: Bool { if case .export? = layers.last { true } else { false } }
}
