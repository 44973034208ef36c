import { CURL_CREDENTIALS, nameUuids } from '#lib/partner/call-as-curl.ts'
import { type ExampleRequest, type PaymentExample, RUN_VARIABLES, type RunnableExample, type Samples } from '#lib/partner/reference.ts'
import { BATCH_ID, CHECKER_ID, COLLECT_ID, DEPOSIT_ID, DEPOSIT_REQUEST } from '#server/http/openapi/examples.ts'
import type { Json } from '#server/http/openapi/operation.ts'

/** One operation as the document describes it, with the values of its examples. */
type DescribedCall = {
  method: 'GET' | 'POST'
  path: string
  isOpen: boolean
  query: [string, string | number][]
  idempotencyKey?: string | undefined
  body: Json | undefined
}

/** The same call in every language, with the reader's own values as environment variables. */
export function writeSamples(described: DescribedCall): Samples {
  const call = toCall(described)
  return { curl: writeCurl(call), typescript: writeTypeScript(call), python: writePython(call), php: writePhp(call) }
}

function toCall({ method, path, isOpen, query, idempotencyKey, body }: DescribedCall): SampleCall {
  return {
    method,
    path: path.replaceAll(COLLECT_ID, '{TRANSACTION_ID}').replaceAll(DEPOSIT_ID, '{TRANSACTION_ID}').replaceAll(BATCH_ID, '{BATCH_ID}'),
    isOpen,
    idempotencyKey,
    query: query.map(([name, value]) => [name, typeof value === 'number' ? value : toText(name, value)]),
    body: body === undefined ? undefined : toValue('', body),
  }
}

/** The request of the same call for a page that makes it, with the body of the example for a shell. */
export function writeRequest(described: DescribedCall): ExampleRequest {
  const { method, path, query, idempotencyKey, body } = toCall(described)
  const inShell = shellText(nameUuids())
  const parameters = query.map(([name, value]) => {
    if (typeof value === 'number') return `${name}=${value}`
    return `${name}=${'variable' in value ? inShell(value) : encodeURIComponent(inShell(value))}`
  })
  const target = [writePath(path, (variable) => `$${variable}`), ...(parameters.length > 0 ? [parameters.join('&')] : [])].join('?')
  const text = body === undefined ? null : asJson(body, inShell, '')
  const variables = RUN_VARIABLES.filter((variable) => `${target} ${text}`.includes(`$${variable}`))
  return { method, target, hasKey: idempotencyKey !== undefined, body: text, variables }
}

/** The example of a deposit of another amount, such as one that waits for approval. Its other fields are those of every example. */
export function writeDeposit(amount: number): PaymentExample {
  return writePayment('deposit', { ...DEPOSIT_REQUEST, amount })
}

/** The example of a payment with this body. */
export function writePayment(operation: 'collect' | 'deposit', body: Json): PaymentExample {
  const call: DescribedCall = { method: 'POST', path: `/api/v1/transaction/${operation}`, isOpen: false, query: [], body }
  return { samples: writeSamples(call), run: { operation, ...pickRun(writeRequest(call)) } }
}

function pickRun({ body, variables }: ExampleRequest): Omit<RunnableExample, 'operation'> {
  return { body, variables }
}

/** Where a path has an id, each language puts the variable of the reader there. */
function writePath(path: string, write: (variable: string) => string): string {
  return path.replace(/\{([A-Z_]+)\}/, (_, variable: string) => write(variable))
}

function toValue(name: string, value: Json): SampleValue {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return toText(name, value)
  if (Array.isArray(value)) return value.map((each) => toValue(name, each))
  if (typeof value !== 'object' || value === null) throw new Error('An example of a request holds texts and numbers')
  return { object: Object.entries(value).map(([field, each]) => [field, toValue(field, each)]) }
}

