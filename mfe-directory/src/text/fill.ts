/** Puts values in the place of a text's `{name}` tokens. A token without a value stays, for a test to find. */
export function fill(text: string, values: Readonly<Partial<Record<string, string>>>): string {
  return text.replace(/\{([a-zA-Z]+)\}/g, (token, name: string) => values[name] ?? token);
}
