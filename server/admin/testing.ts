import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, TEST_SECRETS_KEY, type TestDatabase } from '#server/testing/database.ts'
import { runAdmin } from './run-admin.ts'

const ADMIN = fileURLToPath(new URL('../admin.ts', import.meta.url))

type AdminRun = { code: number | null; out: string; problem: string }

/** A database, an empty folder, and the commands of `npm run admin`. */
export type AdminHarness = {
  database: TestDatabase
  folder: string
  /** Runs a command, on the database of the harness unless the environment names another. */
  admin(args: readonly string[], environment?: Record<string, string>): Promise<AdminRun>
  /** Runs a command that must succeed and returns what it printed with --json. */
  facts(...args: string[]): Promise<Record<string, string>>
  close(): Promise<void>
}

/** Makes a harness. Call close() at the end. */
export async function createAdminHarness(): Promise<AdminHarness> {
  const database = await createTestDatabase()
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-admin-'))
  const admin: AdminHarness['admin'] = (args, environment = { DATABASE_URL: database.url }) =>
    runHere(args, { SECRETS_KEY: TEST_SECRETS_KEY, ...environment })
  return {
    database,
    folder,
    admin,
    async facts(...args) {
      const run = await admin([...args, '--json'])
      assert.equal(run.code, 0, `${args.join(' ')}: ${run.problem}`)
      return JSON.parse(run.out)
    },
    async close() {
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The printed fact of this name. */
export function fact(from: Record<string, string>, name: string): string {
  return from[name] ?? assert.fail(`${name} was not printed`)
}

/** In this process: starting the program for each of a hundred commands would take most of the tests' time. */
async function runHere(args: readonly string[], environment: Record<string, string>): Promise<AdminRun> {
  const run: AdminRun = { code: null, out: '', problem: '' }
  const code = await runAdmin(args, {
    environment: { NODE_ENV: 'production', ...environment },
    print: (line) => (run.out += `${line}\n`),
    complain: (line) => (run.problem += `${line}\n`),
  })
  return { ...run, code }
}

/** Runs the real program of `npm run admin`, in a process of its own. */
export function runProgram(args: readonly string[], folder: string, environment: Record<string, string>): Promise<AdminRun> {
  const child = spawn(process.execPath, [ADMIN, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(folder, 'compiled'),
      DATABASE_URL: '',
      DATA_DIR: '',
      NODE_ENV: 'production',
      ...environment,
    },
  })
  const run: AdminRun = { code: null, out: '', problem: '' }
  child.stdout.on('data', (chunk: Buffer) => (run.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (run.problem += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...run, code }))
  })
}
