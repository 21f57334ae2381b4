#!/usr/bin/env node
const environment = { ...process.env };
// The command formats the errors of compilers. Compilers read these variables when they load.
process.env.NO_COLOR = "1";
delete process.env.FORCE_COLOR;
const { main } = await import("../dist/cli/index.js");

// The reader of a pipe, such as `head`, may end early. 141 is the exit code of commands that the signal SIGPIPE ends.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(141);
    throw error;
  });

process.exitCode = await main(process.argv.slice(2), {
  folder: process.cwd(),
  environment,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
