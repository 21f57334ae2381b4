globalThis.onmessage = async ({ data }) => {
  const { add } = await import("./add");
  globalThis.postMessage(await add(...data));
};
