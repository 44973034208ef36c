import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Compiles files by their names as a partner's project does, in the strict mode. Fails with what the compiler says. */
export async function compileStrictly(files: Iterable<readonly [name: string, source: string]>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-types-'))
  try {
    for (const [name, source] of files) await writeFile(path.join(folder, name), `${source}\n`)
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2024',
      moduleDetection: 'force',
      types: ['node'],
      typeRoots: [path.join(ROOT, 'node_modules/@types')],
    }
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const compiled = promisify(execFile)(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder])
    await compiled.catch((error: { stdout: string }) => assert.fail(error.stdout))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
