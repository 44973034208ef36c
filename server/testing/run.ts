// Runs node:test files against a throw-away PostgreSQL: `npm run test:server -- [file or folder ...]`.
import { spawn } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { startTestPostgres } from './postgres.ts'

const wanted = process.argv.slice(2)
const files: string[] = []
for (const place of wanted.length > 0 ? wanted : ['lib', 'server']) {
  if (place.endsWith('.ts')) files.push(place)
  else for await (const file of glob(`${place}/**/*.test.ts`)) files.push(file)
}
files.sort()
const postgres = await startTestPostgres()
try {
  process.exitCode = await runTests(files, postgres.url)
} finally {
  await postgres.stop()
}

function runTests(testFiles: string[], databaseUrl: string): Promise<number> {
  // A test that hangs fails after some minutes, and what a failed test left open does not hold up the run.
  const options = ['--test', '--test-concurrency=2', '--test-timeout=400000', '--test-force-exit']
  const child = spawn(process.execPath, [...options, ...testFiles], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl },
  })
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  process.once('SIGINT', forward)
  process.once('SIGTERM', forward)
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}
