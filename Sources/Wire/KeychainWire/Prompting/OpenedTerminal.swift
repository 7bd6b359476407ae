package import LinuxSystem

/// A terminal on its way from the program that needs its user to the agent that prompts. No process in between reads or
/// writes.
package struct OpenedTerminal: Hashable, Sendable {
    package let device: FileDescriptor

    package init(_ device: FileDescriptor) { self.device = device }

    package static func == (left: Self, right: Self) -> Bool { left.device === right.device }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(device)) }
}
