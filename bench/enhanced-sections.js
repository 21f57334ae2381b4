// Replaces the shell's modules loading/federation and loading/shareScope in the set-up of enhanced.mjs: sections are remotes
// with fixed addresses.
const SECTIONS = new Map([
  ["articles", () => import("articles/section")],
  ["directory", () => import("directory/section")],
  ["legal", () => import("legal/section")],
  ["signup", () => import("signup/section")],
]);

export function provideReactDom() {
  // The plugin shares it.
}

export async function loadSection({ name }) {
  // In an ES module, the default export of a remote is all of its module.
  return (await SECTIONS.get(name)()).default.default;
}

export const federation = {
  start: () => Promise.reject(new Error("the set-up has no exposed modules")),
};

export function startFederationWhenIdle() {
  // The plugin's runtime is part of the first script.
}

export function refetch() {
  return Promise.resolve();
}
