/** Replaces `{name}` tokens by values. Tokens without a value stay. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-zA-Z]+)\}/g, (token, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? token) : token,
  );
}
