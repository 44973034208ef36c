import { ROUTES } from '#e2e/roles/access-table.ts'
import { can, type Permission, type Role } from '#lib/people/permissions.ts'

/** An address of the back office below an application, from the table of the role tests: a page that is added there is attacked here too. */
export type InsideRoute = {
  method: 'GET' | 'POST'
  access: Permission | 'member'
  /** The address for these ids, in the application with this slug. */
  fill(examples: Readonly<Record<string, string>>, slug: string): string
  body?: string
  type?: string
  /** An id of a row is in its path. */
  hasId: boolean
  /** Of those who run the installation, who see rows of every application. */
  isOfInstallation: boolean
  /** The holdings have what it shows, so that its own people read it. */
  isReadable: boolean
  /** It has no end. */
  isStream: boolean
  /** A refusal leads back to a page. */
  isForm: boolean
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Parts of an address that name a row of one application. */
const IDS = new Set([
  'transactionId',
  'waitingId',
  'batchId',
  'waitingBatchId',
  'linkId',
  'exportId',
  'importId',
  'changeId',
  'personId',
  'fileId',
  'requestId',
  'exceptionId',
])
const OF_INSTALLATION = /\/(?:close|installation|statements|certificates|days|fees|journal)(?:\/|\?|$)/
/** Without a row in the holdings. */
const NOT_HELD = new Set(['requestId', 'exceptionId', 'fileId'])
/** A list of their payments that none of the two applications has, and what only the maker of a payment may read. */
const NOT_READ = /webhooks\/|undecided/

let routes: readonly InsideRoute[] | undefined

/** Whether somebody with these roles may open an address of their own application. */
export function mayOpen({ roles }: { roles: readonly Role[] }, { access }: InsideRoute): boolean {
  return access === 'member' || can(roles, access)
}

/** Every address below an application. */
export function insideRoutes(): readonly InsideRoute[] {
  routes ??= Object.entries(ROUTES).flatMap(([name, row]) => {
    const [method = '', pattern = ''] = name.split(' ')
    if (!pattern.includes('[application]') || pattern.includes('...rest')) return []
    if (method !== 'GET' && method !== 'POST') return []
    if (row.access === 'self' || row.access === 'guest' || row.access === 'public') return []
    return [toRoute(method, pattern, row.access, row)]
  })
  return routes
}

function toRoute(
  method: 'GET' | 'POST',
  pattern: string,
  access: InsideRoute['access'],
  { address = pattern, form, upload, refused }: (typeof ROUTES)[string],
): InsideRoute {
  const [path = '', search] = address.split('?')
  const names = pattern.split('/')
  const parts = path.split('/').map((part, index) => nameOf(part, names[index] ?? ''))
  const ids = parts.flatMap(({ name }) => (name !== undefined && IDS.has(name) ? [name] : []))
  return {
    method,
    access,
    fill: (examples, slug) =>
      parts
        .map(({ name, text }) => (name === 'application' ? slug : name === undefined ? text : (exampleOf(examples, name, pattern) ?? text)))
        .join('/') + (search === undefined ? '' : `?${search}`),
    ...(form && { body: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' }),
    ...(upload !== undefined && { body: upload, type: 'application/octet-stream' }),
    hasId: ids.length > 0,
    isOfInstallation: OF_INSTALLATION.test(pattern),
    isReadable: method === 'GET' && ids.length > 0 && !ids.some((id) => NOT_HELD.has(id)) && !NOT_READ.test(pattern),
    isStream: pattern.endsWith('/live'),
    isForm: refused === 303,
  }
}

/** A part of an address that is filled: a name in brackets, or an id that the table writes out in the place of one. */
function nameOf(part: string, patternPart: string): { name: string | undefined; text: string } {
  const bracketed = /^\[(\w+)\]$/
  const own = bracketed.exec(part)?.[1]
  if (own !== undefined) return { name: own, text: part }
  const asked = bracketed.exec(patternPart)?.[1]
  return { name: UUID.test(part) ? asked : undefined, text: part }
}

function exampleOf(examples: Readonly<Record<string, string>>, name: string, pattern: string): string | undefined {
  if (name === 'changeId') return examples['importId']
  if (name === 'fileId') return pattern.includes('attachments') ? examples['attachmentId'] : undefined
  return examples[name]
}
