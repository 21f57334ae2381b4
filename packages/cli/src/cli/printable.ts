/** Replaces control characters, so that text from a gateway or proxy cannot send escape sequences to the terminal. */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, "\ufffd");
}
