import { makesUuid, type Notation, type SampleCall, type SampleText, writeValue } from './sample-call.ts'

const NOTATION: Notation = {
  text: write,
  object: ['{', '}'],
  entry: (name, value) => `"${name}": ${value}`,
}

/** The call for Python 3, with its standard library. */
export function writePython({ method, path, isOpen, query, body }: SampleCall): string {
  const parameters = query.map(([name, value]) => `    "${name}": ${typeof value === 'number' ? value : write(value)},\n`).join('')
  const headers = [
    ...(isOpen
      ? []
      : ['"apiKey": os.environ["API_KEY"]', '"apiId": os.environ["API_ID"]', '"Authorization": "Bearer " + os.environ["ACCESS_TOKEN"]']),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ]
  return [
    'import json',
    'import os',
    ...(makesUuid(body) ? ['import uuid'] : []),
    ...(parameters ? ['from urllib.parse import urlencode'] : []),
    'from urllib.request import Request, urlopen',
    '',
    ...(parameters ? [`query = urlencode({\n${parameters}})`] : []),
    'request = Request(',
    `    os.environ["BASE_URL"] + "${path}${parameters ? '?" + query' : '"'},`,
    `    method="${method}",`,
    '    headers={',
    ...headers.map((header) => `        ${header},`),
    '    },',
    ...(body === undefined ? [] : [`    data=json.dumps(${writeValue(body, NOTATION, '    ', '    ')}).encode(),`]),
    ')',
    '# A refusal raises HTTPError: its read() returns the five fields.',
    'with urlopen(request) as response:',
    '    print(json.dumps(json.load(response), indent=2))',
  ].join('\n')
}

function write(value: SampleText): string {
  if ('variable' in value) return `os.environ["${value.variable}"]`
  return 'newUuid' in value ? 'str(uuid.uuid4())' : `"${value.text}"`
}
