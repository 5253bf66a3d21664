#!/usr/bin/env node
// CommonJS (package.json beside it says so): Node's loader of ES modules would be the first thing to load.
require('../dist/start.cjs')
