import LinuxSystem
import Systemd

/// The program to which programs of the desktop give their secrets now.
package enum NameOwner {
    private static let daemon = BusObject("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")

    /// The executable of the process that has the service's name on a bus; nil where no process has it. Nothing is
    /// started. A process that hides its executable, as the bridge does from other programs where the system service
    /// may look at it, is believed what it says in its command line: the answer informs, and decides nothing.
    ///
    /// - Throws: ``BusError`` when there is no such bus; `SystemError` for a process that cannot be looked at.
    package static func executable(onBus address: String) throws -> String? {
        guard let number = try process(on: SystemBus(session: address)) else { return nil }
        let view = ProcessView(number)
        return try (try? view.executable().path) ?? view.commandLine().first ?? "process \(number)"
    }

    private static func process(on bus: SystemBus) throws(BusError) -> CInt? {
        do throws(BusError) {
            let reply = try bus.call(daemon, "GetConnectionUnixProcessID", [.text(BridgeProgram.name)])
            return CInt(exactly: try reply.readNumber())
        } catch {
            guard error.name == "org.freedesktop.DBus.Error.NameHasNoOwner" else { throw error }
            return nil
        }
    }
}
