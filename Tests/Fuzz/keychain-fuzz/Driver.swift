import FuzzTargets

/// Tries one input on the chosen target. libFuzzer's own main, which is linked though it is not used, wants this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    FuzzTarget.chosen.tryInput(unsafe Span(_unsafeStart: start, count: count))
    return 0
}

// A C function of libFuzzer, which `-sanitize=fuzzer` links; it has no header.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt
