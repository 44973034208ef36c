import { API_CHANGES } from '#lib/partner/api-changes.ts'
import { GuideSection, Inline, List, P } from '../prose.tsx'

const DOCUMENTS = ['/api/v1/openapi.json', '/api/v2/openapi.json'] as const

/** Compatible and breaking changes of the API, what each version has, and what was added when. */
export function VersionGuide({ version }: { version: string }) {
  return (
    <>
      <GuideSection guide="versions" id="promise">
        <P>{`The version is part of the path: \`/api/${version}\`. Within a version, these changes can happen at any time, and your program must not mind them:`}</P>
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
      <GuideSection guide="versions" id="two">
        <P>
          Payments, approvals, lists, totals and tokens are in version 1. Version 2 adds to them, below `/api/v2`, with the same credentials
          and the same transactions:
        </P>
        <List
          items={[
            'payments and batches of up to 10,000 deposits with an `Idempotency-Key`',
            'cancellations, and refunds of collects in whole or in part',
            'a list of transactions with filters and a cursor',
            'the availability and limits of the operators, and checks of accounts',
            'settlement reports of signed days',
            'errors with a `code` for your program, and the headers `RateLimit` and `RateLimit-Policy` on every answer',
          ]}
        />
        <P>A key can be limited to scopes when it is made. They apply in both versions: see Authentication.</P>
      </GuideSection>
      <GuideSection guide="versions" id="document">
        <P>
          The reference is made from two OpenAPI 3.1 documents, one for each version, and so are the client libraries of version 2.
          Generators such as `@hey-api/openapi-ts` read both without changes. They describe every operation, field and cause of an error,
          and the webhook.
        </P>
        <ul className="grid gap-1">
          {DOCUMENTS.map((address) => (
            <li key={address}>
              <a href={address} className="font-mono text-accent underline">
                {address}
              </a>
            </li>
          ))}
        </ul>
      </GuideSection>
      <GuideSection guide="versions" id="changes">
        <P>The newest first. Nothing in this list changes what existed before it.</P>
        <dl lang="en" className="grid max-w-[68ch] gap-3">
          {API_CHANGES.map(({ date, version: of, text }) => (
            <div key={`${date} ${text}`}>
              <dt className="font-medium">
                <time dateTime={date}>{date}</time> · {of}
              </dt>
              <dd className="text-ink-2">
                <Inline text={text} />
              </dd>
            </div>
          ))}
        </dl>
      </GuideSection>
    </>
  )
}
