import CPAM
import Glibc
package import LinuxSystem

/// The password of the user's login, as PAM verifies it for the user whose process this is.
///
/// Without privileges `pam_unix` can verify one's own password and nobody else's, through `unix_chkpwd`. Only
/// authentication is asked for: whether the account may log in at this hour is not the question.
package enum LoginPassword {
    package enum Verdict: Sendable {
        case matched
        case noMatch
        /// PAM could not decide: a service or a module is missing, or cannot reach the resources it needs.
        case unavailable
        /// The person gave no answer.
        case abandoned
    }

    /// Verifies a login password, which PAM asks for through `conversation`. Blocks as long as the service's modules
    /// do.
    ///
    /// - Parameters:
    ///   - user: the name of the login.
    ///   - service: the name of a file in `/etc/pam.d`.
    ///   - ask: called for every secret; with what PAM says about it. Nil ends the conversation.
    package static func verify(
        user: String, service: String, ask: @escaping (String) -> SecretBytes?
    ) -> Verdict {
        let conversation = PAMConversation(ask)
        let result = unsafe conversation.withPointer { pointer in
            var functions = unsafe pam_conv(conv: converse, appdata_ptr: pointer)
            var handle: OpaquePointer?
            guard unsafe pam_start(service, user, &functions, &handle) == PAM_SUCCESS, let handle = unsafe handle
            else { return PAM_ABORT }
            let result = unsafe pam_authenticate(handle, CInt(PAM_DISALLOW_NULL_AUTHTOK))
            unsafe pam_end(handle, result)
            return result
        }
        return conversation.isAbandoned ? .abandoned : verdict(result)
    }

    private static func verdict(_ result: CInt) -> Verdict {
        switch result {
        case PAM_SUCCESS: .matched
        case PAM_AUTH_ERR, PAM_USER_UNKNOWN, PAM_MAXTRIES, PAM_PERM_DENIED, PAM_CRED_INSUFFICIENT: .noMatch
        default: .unavailable
        }
    }

    /// The name of this process's user; nil when the user's number has none.
    package static var user: String? {
        guard let entry = unsafe getpwuid(getuid()) else { return nil }
        return unsafe String(cString: entry.pointee.pw_name)
    }

    /// The first of the services `keychain` and `login` that the system has; nil when it has neither.
    package static var usualService: String? {
        ["keychain", "login"].first { service in
            ["/etc/pam.d/", "/usr/lib/pam.d/"].contains { (try? FileStatus(at: $0 + service)) != nil }
        }
    }
}

/// The answers to PAM's modules while one call lasts. Belongs to the thread of the call.
private final class PAMConversation {
    private let ask: (String) -> SecretBytes?
    private(set) var isAbandoned = false

    init(_ ask: @escaping (String) -> SecretBytes?) { self.ask = ask }

    func withPointer<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
        withExtendedLifetime(self) { unsafe body(Unmanaged.passUnretained(self).toOpaque()) }
    }

    /// A copy that PAM wipes and frees; nil ends the conversation.
    func answer(to prompt: String) -> UnsafeMutablePointer<CChar>? {
        // PAM's passwords end with the first zero.
        guard let secret = ask(prompt), secret.withSpan({ span in span.indices.allSatisfy { span[$0] != 0 } }) else {
            isAbandoned = true
            return nil
        }
        let size = secret.count + 1
        guard let copy = unsafe calloc(1, size) else { return nil }
        secret.withSpan { span in
            for index in span.indices { unsafe copy.storeBytes(of: span[index], toByteOffset: index, as: UInt8.self) }
        }
        return unsafe copy.bindMemory(to: CChar.self, capacity: size)
    }
}

/// The most questions one call may have: that of PAM's own library.
private let mostMessages: CInt = 32

/// PAM's conversation function: answers every question for a secret, lets information pass.
private func converse(
    _ count: CInt, _ messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
    _ responses: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?, _ context: UnsafeMutableRawPointer?
) -> CInt {
    guard let messages = unsafe messages, let responses = unsafe responses, let context = unsafe context,
        (1...mostMessages).contains(count),
        let answers = unsafe calloc(Int(count), MemoryLayout<pam_response>.stride)?
            .bindMemory(to: pam_response.self, capacity: Int(count))
    else { return PAM_CONV_ERR }
    let conversation = unsafe Unmanaged<PAMConversation>.fromOpaque(context).takeUnretainedValue()
    for index in 0..<Int(count) {
        guard let message = unsafe messages[index]?.pointee else { continue }
        guard [PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON].contains(unsafe message.msg_style) else { continue }
        let prompt = unsafe message.msg.map { unsafe String(cString: $0) } ?? ""
        unsafe answers[index].resp = conversation.answer(to: prompt)
        if unsafe answers[index].resp == nil {
            unsafe release(answers, index)
            return PAM_CONV_ERR
        }
    }
    unsafe responses.pointee = unsafe answers
    return PAM_SUCCESS
}

/// Wipes and frees the answers that PAM does not get.
private func release(_ answers: UnsafeMutablePointer<pam_response>, _ count: Int) {
    for index in 0..<count {
        guard let text = unsafe answers[index].resp else { continue }
        unsafe explicit_bzero(text, strlen(text))
        unsafe free(text)
    }
    unsafe free(answers)
}
