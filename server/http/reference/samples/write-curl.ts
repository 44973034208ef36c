import { isObject, type SampleCall, type SampleText, type SampleValue } from './sample-call.ts'

/** The call as a command for a shell. Its variables are those of the environment. */
export function writeCurl({ method, path, isOpen, query, body }: SampleCall): string {
  const flags = method === 'GET' ? (query.length > 0 ? ' -G' : '') : body === undefined ? ' -X POST -G' : ''
  const lines = [
    `curl -sS${flags} "$BASE_URL${path}"`,
    ...(isOpen ? [] : ['-H "apiKey: $API_KEY"', '-H "apiId: $API_ID"', '-H "Authorization: Bearer $ACCESS_TOKEN"']),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"']),
    ...query.map(([name, value]) => `--data-urlencode "${name}=${typeof value === 'number' ? value : inShell(value)}"`),
    ...(body === undefined ? [] : ['-d @- <<JSON']),
  ]
  const command = lines.join(' \\\n  ')
  return body === undefined ? command : `${command}\n${asJson(body, '')}\nJSON`
}

/** A shell makes no UUID of version 4 everywhere: the example holds one. */
function inShell(value: SampleText): string {
  return 'variable' in value ? `$${value.variable}` : 'newUuid' in value ? value.newUuid : value.text
}

/** JSON in a here document, in which variables are replaced. */
function asJson(value: SampleValue, indent: string): string {
  const inner = `${indent}  `
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return `[\n${value.map((each) => inner + asJson(each, inner)).join(',\n')}\n${indent}]`
  if (!isObject(value)) return `"${inShell(value)}"`
  return `{\n${value.object.map(([name, each]) => `${inner}"${name}": ${asJson(each, inner)}`).join(',\n')}\n${indent}}`
}
