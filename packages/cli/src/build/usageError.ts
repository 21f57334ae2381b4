/** Exit code of the `colonnade` command for each kind of error, and what `--help` says about it. Code 1 is a bug. */
export const ERROR_KINDS = {
  usage: { exitCode: 2, meaning: "invalid arguments, environment or configuration" },
  build: { exitCode: 3, meaning: "the build or the check failed" },
  rejected: { exitCode: 4, meaning: "the gateway rejected the request, such as a conflict or an invalid release" },
  unauthorized: { exitCode: 5, meaning: "the token is unknown, or does not permit the request" },
  unavailable: { exitCode: 6, meaning: "the gateway is unreachable, or failed to answer" },
} as const;

/** Kind of an error that is not a bug. */
export type ErrorKind = keyof typeof ERROR_KINDS;

/** An error in the user's input or package. The command prints its message without a stack trace. */
export class UsageError extends Error {
  /** What went wrong. */
  readonly kind: ErrorKind = "usage";

  /** Exit code of the command. */
  get exitCode(): number {
    return ERROR_KINDS[this.kind].exitCode;
  }
}

/** The build or the check of a package failed. */
export class BuildError extends UsageError {
  override readonly kind = "build";
}

/** The gateway rejected a request, or is not available. */
export class GatewayError extends UsageError {
  constructor(
    message: string,
    override readonly kind: "rejected" | "unauthorized" | "unavailable",
  ) {
    super(message);
  }
}

/** What failed, for messages. `fetch` says only that it failed, and a request to several addresses has no message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
