import { Table, Td, Th, Tr } from '#components/ui/display/table.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ReferenceCause, ReferenceOperation, SampleLanguage } from '#lib/partner/reference.ts'
import { CodeBlock, CodeSamples } from '../code-block.tsx'
import { CauseList } from '../operation-page.tsx'
import { Code, GuideSection, List, P, PlaceLink, StatusWord } from '../prose.tsx'

/** Safe retries. */
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
      <GuideSection guide="idempotency" id="key">
        <P>
          `POST /api/v2/collects` and `POST /api/v2/deposits` require the header `Idempotency-Key`, a UUID version 4. It takes the place of
          `externalId` in the body and is the `externalId` of the transaction everywhere else: in answers, lists and webhooks.
        </P>
        <List
          items={[
            'The same key with the same content: 200 with the transaction that exists, and the header `Idempotency-Replayed: true`.',
            'The same key with other content: 422 with the code `idempotency_key_reused`. Nothing is started.',
            'A request that was refused leaves its key free: correct the request and send it with the same key.',
            'Keys never expire, and they are shared with version 1: a payment that was started there is found here.',
          ]}
        />
        <P>
          `POST /api/v2/batches` requires a key too. It names the batch, and each deposit of the batch has an `externalId` of its own. After
          a timeout, send the same batch with the same key: no deposit is started twice, not even under another key.
        </P>
      </GuideSection>
    </>
  )
}

type Props = { operations: ReadonlyMap<string, ReferenceOperation>; language: SampleLanguage }

