import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SAMPLE_LANGUAGES, type SampleLanguage } from '#lib/reference.ts'
import { VERIFY_WEBHOOK } from '#server/http/reference/samples/verify-webhook.ts'
import { signWebhook, webhookIdOf } from '#server/webhooks/sign-webhook.ts'
import { webhookPayload } from '#server/webhooks/webhook-payload.ts'
import { PhpProgram } from './php-interpreter.ts'
import { runSample } from './run-sample.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const result = {
  externalId: crypto.randomUUID(),
  transactionId: crypto.randomUUID(),
  amountMinor: 5_000_00n,
  phoneNumber: '237677209341',
}
const body = webhookPayload(
  { ...result, status: 'SUCCESS', operator: 'MOMOCM', message: 'Réussie', finalAt: new Date().toISOString() },
  false,
)
const sign = (secrets: string[], at = new Date()) =>
  signWebhook(
    webhookIdOf(result.transactionId),
    body,
    secrets.map((secret) => ({ secret, expiresAt: null })),
    at,
  )

const VERIFIERS: Record<SampleLanguage, (headers: object, text: string) => Promise<boolean>> = {
  async curl(headers, text) {
    const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': signature = '' } = headers as Record<string, string>
    const variables = { WEBHOOK_SECRET: SECRET, WEBHOOK_ID: id, WEBHOOK_TIMESTAMP: at, WEBHOOK_SIGNATURE: signature }
    return (await runSample('curl', VERIFY_WEBHOOK.curl, variables, { 'body.json': text })) === 'genuine\n'
  },
  async typescript(headers, text) {
    const source = `${VERIFY_WEBHOOK.typescript}\nconsole.log(isGenuine(${JSON.stringify(headers)}, ${JSON.stringify(text)}))`
    return (await runSample('typescript', source, { WEBHOOK_SECRET: SECRET })) === 'true\n'
  },
  async python(headers, text) {
    const source = `${VERIFY_WEBHOOK.python}\n\nprint(is_genuine(${JSON.stringify(headers)}, open("body.json", "rb").read()))`
    return (await runSample('python', source, { WEBHOOK_SECRET: SECRET }, { 'body.json': text })) === 'True\n'
  },
  async php(headers, text) {
    const program = new PhpProgram({ WEBHOOK_SECRET: SECRET })
    await program.run(VERIFY_WEBHOOK.php)
    return (await program.call('isGenuine', [new Map(Object.entries(headers)), text])) === true
  },
}

/** The examples that verify the signature of a webhook. */
export function describeVerification(): void {
  describe('verification of webhooks', () => {
    for (const language of SAMPLE_LANGUAGES) {
      test(`genuine only with the right secret and body, in ${language}, also while a secret is rotated`, async () => {
        const verify = VERIFIERS[language]
        assert.equal(await verify(sign([SECRET]), body), true)
        assert.equal(await verify(sign(['whsec_bmV3', SECRET]), body), true)
        assert.equal(await verify(sign(['whsec_bmV3']), body), false)
        assert.equal(await verify(sign([SECRET]), body.replace('5000', '9000')), false)
        assert.equal(await verify({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1' }, body), false)
        // The shell example leaves the age to the caller.
        if (language !== 'curl') assert.equal(await verify(sign([SECRET], new Date(Date.now() - 600_000)), body), false)
      })
    }
  })
}
