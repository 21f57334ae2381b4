/** An error in the user's input or package. The command prints its message without a stack trace. */
export class UsageError extends Error {}
