/** A build or command that cannot go on, in words for the person at the keyboard. */
export class UsageError extends Error {}
