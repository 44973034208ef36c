import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PLUGIN = fileURLToPath(new URL('./no-silent-error.grit', import.meta.url))
const BIOME = fileURLToPath(new URL('../../../node_modules/.bin/biome', import.meta.url))

/** Each drops an error. A comment above or beside it says nothing about the error. */
const DROPPED = {
  'an empty block below a comment': '// Mostly it works.\n  try {\n    await f()\n  } catch {}',
  'a block with a comment that gives no reason': 'try {\n    await f()\n  } catch {\n    // It failed.\n  }',
  'a handler below a comment': '// Mostly it works.\n  await f().catch(() => undefined)',
}
const EXCUSED = {
  'a block with a reason': 'try {\n    await f()\n  } catch {\n    // Ignored: it is tried again.\n  }',
  'a handler below a reason': '// biome-ignore lint/plugin/no-silent-error: it is tried again.\n  await f().catch(() => undefined)',
  'a block that throws': "try {\n    await f()\n  } catch {\n    throw new Error('x')\n  }",
}

test('an error of the linter for each place that drops an error, and none where a reason is given', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-lint-'))
  try {
    writeFileSync(path.join(folder, 'biome.json'), JSON.stringify({ plugins: [PLUGIN], linter: { rules: { recommended: false } } }))
    const reports = (statements: string) => {
      const text = `declare function f(): Promise<void>\nexport async function g(): Promise<void> {\n  ${statements}\n}\n`
      writeFileSync(path.join(folder, 'sample.ts'), text)
      const { status, stderr } = spawnSync(BIOME, ['lint', 'sample.ts'], { cwd: folder, encoding: 'utf8' })
      return status === 1 && stderr.includes('An error is dropped')
    }
    for (const [what, statements] of Object.entries(DROPPED)) assert.equal(reports(statements), true, what)
    for (const [what, statements] of Object.entries(EXCUSED)) assert.equal(reports(statements), false, what)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
