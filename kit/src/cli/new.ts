import { access, readdir } from "node:fs/promises";
import path from "node:path";

import { EXPECTED_NAME, isSectionName, UsageError } from "../build/config.js";
import { patternProblem } from "../build/pattern.js";
import { localCommand } from "./command.js";
import { text } from "./options.js";
import { kitVersion, scaffold } from "./scaffold.js";

/** `section new` */
export const newCommand = localCommand({
  name: "new",
  operands: "<name>",
  summary: "make a section with one page, in a new folder of its name",
  description: `Makes a section that builds and passes its tests, in the folder <name>, which must be
empty or not there: a page, a stylesheet, a test.`,
  options: {
    at: {
      value: "<path pattern>",
      summary: "where its page is, such as /hello or /hello/:who (/<name>)",
      read: text,
    },
    kit: {
      value: "<package spec>",
      summary: "where npm gets @colonnade/kit: a version, an address or a packed file (this kit's version)",
      read: text,
    },
  },
  async run({ surroundings: { folder }, values, operands: [name, ...others] }) {
    if (name === undefined || others.length > 0)
      throw new UsageError("expected the new section's name and no other, such as section new hello");
    if (!isSectionName(name))
      throw new UsageError(`${JSON.stringify(name)} is no section's name; expected ${EXPECTED_NAME}`);
    if (name === "shell") throw new UsageError(`"shell" is the shell's own name; expected another for a section`);
    const { at: pattern = `/${name}` } = values;
    const problem = patternProblem(pattern);
    if (problem)
      throw new UsageError(`the path pattern "${pattern}" cannot be: ${problem}; --at says another, such as /hello`);
    const target = path.join(folder, name);
    await expectEmpty(target);
    const kit = values.kit === undefined ? await kitVersion() : await packageSpec(values.kit, folder, target);
    const files = await scaffold(target, { name, pattern, kit });
    return {
      text: `made ${name}/ with a page at ${pattern}

  cd ${name}
  npm install
  npm test
  npx section build`,
      data: { name, folder: target, pattern, kit, files },
    };
  },
});

async function expectEmpty(target: string): Promise<void> {
  const present = await readdir(target).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new UsageError(`${target} cannot be made (${String(code)}); expected an empty folder, or none`);
  });
  if (present.length > 0) throw new UsageError(`${target} has something in it; expected an empty folder, or none`);
}

// npm reads a file's path from the package that names it, not from where it was typed.
async function packageSpec(spec: string, folder: string, target: string): Promise<string> {
  const isFile = /^(file:|\.{0,2}\/)/.test(spec) || (/\.(tgz|tar\.gz)$/.test(spec) && !spec.includes(":"));
  if (!isFile) return spec;
  const file = path.resolve(folder, spec.replace(/^file:/, ""));
  await access(file).catch(() => {
    throw new UsageError(`--kit is ${JSON.stringify(spec)}, but ${file} is not there; expected the packed kit`);
  });
  return `file:${path.relative(target, file).split(path.sep).join("/")}`;
}
