import Glibc

/// What libFuzzer calls with each input.
package typealias Target = @convention(c) (UnsafePointer<UInt8>, Int) -> CInt

// A C function of libFuzzer, which `-sanitize=fuzzer` links; it has no header.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>, _ target: Target
) -> CInt

/// Runs a target with the options of this program's command line.
package func fuzz(_ target: Target) -> Never {
    var (count, arguments) = unsafe (CommandLine.argc, CommandLine.unsafeArgv)
    exit(unsafe runDriver(&count, &arguments, target))
}