/** Names are quoted in four ways: an example with a quote or a dollar would be wrong in one of them. */
const QUOTED_EVERYWHERE = /^[^'"`\\$]*$/

function toText(name: string, text: string): SampleText {
  if (text === COLLECT_ID || text === DEPOSIT_ID) return { variable: 'TRANSACTION_ID' }
  if (text === CHECKER_ID) return { variable: 'CHECKER_ID' }
  if (name === 'externalId') return { newUuid: text }
  if (name === 'username') return { variable: 'API_USER' }
  if (name === 'password') return { variable: 'API_PASSWORD' }
  if (name === 'refreshToken') return { variable: 'REFRESH_TOKEN' }
  if (!QUOTED_EVERYWHERE.test(text)) throw new Error(`The example ${text} needs quoting`)
  return { text }
}

/** A value that the reader replaces: the name of an environment variable. */
type Variable = 'TRANSACTION_ID' | 'CHECKER_ID' | 'API_USER' | 'API_PASSWORD' | 'REFRESH_TOKEN'

/** Text of an example, or what it contains in its place: a variable of the reader, or a new UUID. */
type SampleText = { text: string } | { variable: Variable } | { newUuid: string }

type SampleValue = SampleText | number | SampleObject | SampleValue[]
type SampleObject = { object: [name: string, value: SampleValue][] }

/** One call, from which the example of each language is written. */
type SampleCall = {
  method: 'GET' | 'POST'
  path: string
  isOpen: boolean
  /** The header of a payment: a new UUID. */
  idempotencyKey: string | undefined
  query: [name: string, value: SampleText | number][]
  body: SampleValue | undefined
}

function isObject(value: SampleValue): value is SampleObject {
  return typeof value === 'object' && !Array.isArray(value) && 'object' in value
}

/** Whether the call makes a new UUID. */
function makesUuid(value: SampleValue | undefined): boolean {
  if (value === undefined || typeof value === 'number') return false
  if (Array.isArray(value)) return value.some(makesUuid)
  return isObject(value) ? value.object.some(([, each]) => makesUuid(each)) : 'newUuid' in value
}

/** How a language writes values. */
type Notation = {
  text(value: SampleText): string
  /** Brackets of an object, and its entries. */
  object: [open: string, close: string]
  entry(name: string, value: string): string
}

/** Writes a value over several lines. `indent` is the indentation of the line that it begins on. */
function writeValue(value: SampleValue, notation: Notation, indent: string, step: string): string {
  if (typeof value === 'number') return String(value)
  const inner = indent + step
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => `${inner}${writeValue(each, notation, inner, step)},\n`).join('')}${indent}]`
  }
  if (!isObject(value)) return notation.text(value)
  const [open, close] = notation.object
  const entries = value.object.map(([name, each]) => `${inner}${notation.entry(name, writeValue(each, notation, inner, step))},\n`)
  return `${open}\n${entries.join('')}${indent}${close}`
}

/** How long each example waits for an answer, as the clients do. A program without a limit waits forever for a connection that is gone. */
const TIMEOUT_SECONDS = 30
const TIMEOUT_PHP = [`    CURLOPT_CONNECTTIMEOUT => 10,`, `    CURLOPT_TIMEOUT => ${TIMEOUT_SECONDS},`]

/** The call as a command for a shell. Its variables are those of the environment, and new UUIDs in front of it: each paste is a payment of its own. */
function writeCurl({ method, path, isOpen, query, idempotencyKey, body }: SampleCall): string {
  const flags = method === 'GET' ? (query.length > 0 ? ' -G' : '') : body === undefined ? ' -X POST -G' : ''
  const uuids = nameUuids()
  const inShell = shellText(uuids)
  const lines = [
    `curl -sS --max-time ${TIMEOUT_SECONDS}${flags} "$BASE_URL${writePath(path, (variable) => `$${variable}`)}"`,
    ...(isOpen ? [] : Object.values(CURL_CREDENTIALS)),
    ...(idempotencyKey === undefined ? [] : [`-H "Idempotency-Key: $${uuids.nameOf('IDEMPOTENCY_KEY', idempotencyKey)}"`]),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"']),
    ...query.map(([name, value]) => `--data-urlencode "${name}=${typeof value === 'number' ? value : inShell(value)}"`),
    ...(body === undefined ? [] : ['-d @- <<JSON']),
  ]
  const command = lines.join(' \\\n  ')
  const whole = body === undefined ? command : `${command}\n${asJson(body, inShell, '')}\nJSON`
  return [...uuids.setup(), whole].join('\n')
}

function shellText(uuids: ReturnType<typeof nameUuids>): (value: SampleText) => string {
  return (value) =>
    'variable' in value ? `$${value.variable}` : 'newUuid' in value ? `$${uuids.nameOf('EXTERNAL_ID', value.newUuid)}` : value.text
}

/** JSON in a here document, in which variables are replaced. */
function asJson(value: SampleValue, inShell: (value: SampleText) => string, indent: string): string {
  const inner = `${indent}  `
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return `[\n${value.map((each) => inner + asJson(each, inShell, inner)).join(',\n')}\n${indent}]`
  if (!isObject(value)) return `"${inShell(value)}"`
  return `{\n${value.object.map(([name, each]) => `${inner}"${name}": ${asJson(each, inShell, inner)}`).join(',\n')}\n${indent}}`
}

const TYPESCRIPT: Notation = {
  text: writeTypeScriptValue,
  object: ['{', '}'],
  entry: (name, value) => `${name}: ${value}`,
}

/** The call for Node.js, Deno or Bun, without packages. */
function writeTypeScript({ method, path, isOpen, query, idempotencyKey, body }: SampleCall): string {
  const parameters = query
    .map(([name, value]) => `  ${name}: ${typeof value === 'number' ? `'${value}'` : writeTypeScriptValue(value)},\n`)
    .join('')
  const headers = [
    ...(isOpen
      ? []
      : ["apiKey: process.env.API_KEY ?? ''", "apiId: process.env.API_ID ?? ''", `Authorization: \`Bearer \${process.env.ACCESS_TOKEN}\``]),
    ...(idempotencyKey === undefined ? [] : ["'Idempotency-Key': randomUUID()"]),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  return [
    ...(makesUuid(body) || idempotencyKey !== undefined ? ["import { randomUUID } from 'node:crypto'", ''] : []),
    ...(parameters ? [`const query = new URLSearchParams({\n${parameters}})`] : []),
    `const response = await fetch(\`\${process.env.BASE_URL}${writePath(path, (variable) => `\${process.env.${variable}}`)}${parameters ? `?\${query}` : ''}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...headers.map((header) => `    ${header},`),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${writeValue(body, TYPESCRIPT, '  ', '  ')}),`]),
    `  signal: AbortSignal.timeout(${TIMEOUT_SECONDS}_000),`,
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    'console.log(JSON.stringify(await response.json(), null, 2))',
  ].join('\n')
}

