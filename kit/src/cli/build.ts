import { build } from "../build/build.js";
import { localCommand } from "./command.js";

/** `section build` */
export const buildCommand = localCommand({
  name: "build",
  summary: "build this folder's release into release/",
  description: `Builds the release of the section in this folder into release/, and runs the result
to find what only running shows. A build that fails leaves the release before it.`,
  options: {
    final: { summary: "give it the version of package.json, not one of its own for each change" },
    development: { summary: "of the shell: bring React's development build, which says in the console what is wrong" },
  },
  async run({ surroundings: { folder }, values }) {
    const { release, built } = await build(folder, { final: values.final, development: values.development });
    const size = release.files.reduce((sum, file) => sum + file.size, 0);
    const text = built
      ? `built ${release.name}@${release.version}: ${String(release.files.length)} files, ${(size / 1024).toFixed(0)} KiB`
      : `${release.name}@${release.version} is up to date`;
    return { text, data: { name: release.name, version: release.version, built } };
  },
});
