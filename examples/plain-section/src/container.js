/**
 * Creates a Module Federation container, whose only module exports the section. The shell calls `init`, then `get`. Browsers
 * run the text of this function, so it uses only its argument.
 *
 * @param {(react: object, kit: object) => object} createSection
 */
export function createContainer(createSection) {
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
      const section = createSection(await shared("react"), await shared("@colonnade/kit"));
      return () => ({ default: section });
    },
  };
}
