/** Adds two numbers with WebAssembly. */
export async function add(one, other) {
  const { instance } = await WebAssembly.instantiateStreaming(fetch(new URL("./add.wasm", import.meta.url)));
  return instance.exports.add(one, other);
}
