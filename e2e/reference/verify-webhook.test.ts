import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { CLIENT_FILES, CLIENT_LANGUAGES, SAMPLE_LANGUAGES, SAMPLE_TITLES, type SampleLanguage } from '#lib/partner/reference.ts'
import { readClient } from '#server/http/clients/client-files.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { signWebhook } from '#server/webhooks/send/sign-webhook.ts'
import { CLIENT_VERIFIERS } from './client-programs.ts'
import { describeRun, isInstalled, parsePhp, runSample } from './run-sample.ts'

const SECRET = `whsec_${Buffer.alloc(32, 251).toString('base64')}`
const OLD_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BODY = '{"externalId":"é","amount":100.50,"message":"Transaction effectuée avec succès","n":"a\\u0000b"}'
const both = [OLD_SECRET, SECRET].map((secret) => ({ secret, expiresAt: null }))
const signed = (at = new Date()) => signWebhook('msg_1', BODY, both, at)
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000)

/** Headers are made when the test runs: they are too old five minutes later. */
type Case = { title: string; isGenuine: boolean; sign?: () => Readonly<Record<string, string | undefined>>; body?: string; secret?: string }
const CASES: readonly Case[] = [
  { title: 'the second of two signatures', isGenuine: true },
  { title: 'the first of two signatures', isGenuine: true, secret: OLD_SECRET },
  { title: 'another body', isGenuine: false, body: BODY.replace('100', '900') },
  { title: 'another secret', isGenuine: false, secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
  { title: 'another id', isGenuine: false, sign: () => ({ ...signed(), 'webhook-id': 'msg_2' }) },
  { title: 'older than five minutes', isGenuine: false, sign: () => ({ ...signed(inSeconds(-301)) }) },
  { title: 'from the future', isGenuine: false, sign: () => ({ ...signed(inSeconds(400)) }) },
  {
    title: 'no signature',
    isGenuine: false,
    sign: () => ({ 'webhook-id': 'msg_1', 'webhook-timestamp': signed()['webhook-timestamp'] }),
  },
  { title: 'an empty signature', isGenuine: false, sign: () => ({ ...signed(), 'webhook-signature': '' }) },
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
  for (const { title, isGenuine, sign = signed, body = BODY, secret = SECRET } of CASES) {
    test(`${isGenuine ? 'genuine' : 'not genuine'} in ${SAMPLE_TITLES[language]}: ${title}`, async () => {
      const { call, genuine } = CALLS[language]
      const headers: Readonly<Record<string, string | undefined>> = sign()
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

/** Headers that anybody can make for a program that has no secret. */
function signedWithNothing(): Record<string, string> {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = signed()
  const signature = createHmac('sha256', '').update(`${id}.${timestamp}.${BODY}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1, v1,${signature}` }
}

for (const language of SAMPLE_LANGUAGES.filter(isInstalled)) {
  test(`ends with an error in ${SAMPLE_TITLES[language]}: no secret, and a signature made with an empty one`, async () => {
    const headers = signedWithNothing()
    const variables = {
      WEBHOOK_SECRET: '',
      WEBHOOK_ID: headers['webhook-id'] ?? '',
      WEBHOOK_TIMESTAMP: headers['webhook-timestamp'] ?? '',
      WEBHOOK_SIGNATURE: headers['webhook-signature'] ?? '',
    }
    const files = { 'headers.json': JSON.stringify(headers), 'body.json': BODY }
    await assert.rejects(runSample(language, VERIFY_WEBHOOK[language] + CALLS[language].call, variables, files))
  })
}

for (const language of CLIENT_LANGUAGES.filter(isInstalled)) {
  test(`ends with an error in the client for ${SAMPLE_TITLES[language]}: no secret, and a signature made with an empty one`, async () => {
    const files = { 'headers.json': JSON.stringify(signedWithNothing()), 'body.json': BODY, [CLIENT_FILES[language]]: readClient(language) }
    await assert.rejects(runSample(language, CLIENT_VERIFIERS[language], { WEBHOOK_SECRET: '' }, files))
  })
}

for (const language of CLIENT_LANGUAGES.filter(isInstalled)) {
  for (const { title, isGenuine, sign = signed, body = BODY, secret = SECRET } of CASES) {
    test(`${isGenuine ? 'genuine' : 'not genuine'} in the client for ${SAMPLE_TITLES[language]}: ${title}`, async () => {
      const files = { 'headers.json': JSON.stringify(sign()), 'body.json': body, [CLIENT_FILES[language]]: readClient(language) }
      const printed = await runSample(language, CLIENT_VERIFIERS[language], { WEBHOOK_SECRET: secret }, files)
      assert.equal(printed.trim(), String(isGenuine))
    })
  }
}

test(`no syntax error in the PHP example that verifies a webhook (${describeRun('php')})`, () => {
  assert.doesNotThrow(() => parsePhp(VERIFY_WEBHOOK.php))
})
