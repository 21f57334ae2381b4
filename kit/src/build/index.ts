export { build, readRelease, RELEASE_FOLDER, type BuildResult } from "./build.js";
export { defineConfig, UsageError, type SectionConfig } from "./config.js";
export type { Release, ReleaseFile, ReleasePath } from "./release.js";
export type { BuildMode } from "./version.js";
