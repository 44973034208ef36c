import { ButtonLink } from '#components/ui/button.tsx'
import { OPERATOR_CODES } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { environmentText, type ReferenceOperation, type SampleLanguage } from '#lib/partner/reference.ts'
import { CodeBlock, OperationSamples } from '../code-block.tsx'
import { GuideSection, List, P } from '../prose.tsx'

type Props = {
  operations: ReadonlyMap<string, ReferenceOperation>
  language: SampleLanguage
  baseUrl: string
  /** Of the reader's application; undefined without a session. */
  apiId: string | undefined
  sandboxFile: string | undefined
}

/** From credentials to the first payment. */
export function StartGuide({ operations, language, baseUrl, apiId, sandboxFile }: Props) {
  const sample = (id: string) => {
    const operation = operations.get(id)
    return operation && <OperationSamples operation={operation} initial={language} />
  }
  return (
    <>
      <div className="mt-6 grid gap-3">
        <P>
          {`Collect from customers and send money to beneficiaries through ${OPERATOR_CODES.length} mobile money operators in seven countries. \
You send a request, get a transaction at once, and learn its result seconds or minutes later.`}
        </P>
      </div>
      <GuideSection guide="start" id="credentials">
        <P>There are three, and you get each on the page Keys of the back office:</P>
        <List
          items={[
            'An API key: `apiKey`, and the `apiId` of your application.',
            'An API user: a user name and a password, which you exchange for a token.',
            'The webhook secret, with which you verify that a webhook is from this service.',
          ]}
        />
        <P>
          You propose each one, an administrator confirms it, and then the page generates it and shows it once, to you alone. In a sandbox
          you confirm your own proposals. The address of your server must be on the allow list, on the same page: an administrator confirms
          it in a sandbox too.
        </P>
        {sandboxFile && (
          <P>{`This is a sandbox: the file \`${sandboxFile}\` has all three credentials of two applications, and their people.`}</P>
        )}
        <P>The examples on these pages read your values from the environment, so that you can paste and run them as they are:</P>
        <CodeBlock label="Environment" source={environmentText(baseUrl, apiId)} />
      </GuideSection>
      <GuideSection guide="start" id="token">
        <P>Exchange the user name and password for an access token. It is valid for an hour.</P>
        {sample('accessToken')}
        <P>Put `access_token` of the answer into `ACCESS_TOKEN`.</P>
      </GuideSection>
      <GuideSection guide="start" id="first-collect">
        <P>Ask a customer for 5,000 XAF. `externalId` is yours: a new UUID for each payment, and the same one when you repeat a request.</P>
        {sample('collect')}
        <P>
          The answer has a `transactionId` and the status `PENDING`: the customer has to confirm on the phone. Put the id into
          `TRANSACTION_ID`.
        </P>
      </GuideSection>
      <GuideSection guide="start" id="result">
        <P>The service sends the result to `webhookUrl`. To look without waiting, read the status:</P>
        {sample('transactionStatus')}
        <P>`SUCCESS` and `FAILED` are final. In the sandbox, the last three digits of the phone number decide which of them it will be.</P>
      </GuideSection>
      <GuideSection guide="start" id="go-live">
        <List
          isOrdered
          items={[
            'Store `transactionId` with your order before you do anything else with the answer.',
            'After a timeout, repeat the request with the same `externalId` and the same content. Never make a new one.',
            'Answer webhooks with status 200 within 5 seconds, and verify their signature.',
            'Act once for each `transactionId`: a webhook can arrive twice.',
            'Keep the access token for its hour. After a 401, renew it once and repeat the call once.',
            'Poll less often as time passes: every few seconds at first, every few minutes later.',
            'Try each outcome of the sandbox, and look at what your customers would see.',
          ]}
        />
        <p lang="en" className="flex flex-wrap gap-2">
          <ButtonLink href={paths.docs('sandbox')}>Outcomes of the sandbox</ButtonLink>
          <ButtonLink href={paths.docs('webhooks')}>Webhooks</ButtonLink>
          <ButtonLink href={paths.docs('errors')}>Errors by cause</ButtonLink>
        </p>
      </GuideSection>
    </>
  )
}
