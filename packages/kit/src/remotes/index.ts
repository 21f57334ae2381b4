/**
 * Modules that other sections of the site expose. A section bundles what it uses of this.
 *
 * @module remotes
 */
// All at once: declarations cannot be merged into an interface that is exported by its name.
export * from "./Remote.js";
