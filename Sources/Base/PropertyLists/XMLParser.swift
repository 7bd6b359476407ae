import CExpat

/// Receives the parts of a document. A returned text ends the reading and is the reason.
protocol XMLListener: AnyObject {
    func begin(_ element: String) -> String?
    func end(_ element: String) -> String?
    func characters(_ text: Span<UInt8>) -> String?
}

/// Expat, restricted to plain documents: UTF-8, only XML's own entities, no namespaces. Belongs to one thread.
@safe final class XMLParser {
    private let reference: XML_Parser
    private let listener: any XMLListener
    private var problem: String?

    /// - Throws: when there is no memory.
    init(_ listener: any XMLListener) throws(PropertyList.Malformed) {
        // The encoding given here overrides the document's.
        guard let parser = unsafe XML_ParserCreate("UTF-8") else {
            throw PropertyList.Malformed("there is no memory")
        }
        unsafe reference = unsafe parser
        self.listener = listener
        unsafe XML_SetUserData(reference, Unmanaged.passUnretained(self).toOpaque())
        setHandlers()
    }

    deinit { unsafe XML_ParserFree(reference) }

    /// Reads a whole document.
    func parse(_ document: Span<UInt8>) throws(PropertyList.Malformed) {
        let status = unsafe document.withUnsafeBytes { bytes in
            unsafe XML_Parse(reference, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), 1)
        }
        guard status == XML_STATUS_OK, problem == nil else {
            throw PropertyList.Malformed(problem ?? reason, line: line)
        }
    }

    private var line: Int { unsafe Int(truncatingIfNeeded: XML_GetCurrentLineNumber(reference)) }

    private var reason: String {
        let text = unsafe XML_ErrorString(XML_GetErrorCode(reference))
        return unsafe text.map { unsafe String(cString: $0) } ?? "it is not XML"
    }

    private func setHandlers() {
        unsafe XML_SetElementHandler(
            reference,
            { parser, name, attributes in
                unsafe XMLParser.from(parser)?.begin(name, hasAttributes: attributes?.pointee != nil)
            },
            { parser, name in unsafe XMLParser.from(parser)?.end(name) })
        unsafe XML_SetCharacterDataHandler(
            reference, { parser, start, count in unsafe XMLParser.from(parser)?.characters(start, count) })
        unsafe XML_SetStartDoctypeDeclHandler(
            reference,
            { parser, _, _, _, hasSubset in
                if hasSubset != 0 { unsafe XMLParser.from(parser)?.stop("it declares entities or elements of its own") }
            })
        // Without this handler, an entity of an unread file would silently become empty.
        unsafe XML_SetSkippedEntityHandler(
            reference, { parser, _, _ in unsafe XMLParser.from(parser)?.stop("it has an entity that XML does not") })
        unsafe XML_SetXmlDeclHandler(
            reference,
            { parser, _, encoding, _ in unsafe XMLParser.from(parser)?.check(encoding: encoding) })
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> XMLParser? {
        unsafe pointer.map { unsafe Unmanaged<XMLParser>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: - What expat calls

    private func begin(_ name: UnsafePointer<XML_Char>?, hasAttributes: Bool) {
        guard problem == nil, let name = unsafe name else { return }
        let element = unsafe String(cString: name)
        if hasAttributes, element != "plist" { return stop("<\(element.prefix(40))> has attributes") }
        stop(listener.begin(element))
    }

    private func end(_ name: UnsafePointer<XML_Char>?) {
        guard problem == nil, let name = unsafe name else { return }
        stop(listener.end(unsafe String(cString: name)))
    }

    private func characters(_ start: UnsafePointer<XML_Char>?, _ count: CInt) {
        guard problem == nil, let start = unsafe start else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(count))
        stop(unsafe listener.characters(bytes.assumingMemoryBound(to: UInt8.self).span))
    }

    private func check(encoding: UnsafePointer<XML_Char>?) {
        guard let encoding = unsafe encoding else { return }
        if unsafe String(cString: encoding).uppercased() != "UTF-8" { stop("its encoding is not UTF-8") }
    }

    private func stop(_ reason: String?) {
        guard let reason, problem == nil else { return }
        problem = reason
        unsafe XML_StopParser(reference, 0)
    }
}
