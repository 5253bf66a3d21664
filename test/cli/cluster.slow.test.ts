/** Shards on what runs them elsewhere: GNU parallel, and a Slurm array on one node. Skipped where they are not installed. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, it, vi } from 'vitest'
import { writeHostileFiles } from './hostile-files.ts'
import { type Ran, runCli } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = join(root, 'bin/ctxwin.js')
const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, program)))

const cheap = ['--estimator', 'bytes']
let cwd = ''
let whole: Ran
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-cluster-'))
  writeHostileFiles(cwd)
  whole = await runCli(['simulate', 'logs', ...cheap, '--json'], { cwd })
})
// What the last step of a job still writes is no finding.
afterAll(() => rmSync(cwd, { recursive: true, maxRetries: 10, retryDelay: 500 }))

// Nothing comes from an earlier run; the program's own code is compiled once.
const shard = [process.execPath, bin, 'simulate', 'logs', ...cheap, '--no-cache --output partial'].join(' ')
const merged = (directory: string) => runCli(['merge', directory, '--json'], { cwd })

// While the one waits for its scheduler, the other computes.
it.skipIf(!isInstalled('parallel')).concurrent(
  'GNU parallel runs three shards, which merge to what one run prints',
  async ({ expect }) => {
    mkdirSync(join(cwd, 'parallel'))
    const words = ['--will-cite', '-j2', `${shard} --shard {}/3 > parallel/part-{}.ndjson`, ':::', ...'123']
    await promisify(execFile)('parallel', words, { cwd, env: { ...process.env, PARALLEL_HOME: cwd } })
    expect(await merged('parallel')).toEqual(whole)
  },
)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await promisify(server.close.bind(server))()
  return port
}

/** Slurm's controller writes its state once more before it goes: what deletes the directory has to wait for that. */
async function ended(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return
  const exit = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  const impatient = AbortSignal.timeout(20_000)
  impatient.onabort = () => daemon.kill('SIGKILL')
  await exit
}

const isRoot = process.getuid?.() === 0
const hasSlurm = isRoot && ['slurmctld', 'slurmd', 'sbatch', 'scontrol'].every(isInstalled)

it.skipIf(!hasSlurm).concurrent(
  'a Slurm array runs three shards, which merge to what one run prints',
  async ({ expect }) => {
    const folder = join(cwd, 'slurm')
    mkdirSync(join(folder, 'parts'), { recursive: true })
    const name = hostname().split('.')[0]
    writeFileSync(
      join(folder, 'slurm.conf'),
      `ClusterName=one
SlurmctldHost=${name}(127.0.0.1)
SlurmctldPort=${await freePort()}
SlurmdPort=${await freePort()}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0
SelectType=select/cons_tres
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=${name} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=${name} Default=YES MaxTime=INFINITE State=UP
`,
    )
    writeFileSync(
      join(folder, 'shard.sh'),
      `#!/bin/sh\nexec ${shard} --shard $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT --output-file slurm/parts/$SLURM_ARRAY_TASK_ID.ndjson\n`,
    )
    const slurm = { ...process.env, SLURM_CONF: join(folder, 'slurm.conf') }
    const daemons = ['slurmctld', 'slurmd'].map((program) =>
      spawn(program, ['-D', '-f', join(folder, 'slurm.conf')], { env: slurm, stdio: 'ignore' }),
    )
    try {
      const run = (program: string, ...words: string[]) =>
        spawnSync(program, words, { cwd, env: slurm, encoding: 'utf8' })
      const submit = () => run('sbatch', '--parsable', '--array=1-3', '-o', '/dev/null', join(folder, 'shard.sh'))
      const submitted = await vi.waitFor(
        () => {
          const { status, stdout, stderr } = submit()
          expect(status, stderr).toBe(0)
          return stdout.trim()
        },
        { timeout: 60_000, interval: 100 },
      )
      // `sbatch --wait` would look after 2, 10 and 42 seconds.
      const states = () => {
        const { stdout } = run('scontrol', 'show', 'job', '--oneliner', submitted)
        return [...stdout.matchAll(/ JobState=(\w+)/g)].map(([, state]) => state)
      }
      const isAt = (state = '') => ['PENDING', 'RUNNING', 'COMPLETING'].includes(state)
      await vi.waitUntil(() => states().length === 3 && !states().some(isAt), { timeout: 150_000, interval: 300 })
      expect(states()).toEqual(Array(3).fill('COMPLETED'))
      expect(readdirSync(join(folder, 'parts')).length).toBe(3)
      expect(await merged('slurm/parts')).toEqual(whole)
    } finally {
      await Promise.all(daemons.map(ended))
    }
  },
  180_000,
)
