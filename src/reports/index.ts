/** The registry of reports, an explicit list. */
import { Registry } from '../base/registry.ts'
import csv from './csv.ts'
import json from './json.ts'
import markdown from './markdown.ts'
import ndjson from './ndjson.ts'
import type { Report } from './report.ts'
import table from './table.ts'

export const reports = new Registry<Report>('output', [table, json, ndjson, csv, markdown])
