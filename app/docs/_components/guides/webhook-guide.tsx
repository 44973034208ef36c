import { buttonClass } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import {
  LISTEN_FILE,
  LISTEN_PATH,
  type ReferenceExample,
  type ReferenceField,
  type SampleLanguage,
  type Samples,
} from '#lib/partner/reference.ts'
import { CodeBlock, CodeSamples } from '../code-block.tsx'
import { FieldList } from '../operation-page.tsx'
import { GuideSection, List, P } from '../prose.tsx'

type Props = {
  t: Translate
  baseUrl: string
  webhook: { headers: ReferenceField[]; fields: ReferenceField[]; examples: ReferenceExample[] }
  verify: Samples
  gapsMs: readonly number[]
  language: SampleLanguage
}

/** Results that the service sends. */
export function WebhookGuide({ t, baseUrl, webhook, verify, gapsMs, language }: Props) {
  return (
    <>
      <GuideSection guide="webhooks" id="payload">
        <P>
          When a transaction becomes `SUCCESS` or `FAILED`, the service sends a `POST` with this JSON body to the `webhookUrl` of the
          request.
        </P>
        {webhook.examples.map(({ name, summary, json }) => (
          <CodeBlock key={name} label={summary} source={json} />
        ))}
        <FieldList t={t} fields={webhook.fields} place="body" />
      </GuideSection>
      <GuideSection guide="webhooks" id="headers">
        <FieldList t={t} fields={webhook.headers} place="header" />
      </GuideSection>
      <GuideSection guide="webhooks" id="answer">
        <List
          items={[
            'Only status 200 counts as received: 201, 202, 204 and every redirect are failures.',
            'Answer within 5 seconds, counted from the look-up of your host name to the last byte of your answer. Store the webhook, answer, and work afterwards.',
            'Redirects are never followed. Register the final `https` address.',
            'The body of your answer is ignored.',
            'Your address must be public: private networks and `localhost` are called only in the sandbox.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="webhooks" id="schedule">
        <P>At most four attempts are made. Each has the same body, byte for byte, and the same `webhook-id`.</P>
        <List isOrdered items={['at once', ...gapsMs.map((gapMs) => `${describe(gapMs)} after the attempt before failed`)]} />
        <P>
          After the last failure, call `chekTransactionStatus` with the `transactionId`, or have a person resend the webhook in the back
          office. In rare cases, a crash between your 200 and its record, a webhook arrives twice: act once for each `transactionId`.
        </P>
      </GuideSection>
      <GuideSection guide="webhooks" id="secret">
        <P>
          The secret is the third credential of your program. It begins with `whsec_`, and the examples read it from `WEBHOOK_SECRET`. It is
          on the page Keys, and on Webhooks under Signing and tests: choose “Get the webhook secret”, have the proposal confirmed (in a
          sandbox, confirm it yourself), then “Generate the secret”. It is shown once: store it where your receiver reads it.
        </P>
      </GuideSection>
      <GuideSection guide="webhooks" id="verify">
        <P>
          Anybody can send a request to your address. Before you act, verify the signature, or read the status with `transaction-status`.
          The signature follows Standard Webhooks: an HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the body, joined with dots. The
          key is what follows `whsec_` in the secret, decoded from base64. Use the body as it arrived, before any JSON parser.
        </P>
        <CodeSamples title="A receiver that verifies" samples={verify} initial={language} />
      </GuideSection>
      <GuideSection guide="webhooks" id="rotation">
        <P>
          While a secret is replaced, `webhook-signature` has two signatures, separated by a space: one of the old secret and one of the
          new. The examples accept either, so you can change your secret at any time before the old one ends.
        </P>
      </GuideSection>
      <GuideSection guide="webhooks" id="local">
        <P>
          In the sandbox, the program `countersign` brings your webhooks to a server that only your machine can reach, with the same body
          and signature. It needs Node.js 20 or later, and no other package. npm runs it from the address below and keeps nothing in your
          project.
        </P>
        <CodeBlock label="Shell" source={listenCommand(baseUrl)} />
        <p lang="en">
          <a href={LISTEN_PATH} download={LISTEN_FILE} className={buttonClass('quiet', 'medium')}>
            {`Download ${LISTEN_FILE}`}
          </a>
        </p>
        <List
          items={[
            'Your address must be on the allow list of the application, as for any call.',
            'Each line shows the status, the `transactionId`, the answer of your server and a cursor. `--after` with a cursor continues behind that webhook.',
            'While nothing listens at the local address, it waits and tries again. Any answer of your server counts as received.',
            'The delivery to `webhookUrl` goes on as always.',
          ]}
        />
      </GuideSection>
    </>
  )
}

function listenCommand(baseUrl: string): string {
  return `# BASE_URL, API_KEY, API_ID, API_USER and API_PASSWORD are in the environment.
npm exec --yes --package=${baseUrl}${LISTEN_PATH} -- countersign listen --forward-to localhost:3000/hooks`
}

function describe(gapMs: number): string {
  return gapMs < 60_000 ? `${gapMs / 1_000} seconds` : `${gapMs / 60_000} minutes`
}
