import { hideSecrets } from '#lib/text/web-address.ts'

const HIDDEN = '***'

/** Fields and parameters that carry a credential. The payToken is on pages already and opens nothing but the customer's own page. */
const SECRET_NAME = /pass|pwd|secret|token|authori[sz]ation|credential|api-?_?key|private-?_?key|otp|\bpin\b/i
const NO_SECRET = /^(?:payToken|token_type)$/

/** Credentials that are recognised wherever they are: our keys and webhook secrets, and signed tokens. */
const SECRET_VALUES = [/\b(csk_|whsec_)[\w+/=-]+/g, /\b(eyJ)[\w-]+\.[\w-]*\.?[\w-]*/g]

/** A field of JSON with its text, which may be cut off at the end; a name or text with escapes is matched too. */
const JSON_FIELD = /"((?:[^"\\]|\\.){1,100})"(\s*:\s*)("(?:[^"\\]|\\.)*(?:"|$)|[^\s"{[,\]}]+)/g

/**
 * Hides credentials in a body. Of a body that an endpoint reads a password from, only the user name and the names of the fields are kept: a
 * misspelt name must not show the password. There, what is not a JSON object is not kept at all.
 */
export function redactBody(body: string, readsPasswords: boolean): string {
  if (readsPasswords) return body === '' ? '' : keepNames(body)
  const text = body.replace(JSON_FIELD, (field, name: string, colon: string, value: string) => {
    const plain = meaningOf(name)
    if (SECRET_NAME.test(plain) && !NO_SECRET.test(plain)) return `"${name}"${colon}"${HIDDEN}"`
    return /url$/i.test(plain) && value.startsWith('"')
      ? `"${name}"${colon}${JSON.stringify(hideAddress(meaningOf(value.slice(1, -1))))}`
      : field
  })
  return hideValues(text)
}

/** Hides credentials in the query of an address, without its question mark. */
export function redactQuery(query: string): string {
  const parameters = query.split('&').map((parameter) => {
    const equals = parameter.indexOf('=')
    const name = equals < 0 ? '' : parameter.slice(0, equals)
    return SECRET_NAME.test(decode(name)) ? `${name}=${HIDDEN}` : parameter
  })
  return hideValues(parameters.join('&'))
}

/** Hides what looks like a credential in a text without fields. */
export function hideValues(text: string): string {
  return SECRET_VALUES.reduce((shown, pattern) => shown.replace(pattern, `$1${HIDDEN}`), text)
}

/** Headers that say how a request was made. Any other name is left out, because a proxy or a program may put a credential in it. */
const SHOWN_HEADERS = [
  'accept',
  'apiid',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'idempotency-key',
  'traceparent',
  'transfer-encoding',
  'user-agent',
  'x-request-id',
] as const
const HEADER_LENGTH_MAX = 300

/** The headers of a request, one per line. Of the credentials only that they were sent, and the visible beginning of a key that is known. */
export function describeHeaders(header: (name: string) => string | undefined, keyPrefix: string | undefined): string {
  const lines = SHOWN_HEADERS.flatMap((name) => {
    const value = header(name)
    return value === undefined ? [] : [`${name}: ${hideValues(value).slice(0, HEADER_LENGTH_MAX)}`]
  })
  if (header('apikey') !== undefined) lines.push(`apikey: ${keyPrefix === undefined ? HIDDEN : `${keyPrefix}…`}`)
  const [scheme = '', credential] = header('authorization')?.split(' ') ?? []
  if (scheme !== '') lines.push(`authorization: ${credential === undefined ? HIDDEN : `${scheme.slice(0, 20)} ${HIDDEN}`}`)
  return lines.join('\n')
}

function keepNames(body: string): string {
  try {
    const meant: unknown = JSON.parse(body)
    if (typeof meant !== 'object' || meant === null || Array.isArray(meant)) return HIDDEN
    return JSON.stringify(Object.fromEntries(Object.entries(meant).map(([name, value]) => [name, name === 'username' ? value : HIDDEN])))
  } catch {
    // Not JSON: nothing says where in it the password is.
    return HIDDEN
  }
}

function hideAddress(address: string): string {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? hideSecrets(address) : address.replace(/\/\/[^/]*@/, `//${HIDDEN}@`)
}

/** The text that a JSON text without its quotes means; the text itself if it is cut off. */
function meaningOf(text: string): string {
  try {
    const meant: unknown = JSON.parse(`"${text}"`)
    return typeof meant === 'string' ? meant : text
  } catch {
    // Cut off within an escape: shown as it is.
    return text
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // No percent escape: compared as it is.
    return text
  }
}
