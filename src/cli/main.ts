#!/usr/bin/env node
import { run } from './run.ts'

const { stdin, stdout, stderr, env } = process
void run(process.argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd() }).then((code) => {
  // Setting the code lets what is still on its way to a pipe be written, where exiting would cut it off.
  process.exitCode = code
})
