import EmbeddedKeychain
import EnclaveWire
import Glibc
import KeychainClient
import KeychainModel
import KeychainPolicy
import SecureEnclave
import Security
import TPMEnclave

private func setting(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// Opens the keychain in a folder as this program, or as the one that the test names.
func openKeychain(in folder: String) throws(Refusal) -> EmbeddedKeychain {
    let caller = setting("PLAYER_GROUP").map {
        CallerIdentity(user: getuid(), process: getpid(), program: "player", groups: [$0])
    }
    guard let chip = setting("PLAYER_TPM") else { return try EmbeddedKeychain(folder: folder, caller: caller) }
    return try EmbeddedKeychain(folder: folder, caller: caller) { () throws(Refusal) in
        let vault = "\(folder)/vault"
        return try SoftwareEnclave(
            vault: vault, createIfMissing: access(vault, F_OK) != 0, passcodeCost: .cheapest,
            roots: DeviceRoots(tpm: .success(TPMDeviceRoot(TPM(chip)))), preferring: .software)
    }
}

/// Directs all calls to the keychain that the test names, as the program that it names.
func takePlace() {
    guard setting("PLAYER_GROUP") ?? setting("PLAYER_TPM") != nil, let folder = setting("KEYCHAIN_HOME") else { return }
    do throws(Refusal) { KeychainSession.install(try openKeychain(in: folder)) } catch {
        note("E \(getpid()) 0 0 \(error.status.rawValue) \(error.rule.rawValue) ")
        exit(4)
    }
}
