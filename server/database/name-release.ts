// Names the present schema and commit as a release: `npm run name-release -- 1.0.0`. Commit the file that it writes.
import { execFileSync } from 'node:child_process'
import { nameRelease, ReleaseRefused } from './releases.ts'

const [, , version] = process.argv
const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim()
if (!version || !/^\d+\.\d+\.\d+$/.test(version)) {
  process.stderr.write('Name the version: npm run name-release -- 1.0.0\n')
  process.exitCode = 2
} else if (git('status', '--porcelain') !== '') {
  process.stderr.write('Commit everything first: a release is a commit.\n')
  process.exitCode = 1
} else {
  try {
    const { number, commit } = await nameRelease(version, git('rev-parse', 'HEAD'))
    process.stdout.write(`Release ${number} is ${version}, commit ${commit}. Commit server/database/releases.json.\n`)
  } catch (error) {
    if (!(error instanceof ReleaseRefused)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
