import type { ReferenceOperation, SampleLanguage } from '#lib/reference.ts'
import { CodeBlock } from '../code-block.tsx'
import { CodeSamples } from '../code-samples.tsx'
import { List, P } from '../prose.tsx'
import { GuideSection } from '../section.tsx'

type Props = { operations: ReadonlyMap<string, ReferenceOperation>; language: SampleLanguage }

/** The three credentials. */
export function AuthenticationGuide({ operations, language }: Props) {
  const refresh = operations.get('refreshToken')
  return (
    <>
      <GuideSection guide="authentication" id="headers">
        <P>Every operation below `/api/v1/transaction` requires three headers. Names of headers may be written in any letter case.</P>
        <CodeBlock label="Headers" source={'apiKey: ck_…\napiId: 7d0c…\nAuthorization: Bearer eyJ…'} />
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
