import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Runs the program of the README on these lines and returns its answer. */
export function verifyByReadme(certificates: readonly string[], keys: readonly string[]): string {
  const program = /```js\n(\/\/ node verify-days\.mjs CERTIFICATES KEYS\n[\s\S]*?)```/.exec(readFileSync('README.md', 'utf8'))?.[1]
  assert.ok(program)
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-days-'))
  try {
    const [main = '', ...files] = ['verify-days.mjs', 'certificates.jsonl', 'keys.jsonl'].map((name) => path.join(folder, name))
    writeFileSync(main, program)
    for (const [place, lines] of [certificates, keys].entries()) writeFileSync(files[place] ?? '', `${lines.join('\n')}\n`)
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...files], { encoding: 'utf8' })
    return status === 0 ? stdout : (/Error: (.+)/.exec(stderr)?.[1] ?? stderr)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
