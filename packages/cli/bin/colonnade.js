#!/usr/bin/env node
const environment = { ...process.env };
// The command formats the errors of compilers. Compilers read these variables when they load.
process.env.NO_COLOR = "1";
delete process.env.FORCE_COLOR;
const { main } = await import("../dist/cli/index.js");

process.exitCode = await main(process.argv.slice(2), {
  folder: process.cwd(),
  environment,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
