import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { callAsCurl } from './call-as-curl.ts'
import type { ApiCallDetailDto } from './partner-requests.ts'

const EXTERNAL_ID = '5b1ae2f8-3e0a-4a53-9a61-0a6f5d1c8e11'

function aCall(
  changes: Partial<Omit<ApiCallDetailDto, 'request'>> & { headers?: string; body?: string; isCut?: boolean } = {},
): ApiCallDetailDto {
  const { headers = '', body = '', isCut = false, ...rest } = changes
  return {
    ...{ requestId: '', at: '', method: 'POST', path: '/api/v1/transaction/collect', status: 200, cause: null, message: null },
    ...{ durationMs: 1, keyPrefix: null, address: '', query: '', transactions: [] },
    request: { headers, body, bytes: body.length, isCut },
    answer: { headers: '', body: '', bytes: 0, isCut: false },
    ...rest,
  }
}

/** The arguments that curl receives from a shell, in which each variable has its name as its value, and ids are numbered. */
function run(call: ApiCallDetailDto): string[] {
  const script = [
    'curl() { printf "%s\\0" "$@"; }',
    'uuidgen() { echo A-NEW-ID; }',
    // As on macOS, which has no such file.
    'cat() { return 1; }',
    ...['BASE_URL', 'API_KEY', 'API_ID', 'ACCESS_TOKEN', 'API_PASSWORD', 'REFRESH_TOKEN'].map((name) =>
      `${name}=<${name}>`.replace(/<(.*)>/, "'<$1>'"),
    ),
    callAsCurl(call) ?? assert.fail('there is a command'),
  ].join('\n')
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout.split('\0').slice(0, -1)
}

test('the same call with the credentials of the reader and a new externalId', () => {
  const headers =
    'accept: */*\ncontent-type: application/json\nuser-agent: acme/1\napikey: csk_abc…\nauthorization: Bearer ***\napiid: 7d0c'
  assert.deepEqual(run(aCall({ headers, query: 'a=1&b=2', body: `{ "externalId" : "${EXTERNAL_ID}", "amount":5000.10}` })), [
    ...['-sS', '-X', 'POST', '<BASE_URL>/api/v1/transaction/collect?a=1&b=2', '-H', 'accept: */*', '-H', 'content-type: application/json'],
    ...['-H', 'apiKey: <API_KEY>', '-H', 'Authorization: Bearer <ACCESS_TOKEN>', '-H', 'apiId: <API_ID>'],
    ...['--data-raw', '{ "externalId" : "a-new-id", "amount":5000.10}'],
  ])
})

test('one new externalId for each that was sent', () => {
  const other = EXTERNAL_ID.replace('5', '6')
  const body = JSON.stringify([EXTERNAL_ID, other, EXTERNAL_ID].map((externalId) => ({ externalId })))
  const command = callAsCurl(aCall({ body })) ?? ''
  assert.deepEqual(command.match(/^EXTERNAL_ID\S*=/gm), ['EXTERNAL_ID=', 'EXTERNAL_ID_2='])
  assert.deepEqual(command.match(/\$EXTERNAL_ID\w*/g), ['$EXTERNAL_ID', '$EXTERNAL_ID_2', '$EXTERNAL_ID'])
})

test('the password and the token of the reader in place of those that were hidden', () => {
  const body = '{"username":"a@b.example","password":"***","refreshToken": "***"}'
  assert.equal(run(aCall({ body })).at(-1), '{"username":"a@b.example","password":"<API_PASSWORD>","refreshToken": "<REFRESH_TOKEN>"}')
})

test('a shell runs nothing of what a caller sent', () => {
  const hostile = `'; echo "$(id)" \`id\` $API_KEY \\ !! '"$API_KEY"'`
  const args = run(aCall({ method: 'HEAD', path: `/api/v1/${hostile}`, query: hostile, headers: `accept: ${hostile}`, body: hostile }))
  assert.deepEqual(args, ['-sS', '-I', `<BASE_URL>/api/v1/${hostile}?${hostile}`, '-H', `accept: ${hostile}`, '--data-raw', hostile])
})

test('no command for a body that was not kept whole, or with characters that a terminal acts on', () => {
  assert.equal(callAsCurl(aCall({ body: '{"a"', isCut: true })), null)
  for (const character of ['\u0003', '\u001b', '\u007f', '\u009b']) assert.equal(callAsCurl(aCall({ body: `{"a":"${character}"}` })), null)
  assert.notEqual(callAsCurl(aCall({ body: '{\r\n\t"a":1}' })), null)
})
