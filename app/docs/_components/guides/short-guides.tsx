import { List, P } from '../prose.tsx'
import { GuideSection } from '../section.tsx'

/** What may be repeated. */
export function IdempotencyGuide() {
  return (
    <>
      <GuideSection guide="idempotency" id="retry">
        <P>
          Every payment has an `externalId` that you choose, a UUID of version 4. If you do not know whether a request arrived (a timeout, a
          broken connection, a 500 or a 503), send exactly the same request again.
        </P>
        <List
          items={[
            'If the first request was not accepted, the second one starts the transaction.',
            'If it was accepted, the answer is 200 with the transaction that exists and its current status. Nothing is started twice, also when fifty equal requests arrive at the same moment.',
            'There is no time limit: an `externalId` belongs to its transaction forever.',
          ]}
        />
        <P>
          Generate the `externalId` once for each order and store it before you send the request. A new one for each attempt would pay
          twice.
        </P>
      </GuideSection>
      <GuideSection guide="idempotency" id="conflict">
        <P>
          The same `externalId` with any other content (another amount, another phone number, a deposit in place of a collect) is refused
          with 400, and nothing changes. It is compared in lower case.
        </P>
      </GuideSection>
      <GuideSection guide="idempotency" id="batch">
        <P>
          `depositMultiple` follows the same rule for each element. After a timeout or a 503, send the same array again: deposits that were
          started are returned, the others are started. The same `externalId` twice in one array is refused with 400.
        </P>
      </GuideSection>
    </>
  )
}

/** What may change. */
export function VersionGuide({ version }: { version: string }) {
  return (
    <>
      <GuideSection guide="versions" id="promise">
        <P>{`The version is part of the path: \`/api/${version}\`. There is one version today. Within it, these changes can happen at any time, and your program must not mind them:`}</P>
        <List
          items={[
            'a new endpoint, or a new optional field of a request',
            'a new field of a response that is not an error',
            'a new cause of an error, or another wording of a `message`',
            'another order of the fields of a JSON object',
            'a new value of `message` in a webhook, because operators write it',
          ]}
        />
        <P>
          Everything else gets a new version, and the old one continues beside it: names, types and meanings of fields, statuses, states,
          and the schedule of webhooks.
        </P>
      </GuideSection>
      <GuideSection guide="versions" id="document">
        <P>
          The reference is made from an OpenAPI 3.1 document, and so can be your client: generators such as `@hey-api/openapi-ts` read it
          without changes. It describes every operation, field and cause of an error, and the webhook.
        </P>
        <p>
          <a href="/api/v1/openapi.json" className="font-mono text-accent underline">
            /api/v1/openapi.json
          </a>
        </p>
      </GuideSection>
    </>
  )
}
