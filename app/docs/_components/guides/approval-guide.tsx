import type { PaymentExample, ReferenceOperation, SampleLanguage } from '#lib/partner/reference.ts'
import { CodeBlock, CodeSamples, OperationSamples } from '../code-block.tsx'
import { GuideSection, List, P } from '../prose.tsx'

type Props = {
  operations: ReadonlyMap<string, ReferenceOperation>
  language: SampleLanguage
  /** A deposit above the limit of the rule. */
  deposit: PaymentExample
  /** The rule that holds deposits of a program back in this sandbox; undefined outside of a sandbox. */
  sandbox: { file: string; application: string; rule: string; limit: number; currency: string; checker: string } | undefined
}

/** How a transaction comes to wait for approval, and how it leaves that state. */
export function ApprovalGuide({ operations, language, deposit, sandbox }: Props) {
  const sample = (id: string) => {
    const operation = operations.get(id)
    return operation && <OperationSamples operation={operation} initial={language} />
  }
  return (
    <>
      <GuideSection guide="approvals" id="rule">
        <P>
          The approval rules of your application decide which transactions wait. A rule names who started a transaction (your program, a
          person or a file), the countries and operators, and the amount above which it applies. They are on the page Approval rules of the
          back office, which every member can read.
        </P>
        <P>
          A transaction that a rule applies to begins as `PENDING_APPROVAL` and not as `PENDING`. Nothing goes to the operator until the
          checkers that the rule requires have approved it. For a deposit, the money is held meanwhile. Without a rule for your program, its
          transactions are sent at once.
        </P>
      </GuideSection>
      <GuideSection guide="approvals" id="start">
        {sandbox ? (
          <>
            <P>
              {`In this sandbox, the rule “${sandbox.rule}” of the application ${sandbox.application} holds back each deposit of its program above \
${formatAmount(sandbox.limit)} ${sandbox.currency}. That application is the second one in \`${sandbox.file}\`. With its credentials, this deposit waits:`}
            </P>
            <CodeBlock label="Credentials, a token and a checker of the second application" source={credentialsOf(sandbox.file)} />
          </>
        ) : (
          <P>Send a deposit of an amount above the limit of a rule that names your program:</P>
        )}
        <CodeSamples title="A deposit that waits" samples={deposit.samples} run={deposit.run} initial={language} />
        <P>
          The answer has the `transactionStatus` `PENDING_APPROVAL`. Put its `transactionId` into `TRANSACTION_ID`. An amount up to the
          limit is `PENDING` at once: nobody has to approve it.
        </P>
      </GuideSection>
      <GuideSection guide="approvals" id="checker">
        <List
          items={[
            '`checkerId` is the id of a person with the checker role in your application. The page Keys lists all of them with their ids. Put one into `CHECKER_ID`.',
            ...(sandbox ? [`In this sandbox, ${sandbox.checker} is the checker; the block above has read the id from the file.`] : []),
            'It must not be the person who made the transaction, nor one who received a password of your API user: 403.',
            'Each rule says whether your program may decide at all. The rule of a new application allows it, and others only where an administrator has allowed it: otherwise 403 names the rule, and a checker decides in the back office.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="approvals" id="decide">
        <P>Approve it. After the last approval that the rule requires, the status is `PENDING`, and the operator has it:</P>
        {sample('validateTransaction')}
        <P>Or reject it. It ends as `FAILED`, with your reason as its message:</P>
        {sample('rejectTransaction')}
        <P>
          A transaction is decided once: the second of these two calls is refused with 400. Start another deposit to try both. If nobody
          decides within the time of the rule, 1 to 720 hours, it ends as `FAILED` too. Each end sends a webhook.
        </P>
      </GuideSection>
    </>
  )
}

function formatAmount(amount: number): string {
  return new Intl.NumberFormat('en').format(amount)
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
