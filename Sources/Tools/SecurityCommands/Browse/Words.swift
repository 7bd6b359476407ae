typealias Words = String
extension Session { func text(_ words: Words) -> String { words } }
