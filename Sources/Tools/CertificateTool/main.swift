import CertificateWork
import Glibc

exit(CertificateWorker.run(argumentCount: CommandLine.argc))
