import path from 'node:path'
import { importsOf, resolveImport, type SourceFile, withoutComments } from './import-graph.ts'

type Violation = { path: string; rule: string }

/**
 * The layers of server/, lowest first. A folder imports only from layers below its own; folders of one layer do not import
 * each other. server/README.md says what each is for.
 */
export const LAYERS: readonly (readonly string[])[] = [
  [
    'database',
    'secrets-at-rest',
    'retention',
    'caller-address.ts',
    'config.ts',
    'clock.ts',
    'logger.ts',
    'process-wide.ts',
    'rate-limit.ts',
    'report-unexpected.ts',
    'retry.ts',
  ],
  ['audit', 'credentials'],
  ['applications', 'people'],
  ['partner-auth', 'webhooks', 'ledger', 'policy'],
  ['transactions'],
  ['approvals', 'batches', 'funding', 'operators'],
  ['changes', 'reports'],
  ['http'],
  ['back-office'],
  ['main.ts', 'runtime.ts', 'verify.ts', 'admin.ts', 'admin', 'process', 'sandbox'],
]

/** In the lowest and in the highest layer, the parts belong together. */
const SHARED_LAYERS = new Set([0, LAYERS.length - 1])
/** Tests and what serves them may look anywhere: they build their scenes with the commands of all layers. */
const TESTING = /(\.test\.tsx?$|\/testing(\/|\.ts$)|^server\/testing\/|^e2e\/)/
/** Programs that read their own environment: the start of a process, never code that others import. */
const ENVIRONMENT_READERS = new Set([
  'server/config.ts',
  'server/database/embedded.ts',
  'server/operators/simulator/main.ts',
  'server/verify.ts',
  'server/admin.ts',
  'next.config.ts',
  'proxy.ts',
  // Texts of examples, which partners run.
  'server/http/reference/samples/write-typescript.ts',
  'server/http/reference/samples/verify-webhook.ts',
])
const DEFAULT_EXPORTS =
  /^(app\/.*\/?(page|layout|loading|error|not-found|forbidden|unauthorized|global-error|template|default|manifest|robots|sitemap|icon)\.tsx?|[^/]*\.config\.(ts|mjs))$/
const WRITING_SQL = /\b(insert\s+into|update\s+\w+\s+set|delete\s+from|for\s+update)\b/i
const SQL = /[`'"]\s*(select\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s)/i

/** Every place where a file breaks one of the rules of server/README.md. */
export function findViolations(files: readonly SourceFile[]): Violation[] {
  const loadedLazily = new Set(files.flatMap((file) => lazyImportsOf(file)))
  return files.flatMap((file) => checkFile(file, loadedLazily.has(file.path)).map((rule) => ({ path: file.path, rule })))
}

/** `isLazy`: React.lazy loads it, directly or through definePart; it takes a default export and nothing else. */
function checkFile(file: SourceFile, isLazy: boolean): string[] {
  if (TESTING.test(file.path)) return []
  const imports = importsOf(file)
  const rules = imports.flatMap((target) => checkImport(file, target).map((rule) => `${rule} (${target})`))
  if (
    /^server\//.test(file.path) &&
    !isStore(file.path) &&
    !isQueries(file.path) &&
    !file.path.startsWith('server/database/') &&
    SQL.test(withoutComments(file.text))
  ) {
    rules.push('SQL is only in …-store.ts, …-queries.ts and server/database')
  }
  if (isQueries(file.path) && WRITING_SQL.test(withoutComments(file.text))) rules.push('Queries only read')
  if (isBarrel(file.text)) rules.push('No barrel files')
  if (/process\.env\b/.test(withoutComments(file.text)) && !ENVIRONMENT_READERS.has(file.path))
    rules.push('Only server/config.ts reads the environment')
  if (/^export default /m.test(file.text) && !isLazy && !DEFAULT_EXPORTS.test(file.path)) rules.push('No default exports')
  return rules
}

/** `target` is a path from the root for our own files, otherwise the specifier as written. */
function checkImport({ path: from, text }: SourceFile, target: string): string[] {
  const rules: string[] = []
  const isOurs = /^(app|components|lib|server|e2e)\//.test(target)
  if (from.startsWith('lib/')) {
    if (isOurs ? !target.startsWith('lib/') : /^(node:|next$|next\/)/.test(target)) rules.push('lib imports npm packages and lib only')
  }
  if (from.startsWith('components/') && /^(server|app|e2e)\//.test(target)) rules.push('components import components and lib only')
  if (from.startsWith('components/ui/') && /^components\/(domain|form|table|frame)\//.test(target))
    rules.push('components/ui knows nothing of the others')
  if (from.startsWith('server/') && /^(app|components|e2e)\//.test(target)) rules.push('server never imports app or components')
  if (/\/testing(\/|\.ts$)/.test(target)) rules.push('Only tests import what is made for tests')
  if (/^['"]use client['"]/m.test(text) && target.startsWith('server/')) rules.push('What runs in the browser never imports server')
  if (isStore(target) && path.posix.dirname(target).split('/')[1] !== path.posix.dirname(from).split('/')[1]) {
    rules.push('A store is imported only inside its own folder')
  }
  if (from.startsWith('server/') && target.startsWith('server/')) rules.push(...checkLayers(from, target))
  return rules
}

function checkLayers(from: string, target: string): string[] {
  const [fromPart, targetPart] = [partOf(from), partOf(target)]
  if (fromPart === targetPart) return []
  const [fromLayer, targetLayer] = [layerOf(fromPart), layerOf(targetPart)]
  if (fromLayer < 0) return [`server/${fromPart} is in no layer`]
  if (targetLayer < fromLayer || (targetLayer === fromLayer && SHARED_LAYERS.has(fromLayer))) return []
  return ['A folder imports only from layers below its own']
}

function partOf(file: string): string {
  return file.split('/')[1] ?? ''
}

function layerOf(part: string): number {
  return LAYERS.findIndex((parts) => parts.includes(part))
}

function isStore(file: string): boolean {
  return /-store\.ts$/.test(file)
}

/** Reads that other folders may call directly, because they apply no rule and write no audit entry. */
function isQueries(file: string): boolean {
  return /^server\/.*-queries\.ts$/.test(file)
}

function isBarrel(text: string): boolean {
  const lines = withoutComments(text)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  return lines.length > 0 && lines.every((line) => /^export (type )?(\*|\{).* from /.test(line))
}

function lazyImportsOf({ path: from, text }: SourceFile): string[] {
  return [...withoutComments(text).matchAll(/\b(?:lazy|definePart)\(\s*\(\)\s*=>\s*import\(\s*['"]([^'"]+)['"]/g)].map((match) =>
    resolveImport(from, match[1] ?? ''),
  )
}