function writeTypeScriptValue(value: SampleText): string {
  if ('variable' in value) return `process.env.${value.variable} ?? ''`
  return 'newUuid' in value ? 'randomUUID()' : `'${value.text}'`
}

const PYTHON: Notation = {
  text: writePythonValue,
  object: ['{', '}'],
  entry: (name, value) => `"${name}": ${value}`,
}

/** The call for Python 3, with its standard library. */
function writePython({ method, path, isOpen, query, idempotencyKey, body }: SampleCall): string {
  const parameters = query
    .map(([name, value]) => `    "${name}": ${typeof value === 'number' ? value : writePythonValue(value)},\n`)
    .join('')
  const headers = [
    ...(isOpen
      ? []
      : ['"apiKey": os.environ["API_KEY"]', '"apiId": os.environ["API_ID"]', '"Authorization": "Bearer " + os.environ["ACCESS_TOKEN"]']),
    ...(idempotencyKey === undefined ? [] : ['"Idempotency-Key": str(uuid.uuid4())']),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ]
  return [
    'import json',
    'import os',
    ...(makesUuid(body) || idempotencyKey !== undefined ? ['import uuid'] : []),
    ...(parameters ? ['from urllib.parse import urlencode'] : []),
    'from urllib.request import Request, urlopen',
    '',
    ...(parameters ? [`query = urlencode({\n${parameters}})`] : []),
    'request = Request(',
    `    os.environ["BASE_URL"] + "${writePath(path, (variable) => `" + os.environ["${variable}"] + "`)}${parameters ? '?" + query' : '"'},`,
    `    method="${method}",`,
    '    headers={',
    ...headers.map((header) => `        ${header},`),
    '    },',
    ...(body === undefined ? [] : [`    data=json.dumps(${writeValue(body, PYTHON, '    ', '    ')}).encode(),`]),
    ')',
    '# A refusal raises HTTPError: its read() returns the five fields.',
    `with urlopen(request, timeout=${TIMEOUT_SECONDS}) as response:`,
    '    print(json.dumps(json.load(response), indent=2))',
  ].join('\n')
}

function writePythonValue(value: SampleText): string {
  if ('variable' in value) return `os.environ["${value.variable}"]`
  return 'newUuid' in value ? 'str(uuid.uuid4())' : `"${value.text}"`
}

const PHP: Notation = {
  text: writePhpValue,
  object: ['[', ']'],
  entry: (name, value) => `'${name}' => ${value}`,
}

/** The call for PHP 7.4 and later, with its curl extension. */
function writePhp({ method, path, isOpen, query, idempotencyKey, body }: SampleCall): string {
  const parameters = query
    .map(([name, value]) => `    '${name}' => ${typeof value === 'number' ? value : writePhpValue(value)},\n`)
    .join('')
  const headers = [
    ...(isOpen
      ? []
      : ["'apiKey: ' . getenv('API_KEY')", "'apiId: ' . getenv('API_ID')", "'Authorization: Bearer ' . getenv('ACCESS_TOKEN')"]),
    ...(idempotencyKey === undefined ? [] : ["'Idempotency-Key: ' . newUuid()"]),
    ...(body === undefined ? [] : ["'Content-Type: application/json'"]),
  ]
  return [
    '<?php',
    ...(makesUuid(body) || idempotencyKey !== undefined ? [PHP_UUID] : []),
    ...(parameters ? [`$query = http_build_query([\n${parameters}]);`] : []),
    `$curl = curl_init(getenv('BASE_URL') . '${writePath(path, (variable) => `' . getenv('${variable}') . '`)}${parameters ? "?' . $query" : "'"});`,
    'curl_setopt_array($curl, [',
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    '    CURLOPT_RETURNTRANSFER => true,',
    ...TIMEOUT_PHP,
    '    CURLOPT_HTTPHEADER => [',
    ...headers.map((header) => `        ${header},`),
    '    ],',
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => json_encode(${writeValue(body, PHP, '    ', '    ')}),`]),
    ']);',
    '$answer = curl_exec($curl);',
    'if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) {',
    '    throw new RuntimeException($answer ?: curl_error($curl));',
    '}',
    'echo $answer;',
  ].join('\n')
}

function writePhpValue(value: SampleText): string {
  if ('variable' in value) return `getenv('${value.variable}')`
  return 'newUuid' in value ? 'newUuid()' : `'${value.text}'`
}

/** PHP has no function of its own for a UUID of version 4. */
const PHP_UUID = `function newUuid(): string
{
    return vsprintf('%s%s-%s-4%.3s-a%.3s-%s%s%s', str_split(bin2hex(random_bytes(16)), 4));
}
`
