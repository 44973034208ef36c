import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SAMPLE_LANGUAGES, SAMPLE_TITLES, type SampleLanguage } from '#lib/partner/reference.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { signWebhook } from '#server/webhooks/send/sign-webhook.ts'
import { describeRun, isInstalled, parsePhp, runSample } from './run-sample.ts'

const SECRET = `whsec_${Buffer.alloc(32, 251).toString('base64')}`
const OLD_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BODY = '{"externalId":"é","amount":100.50,"message":"Transaction effectuée avec succès","n":"a\\u0000b"}'
const both = [OLD_SECRET, SECRET].map((secret) => ({ secret, expiresAt: null }))
const signed = (at = new Date()) => signWebhook('msg_1', BODY, both, at)
const old = new Date(Date.now() - 301_000)
const soon = new Date(Date.now() + 400_000)

type Case = { title: string; isGenuine: boolean; headers?: Readonly<Record<string, string | undefined>>; body?: string; secret?: string }
const CASES: readonly Case[] = [
  { title: 'the second of two signatures', isGenuine: true },
  { title: 'the first of two signatures', isGenuine: true, secret: OLD_SECRET },
  { title: 'another body', isGenuine: false, body: BODY.replace('100', '900') },
  { title: 'another secret', isGenuine: false, secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
  { title: 'another id', isGenuine: false, headers: { ...signed(), 'webhook-id': 'msg_2' } },
  { title: 'older than five minutes', isGenuine: false, headers: { ...signed(old) } },
  { title: 'from the future', isGenuine: false, headers: { ...signed(soon) } },
  {
    title: 'no signature',
    isGenuine: false,
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': signed()['webhook-timestamp'] },
  },
  { title: 'an empty signature', isGenuine: false, headers: { ...signed(), 'webhook-signature': '' } },
]

/** Programs that call the example with `headers.json` and `body.json`, and what each prints for a genuine webhook. */
const CALLS: Record<SampleLanguage, { call: string; genuine: string }> = {
  curl: { call: '', genuine: 'genuine' },
  typescript: {
    call: `
import { readFileSync } from 'node:fs'
console.log(isGenuine(JSON.parse(readFileSync('headers.json', 'utf8')), readFileSync('body.json', 'utf8')))`,
    genuine: 'true',
  },
  python: {
    call: `
import json
print(is_genuine(json.load(open("headers.json", encoding="utf-8")), open("body.json", "rb").read()))`,
    genuine: 'True',
  },
  php: {
    call: `
echo isGenuine(json_decode(file_get_contents('headers.json'), true), file_get_contents('body.json')) ? 'true' : 'false';`,
    genuine: 'true',
  },
}

for (const language of SAMPLE_LANGUAGES.filter(isInstalled)) {
  for (const { title, isGenuine, headers = signed(), body = BODY, secret = SECRET } of CASES) {
    test(`${isGenuine ? 'genuine' : 'not genuine'} in ${SAMPLE_TITLES[language]}: ${title}`, async () => {
      const { call, genuine } = CALLS[language]
      const variables = {
        WEBHOOK_SECRET: secret,
        WEBHOOK_ID: headers['webhook-id'] ?? '',
        WEBHOOK_TIMESTAMP: headers['webhook-timestamp'] ?? '',
        WEBHOOK_SIGNATURE: headers['webhook-signature'] ?? '',
      }
      const printed = await runSample(language, VERIFY_WEBHOOK[language] + call, variables, {
        'headers.json': JSON.stringify(headers),
        'body.json': body,
      })
      assert.equal(printed.trim() === genuine, isGenuine, printed)
    })
  }
}

test(`no syntax error in the PHP example that verifies a webhook (${describeRun('php')})`, () => {
  assert.doesNotThrow(() => parsePhp(VERIFY_WEBHOOK.php))
})
