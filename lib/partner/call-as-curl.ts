import type { ApiCallDetailDto } from './partner-requests.ts'

/** The headers of a program's credentials in an example for a shell: their values are the reader's own. */
export const CURL_CREDENTIALS = {
  apikey: '-H "apiKey: $API_KEY"',
  apiid: '-H "apiId: $API_ID"',
  authorization: '-H "Authorization: Bearer $ACCESS_TOKEN"',
} as const

/** Headers that a server may treat differently, and that curl does not send unasked. */
const COPIED_HEADERS = new Set(['content-type', 'content-encoding', 'accept'])

/** Credentials that were hidden in the body of a token call, and the variables that the reference uses for them. */
const VARIABLES = { password: 'API_PASSWORD', refreshToken: 'REFRESH_TOKEN' } as const

const HIDDEN_FIELD = /"(password|refreshToken)"(\s*:\s*)"\*\*\*"/g
const EXTERNAL_ID = /("externalId"\s*:\s*)"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/gi

/** A terminal may act on these although they are quoted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters.
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/

/**
 * Returns a call as a command for a shell that sends it again, with the reader's own credentials and a new externalId for each payment; null
 * if not all of its body was kept, or if a terminal could not be given it. All that the caller sent is quoted: anybody can send a path.
 */
export function callAsCurl({ method, path, query, request }: ApiCallDetailDto): string | null {
  const headers = request.headers.split('\n').filter((line) => line !== '')
  if (request.isCut || [path, query, ...headers, request.body].some((text) => CONTROL.test(text))) return null
  const { setup, body } = quoteBody(request.body)
  const lines = [
    `curl -sS ${method === 'HEAD' ? '-I' : `-X ${method}`} "$BASE_URL"${quote(query === '' ? path : `${path}?${query}`)}`,
    ...headers.flatMap(writeHeader),
    ...(request.body === '' ? [] : [`--data-raw ${body}`]),
  ]
  return [...setup, lines.join(' \\\n  ')].join('\n')
}

function writeHeader(line: string): string[] {
  const name = line.slice(0, line.indexOf(':'))
  if (isCredential(name)) return [CURL_CREDENTIALS[name]]
  return COPIED_HEADERS.has(name) ? [`-H ${quote(line)}`] : []
}

function isCredential(name: string): name is keyof typeof CURL_CREDENTIALS {
  return Object.hasOwn(CURL_CREDENTIALS, name)
}

/** Makes a UUID of version 4 in lower case, on Linux and on macOS. Not every Linux has uuidgen. */
const NEW_UUID = '$({ cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen; } | tr A-Z a-z)'

/** Names variables of a shell for the UUIDs of an example, the same one for the same UUID. `setup`: the lines that make new ones. */
export function nameUuids(): { nameOf(prefix: string, id: string): string; setup(): string[] } {
  const names = new Map<string, string>()
  return {
    nameOf(prefix, id) {
      const key = `${prefix} ${id.toLowerCase()}`
      const count = [...names.keys()].filter((each) => each.startsWith(`${prefix} `)).length
      const name = names.get(key) ?? (count === 0 ? prefix : `${prefix}_${count + 1}`)
      names.set(key, name)
      return name
    },
    setup: () => [...names.values()].map((name) => `${name}=${NEW_UUID}`),
  }
}

/** The body in quotes, and the lines in front of the command that make its externalIds. */
function quoteBody(body: string): { setup: string[]; body: string } {
  const { nameOf, setup } = nameUuids()
  const quoted = quote(body)
    .replace(EXTERNAL_ID, (_, field: string, id: string) => `${field}"${splice(nameOf('EXTERNAL_ID', id))}"`)
    .replace(HIDDEN_FIELD, (_, field: keyof typeof VARIABLES, colon: string) => `"${field}"${colon}"${splice(VARIABLES[field])}"`)
  return { setup: setup(), body: quoted }
}

/** In single quotes a shell replaces nothing. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A variable within text in single quotes. */
function splice(variable: string): string {
  return `'"$${variable}"'`
}
