#!/usr/bin/env node
import { main } from "@colonnade/kit/cli";

process.exitCode = await main(["new", ...process.argv.slice(2)], {
  folder: process.cwd(),
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
});
