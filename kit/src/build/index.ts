export { build, readRelease, RELEASE_FOLDER, type BuildResult } from "./build.js";
export { defineConfig, UsageError, type SectionConfig } from "./config.js";
export { markdown } from "./markdown.js";
export type { Release, ReleaseFile, ReleasePath } from "./release.js";
export type { BuildMode } from "./version.js";
export { callAdmin, type AdminAccess, type Answer, type Deployment } from "../cli/api.js";
export { deploy, type Deployed } from "../cli/deploy.js";
export { publish, type Published } from "../cli/publish.js";
