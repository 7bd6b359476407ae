/// The sandboxes whose applications have names.
package enum SandboxKind: String, Hashable, Sendable, CaseIterable {
    case flatpak
    case snap
}
