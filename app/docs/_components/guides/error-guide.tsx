import type { Translate } from '#lib/i18n/translate.ts'
import type { ReferenceCause } from '#lib/reference.ts'
import { CauseList } from '../cause-list.tsx'
import { CodeBlock } from '../code-block.tsx'
import { List, P } from '../prose.tsx'
import { GuideSection } from '../section.tsx'

type Props = { t: Translate; causes: readonly (ReferenceCause & { key: string; operations: string[] })[] }

const EXAMPLE = {
  timestamp: '2026-03-02T09:14:07.512Z',
  status: 400,
  error: 'Bad Request',
  message: 'phoneNumber is required. webhookUrl is required.',
  path: '/api/v1/transaction/collect',
}

/** Errors by cause. */
export function ErrorGuide({ t, causes }: Props) {
  return (
    <>
      <GuideSection guide="errors" id="fields">
        <P>Every answer that is not 200 is JSON with these five fields, on every path below `/api/v1` and `/public`.</P>
        <CodeBlock label="400 Bad Request" source={JSON.stringify(EXAMPLE, null, 2)} />
        <P>`message` is for people and names every wrong field. Its wording can change: decide by `status`, never by `message`.</P>
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
