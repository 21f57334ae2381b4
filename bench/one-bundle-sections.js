// Replaces the shell's modules loading/federation and loading/shareScope in the one-bundle build. The bundle includes the
// sections; their pages are chunks, as in the sections' own builds.
import articles from "../mfe-articles/src/section.ts";
import directory from "../mfe-directory/src/section.ts";
import legal from "../mfe-legal/src/section.ts";
import signup from "../mfe-signup/src/section.ts";

const SECTIONS = new Map([articles, directory, legal, signup].map((section) => [section.name, section]));

export function provideReactDom() {
  // The bundle shares nothing.
}

export function loadSection({ name }) {
  return Promise.resolve(SECTIONS.get(name));
}

export function refetch() {
  return Promise.resolve();
}

/** No module of another section is loaded. */
export const federation = {};

export function startFederationWhenIdle() {
  // The bundle has all sections.
}
