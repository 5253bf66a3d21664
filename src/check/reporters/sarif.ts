/** `sarif`: SARIF 2.1.0 (OASIS), for code scanning. Findings only: what passed is no result. */
import { safe, uriPart } from '../../base/quoting.ts'
import { printJson } from '../../reports/json.ts'
import type { Outcome } from '../outcome.ts'
import type { CheckReporter } from './reporter.ts'

const reporter: CheckReporter = {
  name: 'sarif',
  summary: 'SARIF 2.1.0, for code scanning',
  readBy: 'programs',

  *render({ outcomes, incomplete }, { directory }) {
    const findings = outcomes.filter(({ status }) => status === 'fail')
    const rules = [...new Set(findings.map(({ rule }) => rule))].sort()
    yield printJson({
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: { name: 'ctxwin', rules: rules.map((id) => ({ id, shortDescription: { text: describe(id) } })) },
          },
          invocations: [
            {
              // Code scanning shows a run that did not succeed as one whose results are not all there.
              executionSuccessful: incomplete.length === 0,
              ...(incomplete.length > 0
                ? {
                    toolExecutionNotifications: incomplete.map((reason) => ({
                      level: 'error',
                      message: { text: safe(reason) },
                    })),
                  }
                : {}),
            },
          ],
          results: findings.map((outcome) => resultOf(outcome, rules.indexOf(outcome.rule), directory)),
        },
      ],
    })
  },
}

export default reporter

function describe(rule: string): string {
  if (rule === 'unreadable') return 'a file that should hold a transcript, and cannot be read as one'
  if (rule === 'usage') return 'recorded usage that what is read of a transcript does not account for'
  return rule.startsWith('baseline/')
    ? `${rule.slice('baseline/'.length)}, compared with the baseline`
    : `limit ${rule}`
}

function resultOf(outcome: Outcome, ruleIndex: number, directory: string): object {
  const { rule, level, file, line, run, message, metric, actual, limit, difference, command } = outcome
  return {
    ruleId: rule,
    ruleIndex,
    level: level === 'error' ? 'error' : 'warning',
    message: { text: safe(run === '' ? message : `${run}: ${message}`) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: locationOf(file, directory),
          ...(line > 0 ? { region: { startLine: line } } : {}),
        },
      },
    ],
    properties: { metric, actual, limit, difference, command },
  }
}

function locationOf(file: string, directory: string): object {
  const absolute = file.startsWith('/')
  const path = (absolute ? file : directory + file).split('/').map(uriPart).join('/')
  return absolute ? { uri: `file://${path}` } : { uri: path, uriBaseId: '%SRCROOT%' }
}
