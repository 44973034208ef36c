import { makesUuid, type Notation, type SampleCall, type SampleText, writeValue } from './sample-call.ts'

const NOTATION: Notation = {
  text: write,
  object: ['[', ']'],
  entry: (name, value) => `'${name}' => ${value}`,
}

/** The call for PHP 7.4 and later, with its curl extension. */
export function writePhp({ method, path, isOpen, query, body }: SampleCall): string {
  const parameters = query.map(([name, value]) => `    '${name}' => ${typeof value === 'number' ? value : write(value)},\n`).join('')
  const headers = [
    ...(isOpen
      ? []
      : ["'apiKey: ' . getenv('API_KEY')", "'apiId: ' . getenv('API_ID')", "'Authorization: Bearer ' . getenv('ACCESS_TOKEN')"]),
    ...(body === undefined ? [] : ["'Content-Type: application/json'"]),
  ]
  return [
    '<?php',
    ...(makesUuid(body) ? ['// externalId: a new UUID version 4 for each payment.'] : []),
    ...(parameters ? [`$query = http_build_query([\n${parameters}]);`] : []),
    `$curl = curl_init(getenv('BASE_URL') . '${path}${parameters ? "?' . $query" : "'"});`,
    'curl_setopt_array($curl, [',
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    '    CURLOPT_RETURNTRANSFER => true,',
    '    CURLOPT_HTTPHEADER => [',
    ...headers.map((header) => `        ${header},`),
    '    ],',
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => json_encode(${writeValue(body, NOTATION, '    ', '    ')}),`]),
    ']);',
    '$answer = curl_exec($curl);',
    'if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) {',
    '    throw new RuntimeException($answer ?: curl_error($curl));',
    '}',
    'echo $answer;',
  ].join('\n')
}

function write(value: SampleText): string {
  if ('variable' in value) return `getenv('${value.variable}')`
  return `'${'newUuid' in value ? value.newUuid : value.text}'`
}