/** The three credentials, and the headers of a call. */
export function AuthenticationGuide({ operations, language }: Props) {
  const refresh = operations.get('refreshToken')
  return (
    <>
      <GuideSection guide="authentication" id="credentials">
        <List
          items={[
            'An API key, which begins with `csk_`. It names your application and says what the program may do.',
            'An API user, a user name and a password, which you exchange for access tokens.',
            'The webhook secret, which begins with `whsec_`. It proves to your server that a webhook is from this service.',
          ]}
        />
        <P>The first two are for your calls to the service, the third for its calls to you. You get all of them on the page Keys.</P>
      </GuideSection>
      <GuideSection guide="authentication" id="headers">
        <P>Every operation below `/api/v1/transaction` requires three headers. Names of headers may be written in any letter case.</P>
        <CodeBlock label="Headers" source={'apiKey: csk_…\napiId: 7d0c…\nAuthorization: Bearer eyJ…'} />
        <List
          items={[
            '`apiKey` is a key of the application. It is shown once when it is created. Never send it to support, to a browser or to an app.',
            '`apiId` is the id of the application that the key belongs to. You may share it with support.',
            '`Authorization` holds the access token of an API user.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="authentication" id="tokens">
        <P>
          `POST /public/access_token` returns an access token for an hour and a refresh token for 30 days. `POST /public/refresh_token`
          exchanges the refresh token for a new pair. Neither needs `apiKey` or `apiId`.
        </P>
        {refresh && <CodeSamples title={refresh.summary} samples={refresh.samples} initial={language} />}
        <List
          items={[
            'A refresh token works once. Store the new one before you use it.',
            'If the answer is lost, the old one works for another 30 seconds.',
            'A refresh token that is used again later ends all tokens that came from it, because somebody else may have it. Sign in with the password then.',
            'Share one access token between the processes of a server. Attempts to sign in are throttled for each user name and address.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="authentication" id="scopes">
        <P>
          A key can be limited when it is made. A call outside its scopes is refused with 403, in both versions, and below `/api/v2` with
          the code `scope_missing`. A rotated key has the same scopes. A key that is not limited may do everything.
        </P>
        <List
          items={[
            '`payments:write`: start payments, and cancel them.',
            '`payments:read`: read transactions, their refunds and the operators.',
            '`refunds:write`: refund collects.',
            '`approvals:write`: validate and reject payments that wait.',
            '`accounts:read`: check accounts at operators.',
            '`reports:read`: totals, balances and settlement reports.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="authentication" id="addresses">
        <P>
          The address of the caller must be on the allow list of the application. An empty list admits nobody. The list takes single
          addresses and networks, such as `203.0.113.0/24`, and changes take effect within a second.
        </P>
      </GuideSection>
      <GuideSection guide="authentication" id="refused">
        <List
          items={[
            '401: a credential is missing, wrong, revoked or expired. The message is the same for all of them. Renew the token once and repeat the call once; if that fails, stop and tell a person.',
            '403: the credentials are right, and the address, the API user, the application or the transfer service is not allowed. The message says which. Repeating does not help.',
          ]}
        />
      </GuideSection>
    </>
  )
}

type ErrorGuideProps = { t: Translate; causes: readonly (ReferenceCause & { key: string; operations: string[] })[] }

const EXAMPLE = {
  timestamp: '2026-03-02T09:14:07.512Z',
  status: 400,
  error: 'Bad Request',
  message: 'phoneNumber is required. webhookUrl is required.',
  path: '/api/v1/transaction/collect',
}

/** Errors by cause. */
export function ErrorGuide({ t, causes }: ErrorGuideProps) {
  return (
    <>
      <GuideSection guide="errors" id="fields">
        <P>Every answer that is not 200 is JSON with these five fields, on every path below `/api/v1` and `/public`.</P>
        <CodeBlock label="400 Bad Request" source={JSON.stringify(EXAMPLE, null, 2)} />
        <P>`message` is for people and names every wrong field. Its wording can change: decide by `status`, never by `message`.</P>
      </GuideSection>
      <GuideSection guide="errors" id="codes">
        <P>
          Below `/api/v2` an error has a sixth field, `code`, for your program: `external_id_taken`, `overloaded`. A code keeps its meaning,
          and none is renamed or removed. New ones can be added: treat a code that you do not know by its `status`. The list below has the
          code of each cause in front of its message.
        </P>
      </GuideSection>
      <GuideSection guide="errors" id="order">
        <P>
          Checks happen in this order, and nothing is written before the last one: path and method (404, 405), credentials (401), address,
          user and application (403), form (400, 413, 415), transfer service (403), the object exists (404), the person may (403), the state
          allows it (400).
        </P>
        <P>
          Paths are compared as they are written: another letter case, or a slash at the end, is another path, and 404 with `There is no
          such endpoint.`
        </P>
      </GuideSection>
      <GuideSection guide="errors" id="retry">
        <List
          items={[
            '400, 403, 404, 405, 413, 415: do not retry. The same request gets the same answer.',
            '401: renew the token once, repeat once.',
            '408, 429, 503: retry after the seconds in `Retry-After`, or after a few seconds.',
            '500 or no response: retry after a few seconds, with the same `externalId`.',
          ]}
        />
        <P>
          Below `/api/v2` an application may send 1,000 requests at once and 100 per second. `RateLimit-Policy` has this allowance, and
          `RateLimit` what is left of it: `r` requests now, and `t` seconds until all of them are there again. Slow down as `r` approaches 0
          rather than waiting for a 429.
        </P>
      </GuideSection>
      <GuideSection guide="errors" id="causes">
        <P>
          Each cause with an example of its message, what to do, and the operations where it can happen; without operations, it can happen
          in nearly all of them.
        </P>
        <CauseList t={t} causes={causes} />
      </GuideSection>
    </>
  )
}

type Outcome = { digits: string; status: 'PENDING' | 'SUCCESS' | 'FAILED'; message: string | null; explanation: string }

/** The results that the simulated operators produce. */
export function SandboxGuide({ outcomes }: { outcomes: readonly Outcome[] }) {
  return (
    <>
      <GuideSection guide="sandbox" id="numbers">
        <P>
          In the sandbox, simulated operators take the place of the real ones. The last three digits of the phone number decide what
          happens, for every operator, for collects and deposits.
        </P>
        <div lang="en" className="overflow-x-auto">
          <Table
            caption="Phone numbers and their outcomes"
            head={
              <>
                <Th>Last digits</Th>
                <Th>Result</Th>
                <Th className="max-sm:hidden">What happens</Th>
              </>
            }
          >
            {outcomes.map(({ digits, status, message, explanation }) => (
              <Tr key={digits} className="align-top">
                <Td>
                  <PlaceLink id={`n${digits}`} className="font-mono">
                    <span id={`n${digits}`} className="scroll-mt-20">
                      {digits}
                    </span>
                  </PlaceLink>
                </Td>
                <Td>
                  <StatusWord status={status} />
                  {message && <p className="text-second text-quiet">{message}</p>}
                  <p className="text-second text-ink-2 sm:hidden">{explanation}</p>
                </Td>
                <Td className="max-sm:hidden">{explanation}</Td>
              </Tr>
            ))}
            <Tr className="align-top">
              <Td>any other</Td>
              <Td>
                <StatusWord status="SUCCESS" />
              </Td>
              <Td className="max-sm:hidden">The money moves after about a second and a half.</Td>
            </Tr>
          </Table>
        </div>
        <P>Numbers must be complete: `237677209901` fails with `Solde insuffisant`.</P>
        <p lang="en">
          A deposit that the deposit balance does not cover ends as <Code>FAILED</Code> with <Code>Solde insuffisant</Code> too, without
          reaching the operator.
        </p>
      </GuideSection>
      <GuideSection guide="sandbox" id="difference">
        <List
          items={[
            'No money moves, and the balances are play money.',
            'Webhooks may go to `localhost` and private addresses. In production only public addresses are called.',
            'Everything else is the same program: checks, states, fees, webhooks and their signatures, limits.',
          ]}
        />
      </GuideSection>
    </>
  )
}
