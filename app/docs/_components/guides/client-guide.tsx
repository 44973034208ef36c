import { buttonClass } from '#components/ui/button.tsx'
import { CLIENT_FILES, CLIENT_LANGUAGES, type ClientLanguage, clientPath, SAMPLE_TITLES } from '#lib/partner/reference.ts'
import { CodeBlock } from '../code-block.tsx'
import { GuideSection, List, P } from '../prose.tsx'

/** Clients to download, one file for each language. `samples`: a first collect with each. */
export function ClientGuide({ samples }: { samples: Record<ClientLanguage, string> }) {
  return (
    <>
      <GuideSection guide="clients" id="download">
        <P>
          A client is one file without packages, with a method for each operation of version 2 and the types of what goes in and out. Put it
          into your project and keep it under version control.
        </P>
        <List
          items={[
            'TypeScript: Node.js 22.18 or later runs the file as it is, and so do Deno and Bun.',
            'Python 3.9 or later, with its standard library. Methods and parameters are in snake case: `create_collect`.',
            'PHP 8.1 or later, with the extension `curl`. Array shapes are in the notation of PHPStan.',
          ]}
        />
        <p lang="en" className="flex flex-wrap gap-2">
          {CLIENT_LANGUAGES.map((language) => (
            <a key={language} href={clientPath(language)} download={CLIENT_FILES[language]} className={buttonClass('quiet', 'medium')}>
              {`Download ${CLIENT_FILES[language]}`}
            </a>
          ))}
        </p>
      </GuideSection>
      <GuideSection guide="clients" id="collect">
        <P>The client signs in when it is first needed. The examples read your values from the environment.</P>
        {CLIENT_LANGUAGES.map((language) => (
          <CodeBlock key={language} label={SAMPLE_TITLES[language]} source={samples[language]} isCode />
        ))}
        <P>
          Without a key of yours, the client makes an `Idempotency-Key`: it is the `externalId` of the answer. To be able to repeat a
          payment after your own program stopped, make the key, store it with your order, and pass it.
        </P>
      </GuideSection>
      <GuideSection guide="clients" id="behaviour">
        <List
          items={[
            'The access token is kept. After a 401 it is renewed once, and the call is repeated once.',
            'A request may take 30 seconds, or what you set. A request that timed out is not repeated automatically.',
            'After a 429 or 503 the client waits as long as `Retry-After` says, up to 60 seconds, and tries again, at most twice. It does so for a `GET`, and for a `POST` that is carried out once however often it arrives: with an `Idempotency-Key`, or with an `externalId` of its own, as a refund has.',
            'Redirects are not followed, so your credentials go to the service only.',
            'Lists return `nextCursor`. Pass it as the cursor of the next call until it is null.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="clients" id="errors">
        <P>
          Every refusal is a `CountersignError` (PHP: `CountersignException`) with the status, the code and the message of the answer.
          Decide by the code (PHP: `errorCode`), and show the message to people only.
        </P>
        <List
          items={[
            '`timeout` and `no_connection`, with status 0: no answer arrived. Repeat the call with the `idempotencyKey` of the error; the payment is made once.',
            '`unreadable_answer`: what answered is not the service, such as a proxy in between.',
            '`status_401` and others with a number: the answers of the token calls, which have no code.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="clients" id="webhooks">
        <P>
          Each file also verifies the signature of a webhook: `isGenuineWebhook(headers, body, secret)` in TypeScript, `is_genuine_webhook`
          in Python and `CountersignClient::isGenuineWebhook` in PHP. Pass the headers with names in lower case and the body as it arrived,
          before any JSON parser. The result is the type `TransactionResult`.
        </P>
      </GuideSection>
    </>
  )
}
