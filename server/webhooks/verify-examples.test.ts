import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { WEBHOOK_EXAMPLES } from '#lib/webhook-examples.ts'
import { signWebhook } from './sign-webhook.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-examples-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const SECRET = `whsec_${Buffer.alloc(32, 251).toString('base64')}`
const OLD_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BODY = '{"externalId":"é","amount":100.50,"message":"Transaction effectuée avec succès","n":"a\\u0000b"}'
const both = [OLD_SECRET, SECRET].map((secret) => ({ secret, expiresAt: null }))
const signed = (at = new Date(), body = BODY, secrets = both) => signWebhook('msg_1', body, secrets, at)
const old = new Date(Date.now() - 301_000)
const soon = new Date(Date.now() + 400_000)

type Case = { title: string; isValid: boolean; headers: Readonly<Record<string, string | undefined>>; body: string; secret: string }
const CASES: readonly Case[] = [
  { title: 'the second of two signatures', isValid: true, headers: { ...signed() }, body: BODY, secret: SECRET },
  { title: 'the first of two signatures', isValid: true, headers: { ...signed() }, body: BODY, secret: OLD_SECRET },
  { title: 'another body', isValid: false, headers: { ...signed() }, body: BODY.replace('100', '900'), secret: SECRET },
  {
    title: 'another secret',
    isValid: false,
    headers: { ...signed() },
    body: BODY,
    secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  },
  { title: 'another id', isValid: false, headers: { ...signed(), 'webhook-id': 'msg_2' }, body: BODY, secret: SECRET },
  { title: 'older than five minutes', isValid: false, headers: { ...signed(old) }, body: BODY, secret: SECRET },
  { title: 'from the future', isValid: false, headers: { ...signed(soon) }, body: BODY, secret: SECRET },
  {
    title: 'no signature',
    isValid: false,
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': signed()['webhook-timestamp'] },
    body: BODY,
    secret: SECRET,
  },
  { title: 'an empty signature', isValid: false, headers: { ...signed(), 'webhook-signature': '' }, body: BODY, secret: SECRET },
]

/** Files that call the example with the case in `case.json`, and print \`valid\` or something else. */
const RUNNERS = {
  TypeScript: {
    command: process.execPath,
    file: 'example.ts',
    call: `
import { readFileSync } from 'node:fs'
const given = JSON.parse(readFileSync('case.json', 'utf8'))
console.log(isValidWebhook(given.headers, given.body, given.secret) ? 'valid' : 'not valid')
`,
  },
  Python: {
    command: 'python3',
    file: 'example.py',
    call: `
import json
given = json.load(open("case.json", encoding="utf-8"))
print("valid" if is_valid_webhook(given["headers"], given["body"].encode(), given["secret"]) else "not valid")
`,
  },
  PHP: {
    command: 'php',
    file: 'example.php',
    call: `
$given = json_decode(file_get_contents('case.json'), true);
echo isValidWebhook($given['headers'], $given['body'], $given['secret']) ? "valid" : "not valid";
`,
  },
  'curl, OpenSSL': { command: 'bash', file: 'example.sh', call: '' },
} as const

function run(language: keyof typeof RUNNERS, given: Case): string {
  const { command, file } = RUNNERS[language]
  writeFileSync(path.join(folder, 'case.json'), JSON.stringify(given))
  writeFileSync(path.join(folder, 'body.json'), given.body)
  const { stdout, stderr, error } = spawnSync(command, [file], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      WEBHOOK_ID: given.headers['webhook-id'],
      WEBHOOK_TIMESTAMP: given.headers['webhook-timestamp'],
      WEBHOOK_SIGNATURE: given.headers['webhook-signature'] ?? '',
      WEBHOOK_SECRET: given.secret,
    },
  })
  assert.equal(error, undefined)
  assert.equal(stderr, '')
  return stdout.trim()
}

const isInstalled = (command: string) => spawnSync(command, ['--version']).error === undefined

for (const { language, text } of WEBHOOK_EXAMPLES) {
  const { command, file, call } = RUNNERS[language]
  writeFileSync(path.join(folder, file), text + call)
  if (language === 'PHP' && !isInstalled(command)) continue
  for (const given of CASES) {
    test(`${given.isValid ? 'valid' : 'not valid'} in ${language}: ${given.title}`, () => {
      assert.equal(run(language, given) === 'valid', given.isValid)
    })
  }
}

// PHP is rarely installed where this runs (README.md): its example is compared with the one of Python, statement by statement.
test('the same steps in PHP as in Python, which runs above', () => {
  const textOf = (wanted: string) => WEBHOOK_EXAMPLES.find(({ language }) => language === wanted)?.text ?? ''
  const steps = (text: string, patterns: readonly RegExp[]) => patterns.map((pattern) => text.search(pattern))
  const php = steps(textOf('PHP'), [
    /\['webhook-id'\]/,
    /\['webhook-timestamp'\]/,
    /!ctype_digit\(\$timestamp\) \|\| abs\(time\(\) - \(int\) \$timestamp\) > 300/,
    /base64_decode\(str_replace\('whsec_', '', \$secret\)\)/,
    /'v1,' \. base64_encode\(hash_hmac\('sha256', "\$id\.\$timestamp\.\$body", \$key, true\)\)/,
    /explode\(' ', \$headers\['webhook-signature'\]/,
    /hash_equals\(\$expected, \$signature\)/,
  ])
  const python = steps(textOf('Python'), [
    /"webhook-id"/,
    /"webhook-timestamp"/,
    /not timestamp\.isdigit\(\) or abs\(time\.time\(\) - int\(timestamp\)\) > 300/,
    /b64decode\(secret\.removeprefix\("whsec_"\)\)/,
    /"v1," \+ base64\.b64encode\(hmac\.new\(key, signed, hashlib\.sha256\)\.digest\(\)\)/,
    /"webhook-signature".*split\(" "\)/,
    /hmac\.compare_digest\(expected\.encode\(\), each\.encode\(\)\)/,
  ])
  for (const places of [php, python]) {
    assert.ok(
      places.every((place) => place >= 0),
      JSON.stringify(places),
    )
    assert.deepEqual(
      places.toSorted((one, other) => one - other),
      places,
    )
  }
})
