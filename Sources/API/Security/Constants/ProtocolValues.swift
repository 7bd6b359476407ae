// Values of `kSecAttrProtocol`: four characters, so three-letter names end in a blank.

// MARK: - Protocols

/// FTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTP: CFString = "ftp "
/// An account on an FTP server, on the client's side.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPAccount: CFString = "ftpa"
/// FTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPS: CFString = "ftps"
/// A proxy for FTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPProxy: CFString = "ftpx"
/// HTTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTP: CFString = "http"
/// HTTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPS: CFString = "htps"
/// A proxy for HTTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPProxy: CFString = "htpx"
/// A proxy for HTTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPSProxy: CFString = "htsx"
/// IRC.
@safe nonisolated(unsafe) public let kSecAttrProtocolIRC: CFString = "irc "
/// IRC over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolIRCS: CFString = "ircs"
/// NNTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolNNTP: CFString = "nntp"
/// NNTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolNNTPS: CFString = "ntps"
/// POP3.
@safe nonisolated(unsafe) public let kSecAttrProtocolPOP3: CFString = "pop3"
/// POP3 over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolPOP3S: CFString = "pops"
/// SMTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolSMTP: CFString = "smtp"
/// IMAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolIMAP: CFString = "imap"
/// IMAP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolIMAPS: CFString = "imps"
/// LDAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolLDAP: CFString = "ldap"
/// LDAP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolLDAPS: CFString = "ldps"
/// Telnet.
@safe nonisolated(unsafe) public let kSecAttrProtocolTelnet: CFString = "teln"
/// Telnet over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolTelnetS: CFString = "tels"
/// SSH.
@safe nonisolated(unsafe) public let kSecAttrProtocolSSH: CFString = "ssh "
/// A SOCKS proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolSOCKS: CFString = "sox "
/// SMB.
@safe nonisolated(unsafe) public let kSecAttrProtocolSMB: CFString = "smb "
/// AFP over TCP.
@safe nonisolated(unsafe) public let kSecAttrProtocolAFP: CFString = "afp "
/// AFP over AppleTalk.
@safe nonisolated(unsafe) public let kSecAttrProtocolAppleTalk: CFString = "atlk"
/// RTSP.
@safe nonisolated(unsafe) public let kSecAttrProtocolRTSP: CFString = "rtsp"
/// A proxy for RTSP.
@safe nonisolated(unsafe) public let kSecAttrProtocolRTSPProxy: CFString = "rtsx"
/// DAAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolDAAP: CFString = "daap"
/// Remote Apple events.
@safe nonisolated(unsafe) public let kSecAttrProtocolEPPC: CFString = "eppc"
/// IPP.
@safe nonisolated(unsafe) public let kSecAttrProtocolIPP: CFString = "ipp "

// MARK: - Authentication schemes, values of `kSecAttrAuthenticationType`

/// The scheme the protocol uses when nothing else is agreed.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
/// HTTP basic authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"
/// HTTP digest authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"
/// A form on a web page.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"
/// NT LAN Manager.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"
/// Microsoft Network.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeMSN: CFString = "msna"
/// Distributed password authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"
/// Remote password authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"
