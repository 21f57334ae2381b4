/** Marks a value that a page's `data` returns in place of data. The marker is not serialized. */
export function mark<Value extends object>(value: Value, marker: symbol): Value {
  return Object.defineProperty(value, marker, { value: true });
}

/** Returns whether a value has a marker. */
export function isMarked(value: unknown, marker: symbol): boolean {
  return typeof value === "object" && value !== null && marker in value;
}
