import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Settings of a project of today. */
const STRICT = {
  strict: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2024',
  moduleDetection: 'force',
  types: ['node'],
  typeRoots: [path.join(ROOT, 'node_modules/@types')],
}
/** The options that a careful project adds. Code that other tools generate need not pass them. */
const STRICTER = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }

/** Compiles files by their names as a partner's project does, in the strictest mode. Fails with what the compiler says. */
export async function compileStrictly(files: Iterable<readonly [name: string, source: string]>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-types-'))
  try {
    for (const [name, source] of files) await writeFile(path.join(folder, name), `${source}\n`)
    await compileFolder(folder, STRICTER)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Compiles the TypeScript files of a folder, those of its folders included, in the strict mode. */
export async function compileFolder(folder: string, more: Readonly<Record<string, boolean>> = {}): Promise<void> {
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...STRICT, ...more } }))
  const compiled = promisify(execFile)(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder])
  await compiled.catch((error: { stdout: string }) => assert.fail(error.stdout))
}
