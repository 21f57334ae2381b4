/**
 * Creates a Module Federation container, whose only module is the section's entry module. The shell calls `init`, then `get`.
 * Browsers run the text of this function, so it uses only its arguments.
 *
 * @param {string[]} packages the shared packages that the module requires
 * @param {(module: { exports: object }, require: (name: string) => unknown) => void} evaluate the entry module, in CommonJS
 */
export function createContainer(packages, evaluate) {
  let shareScope;

  async function shared(name) {
    // Only the shell provides shared packages, so there is one version. The gateway has checked the range.
    const [provided] = Object.values(shareScope[name] ?? {});
    if (!provided) throw new Error(`the shell does not share ${name}`);
    const factory = await provided.get();
    return factory();
  }

  return {
    init(scope) {
      shareScope = scope;
    },
    async get(name) {
      if (name !== "./section") throw new Error(`the container has no module ${name}; expected ./section`);
      const modules = await Promise.all(packages.map(shared));
      const module = { exports: {} };
      evaluate(module, (required) => modules[packages.indexOf(required)]);
      return () => module.exports;
    },
  };
}
