/**
 * What the shell of a site is made of.
 *
 * @module shell
 */
export type { HistoryState } from "./navigation/historyState.js";
export {
  createShell,
  type DialogParts,
  type DialogPartProps,
  type FederationPlugin,
  type FrameProps,
  type RetryProps,
  type ShellParts,
  type Titles,
} from "./parts.js";
export { NavigationLinks, type NavigationLinksProps } from "./NavigationLinks.js";
