import { makesUuid, type Notation, type SampleCall, type SampleText, writeValue } from './sample-call.ts'

const NOTATION: Notation = {
  text: write,
  object: ['{', '}'],
  entry: (name, value) => `${name}: ${value}`,
}

/** The call for Node.js, Deno or Bun, without packages. */
export function writeTypeScript({ method, path, isOpen, query, body }: SampleCall): string {
  const parameters = query.map(([name, value]) => `  ${name}: ${typeof value === 'number' ? `'${value}'` : write(value)},\n`).join('')
  const headers = [
    ...(isOpen
      ? []
      : ["apiKey: process.env.API_KEY ?? ''", "apiId: process.env.API_ID ?? ''", `Authorization: \`Bearer \${process.env.ACCESS_TOKEN}\``]),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  return [
    ...(makesUuid(body) ? ["import { randomUUID } from 'node:crypto'", ''] : []),
    ...(parameters ? [`const query = new URLSearchParams({\n${parameters}})`] : []),
    `const response = await fetch(\`\${process.env.BASE_URL}${path}${parameters ? `?\${query}` : ''}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...headers.map((header) => `    ${header},`),
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${writeValue(body, NOTATION, '  ', '  ')}),`]),
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    'console.log(JSON.stringify(await response.json(), null, 2))',
  ].join('\n')
}

function write(value: SampleText): string {
  if ('variable' in value) return `process.env.${value.variable} ?? ''`
  return 'newUuid' in value ? 'randomUUID()' : `'${value.text}'`
}
