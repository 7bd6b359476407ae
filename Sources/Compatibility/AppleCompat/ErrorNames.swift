/// The key in an error's information for a sentence that says what failed.
public let NSLocalizedFailureErrorKey = "NSLocalizedFailure"

/// The last code of the errors of Cocoa that are about validation.
public let NSValidationErrorMaximum = 2047
