import type { Translate } from '#lib/i18n/translate.ts'
import type { PaymentExample, ReferenceOperation, SampleLanguage } from '#lib/partner/reference.ts'
import { CodeBlock, CodeSamples, OperationSamples } from '../code-block.tsx'
import { GuideSection, List, P } from '../prose.tsx'

type Props = {
  t: Translate
  operations: ReadonlyMap<string, ReferenceOperation>
  language: SampleLanguage
  /** A deposit above the limit of the rule. */
  deposit: PaymentExample
  /** The rule that holds deposits of a program back in this sandbox; undefined outside of a sandbox. */
  sandbox: { file: string; application: string; rule: string; limit: number; currency: string; checker: string } | undefined
}

/** How a transaction comes to wait for approval, and how it leaves that state. */
export function ApprovalGuide({ t, operations, language, deposit, sandbox }: Props) {
  const sample = (id: string) => {
    const operation = operations.get(id)
    return operation && <OperationSamples operation={operation} initial={language} />
  }
  return (
    <>
      <GuideSection guide="approvals" id="rule">
        <P>{t('guides.approvals.rule.a')}</P>
        <P>{t('guides.approvals.rule.b')}</P>
      </GuideSection>
      <GuideSection guide="approvals" id="start">
        {sandbox ? (
          <>
            <P>{t('guides.approvals.start.sandbox', sandbox)}</P>
            <CodeBlock label={t('guides.approvals.start.credentials')} source={credentialsOf(sandbox.file)} />
          </>
        ) : (
          <P>{t('guides.approvals.start.a')}</P>
        )}
        <CodeSamples title={t('guides.approvals.start.deposit')} samples={deposit.samples} run={deposit.run} initial={language} />
        <P>{t('guides.approvals.start.b')}</P>
      </GuideSection>
      <GuideSection guide="approvals" id="checker">
        <List
          items={[
            t('guides.approvals.checker.a'),
            ...(sandbox ? [t('guides.approvals.checker.sandbox', { checker: sandbox.checker })] : []),
            t('guides.approvals.checker.b'),
            t('guides.approvals.checker.c'),
          ]}
        />
      </GuideSection>
      <GuideSection guide="approvals" id="decide">
        <P>{t('guides.approvals.decide.a')}</P>
        {sample('validateTransaction')}
        <P>{t('guides.approvals.decide.b')}</P>
        {sample('rejectTransaction')}
        <P>{t('guides.approvals.decide.c')}</P>
      </GuideSection>
    </>
  )
}

/** Sets the variables of the examples from the file of the sandbox, and signs in. */
function credentialsOf(file: string): string {
  return `eval "$(node -e '
  const { baseUrl, applications: [, second] } = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))
  const checker = second.people.find(({ roles }) => roles.includes("checker"))
  console.log("export BASE_URL=" + baseUrl + " API_ID=" + second.apiId + " API_KEY=" + second.apiKey + " CHECKER_ID=" + checker.id)
  fetch(baseUrl + "/public/access_token", { method: "POST", headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: second.username, password: second.password }) })
    .then((response) => response.json()).then((tokens) => console.log("export ACCESS_TOKEN=" + tokens.access_token))
' "${file}")"`
}
