/**
 * The configuration of a section, and the build and the commands for scripts.
 *
 * @module build
 */
export { build, type BuildResult } from "./build.js";
export type { BuildCommand, RemoteBuild } from "./commandConfig.js";
export type { OnStep } from "./built.js";
export { defineConfig, UsageError, type Budget, type BuildSide, type JsonValue, type SectionConfig } from "./config.js";
export type { Exposes } from "./exposes.js";
export type { ContentPolicy } from "./policy.js";
export type { FactType, FactTypes } from "./settings.js";
export type { IconConfig, SocialImageConfig, ThemeColor } from "./images.js";
export {
  listFiles,
  readRelease,
  RELEASE_FOLDER,
  type Release,
  type ReleaseExtension,
  type ReleaseExtensionPoint,
  type ReleaseFile,
  type ReleasePath,
} from "./release.js";
export type { BuildMode } from "./version.js";
export { callAdmin, type AdminAccess, type AdminResponse } from "../cli/api.js";
export { deploy, type Deployed, type DeployedDeployment, type DeployOptions } from "../cli/deploy.js";
export type { Deployment, Rollout, RolloutAnalysis, RolloutProgress } from "../cli/deployments.js";
export { publish, type OnProgress, type Published, type PublishOptions } from "../cli/publish.js";
export type { ReleaseSource } from "../cli/source.js";
export type { ReleaseChanges } from "../cli/releases.js";
export type { RequestBody } from "../cli/http.js";
