#!/usr/bin/env node
// CommonJS (package.json beside it says so): Node's loader of ES modules would be the first thing to load.
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const start = join(__dirname, '../dist/start.cjs')
if (existsSync(start)) require(start)
else {
  process.stderr.write('ctxwin: this checkout is not built: run npm ci, or npm run build, in it\n')
  process.exitCode = 2
}
