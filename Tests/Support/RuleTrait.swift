package import Testing

/// The rules of `docs/specification` that a test proves. `Tests/Tidy` holds the names against the chapters.
package struct RuleTrait: TestTrait, SuiteTrait {
    package let names: [String]
}

extension Trait where Self == RuleTrait {
    /// - Parameter names: what the test proves, as `items.add.result`.
    package static func rule(_ names: String...) -> Self { Self(names: names) }
}
