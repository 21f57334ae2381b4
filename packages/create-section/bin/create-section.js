#!/usr/bin/env node
import { create } from "../dist/dist/cli/create.js";

process.exitCode = await create(process.argv.slice(2), {
  folder: process.cwd(),
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
});
