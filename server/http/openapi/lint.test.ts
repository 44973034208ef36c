import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import core from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import { buildOpenApiDocument } from './openapi.ts'

const REDOCLY = fileURLToPath(new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
const run = promisify(execFile)

let folder: string
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-openapi-'))
})
after(() => rm(folder, { recursive: true, force: true }))

/** Returns the findings of both linters, one line for each problem. */
async function lint(document: unknown): Promise<{ redocly: string[]; spectral: string[] }> {
  const text = JSON.stringify(document)
  return { redocly: await lintWithRedocly(text), spectral: await lintWithSpectral(text) }
}

async function lintWithRedocly(text: string): Promise<string[]> {
  const file = path.join(folder, 'openapi.json')
  await writeFile(file, text)
  // Its exit code is 1 for errors only, and warnings count here.
  const { stdout } = await run(process.execPath, [REDOCLY, 'lint', file, '--extends=recommended', '--format=json'], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      CI: '1',
      NODE_ENV: 'test',
    },
    cwd: folder,
  }).catch((error: { stdout: string }) => error)
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] }
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

/** As `spectral lint` with the ruleset `spectral:oas`: the command line adds only the reading of files. */
async function lintWithSpectral(text: string): Promise<string[]> {
  const spectral = new core.Spectral()
  // The two packages describe a ruleset with different types; at run time it is the same object that the command line loads.
  const oas = rulesets.oas as unknown as core.RulesetDefinition
  spectral.setRuleset({ extends: [[oas, 'recommended']] })
  const problems = await spectral.run(new core.Document(text, parsers.Json, '/openapi.json'))
  return problems.map(({ code, message, path: place }) => `${code}: ${message} at ${place.join('.')}`)
}

test('no error and no warning from Redocly (recommended) and Spectral (spectral:oas)', async () => {
  assert.deepEqual(await lint(buildOpenApiDocument('v2')), { redocly: [], spectral: [] })
  assert.deepEqual(await lint(buildOpenApiDocument()), { redocly: [], spectral: [] })
})

test('warnings of both for a document without license, tags and descriptions: the linters run', async () => {
  const document = buildOpenApiDocument() as { info: object; tags?: unknown }
  const { redocly, spectral } = await lint({ ...document, info: { title: 'Test', version: 'v1' }, tags: undefined })
  assert.ok(
    redocly.some((problem) => problem.startsWith('info-license')),
    redocly.join('\n'),
  )
  assert.ok(
    spectral.some((problem) => problem.startsWith('info-contact')),
    spectral.join('\n'),
  )
})
