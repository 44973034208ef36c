import path from 'node:path'
import type { SourceFile } from './imports.ts'

/** The layers of server/, lowest first: README.md says what each is for. */
export const LAYERS: readonly (readonly string[])[] = [
  [
    'database',
    'secrets-at-rest',
    'retention',
    'tracing',
    'uploads',
    'caller-address.ts',
    'config.ts',
    'config-fields.ts',
    'clock.ts',
    'logger.ts',
    'process-wide.ts',
    'rate-limit.ts',
    'report-unexpected.ts',
    'messages.ts',
    'retry.ts',
    'share-running.ts',
  ],
  ['audit', 'credentials'],
  ['applications', 'people'],
  ['account-checks', 'attachments', 'partner-auth', 'webhooks', 'ledger', 'policy'],
  ['transactions'],
  ['approvals', 'batches', 'operators', 'payment-links'],
  ['beneficiaries', 'reconciliation'],
  ['changes', 'reports'],
  ['http', 'notices'],
  ['back-office'],
  ['main.ts', 'runtime.ts', 'verify.ts', 'admin.ts', 'admin', 'process', 'sandbox'],
]

/** The layers of server/http, lowest first. */
const HTTP_LAYERS: readonly (readonly string[])[] = [
  ['request'],
  ['api'],
  ['endpoints', 'pay'],
  ['openapi'],
  ['clients'],
  ['reference'],
  ['door'],
]

/** In the lowest and in the highest layer of server/, the parts belong together. */
const SHARED_LAYERS: readonly (readonly string[] | undefined)[] = [LAYERS.at(0), LAYERS.at(-1)]

/** Tests arrange their scenes with the commands of all layers. What they share is a helper, and stays within the layer of its folder. */
const TEST = /\.test\.tsx?$|^e2e\/|^server\/testing\//
const HELPER = /\/testing(\/|\.ts$)/
const STORE = /-store\.ts$/
/** Functions of a store that other folders may call: they only read, or lock. */
const READING = /^(find|read|list|count|total|is|may|runs|works|has|lock)[A-Z]|^[A-Z]/

const SQL = /[`'"]\s*(select\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s)/i
const WRITING_SQL = /\b(insert\s+into|update\s+\w+\s+set|delete\s+from)\b/i

/** Every import and statement that breaks one of the rules of server/README.md, as a sentence that begins with the file. */
export function findViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => !TEST.test(file.path))
    .flatMap((file) => [
      ...file.imports.flatMap((target) => rulesOfImport(file, target).map((rule) => `${file.path} -> ${target}: ${rule}`)),
      ...rulesOfSql(file).map((rule) => `${file.path}: ${rule}`),
    ])
}

function rulesOfImport({ path: from, text, values }: SourceFile, target: string): string[] {
  const is = (rule: string, broken: boolean) => (broken ? [rule] : [])
  const isHelper = HELPER.test(from)
  return [
    ...is('lib imports packages and lib only', inFolder(from, 'lib') && (isOurs(target) ? !inFolder(target, 'lib') : isHost(target))),
    ...is('components import packages, components and lib only', inFolder(from, 'components') && inFolder(target, 'app', 'server', 'e2e')),
    ...is('components/ui knows no other components', inFolder(from, 'components/ui') && /^components\/(?!ui\/)/.test(target)),
    ...is('server imports neither pages nor e2e', inFolder(from, 'server') && inFolder(target, 'app', 'components', 'e2e')),
    ...is('code in the browser never imports server', /^['"]use client['"]/m.test(text) && inFolder(target, 'server')),
    ...is('only tests import helpers of tests', !isHelper && HELPER.test(target)),
    ...is(
      'the writes of a store are called only in its own folder',
      STORE.test(target) &&
        !isHelper &&
        folderOf(from) !== folderOf(target) &&
        values.get(target)?.some((name) => !READING.test(name)) === true,
    ),
    ...is('imports go to lower layers only', inFolder(from, 'server') && inFolder(target, 'server') && goesUp(from, target)),
  ]
}

function rulesOfSql({ path: file, text }: SourceFile): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
  if (!inFolder(file, 'server') || HELPER.test(file)) return []
  if (STORE.test(file)) return readersThatWrite(code).map((name) => `${name} is named like a function that only reads`)
  return !inFolder(file, 'server/database') && SQL.test(code) ? ['SQL is only in …-store.ts and server/database'] : []
}

/** The exported functions of a store whose name promises that they only read, and whose body writes. */
function readersThatWrite(code: string): string[] {
  return code.split(/^export (?:async )?function /m).flatMap((part) => {
    const [name = ''] = /^\w+/.exec(part) ?? []
    return READING.test(name) && WRITING_SQL.test(part) ? [name] : []
  })
}

/** Between the folders of server/ and, within http/, between the folders of that. `server/testing` is below everything. */
function goesUp(from: string, target: string): boolean {
  const [a, b] = [folderOf(from), folderOf(target)]
  if (b === 'testing') return false
  if (a !== b) return !isLower(LAYERS, b, a)
  const [inner, innerTarget] = [from.split('/')[2] ?? '', target.split('/')[2] ?? '']
  if (a !== 'http' || inner === innerTarget || HELPER.test(from)) return false
  return !isLower(HTTP_LAYERS, innerTarget, inner)
}

function isLower(layers: readonly (readonly string[])[], lower: string, upper: string): boolean {
  const [low, high] = [lower, upper].map((part) => layers.findIndex((parts) => parts.includes(part)))
  if (low === undefined || high === undefined || low < 0 || high < 0) return false
  return low < high || (low === high && SHARED_LAYERS.includes(layers[low]))
}

function inFolder(file: string, ...folders: readonly string[]): boolean {
  return folders.some((folder) => file.startsWith(`${folder}/`))
}

function isOurs(target: string): boolean {
  return inFolder(target, 'app', 'components', 'lib', 'server', 'e2e')
}

/** Node or Next: lib runs in the browser too. */
function isHost(target: string): boolean {
  return /^(node:|next$|next\/)/.test(target)
}

/** The folder or file directly below server/. */
function folderOf(file: string): string {
  return inFolder(file, 'server') ? (file.split('/')[1] ?? '') : path.posix.dirname(file)
}
