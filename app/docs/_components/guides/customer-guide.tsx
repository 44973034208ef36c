import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { type CustomerStep, customerStepOf, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { Code, GuideSection, List, P } from '../prose.tsx'

const STEPS: Readonly<Record<CustomerStep, string>> = {
  prompt: 'Prompt: confirms on the phone with the secret code',
  link: 'Link: follows a link or scans a QR code, and confirms at the operator',
  code: 'Code: dials a number, gets a code, and enters it on the customer’s page',
}

/** How the customers of a collect pay at each of the operators. */
export function CustomerGuide({ baseUrl }: { baseUrl: string }) {
  const withPrompt = OPERATOR_CODES.filter((code) => customerStepOf(code) === 'prompt').length
  return (
    <>
      <GuideSection guide="customers" id="steps">
        <P>
          {`A collect ends when its customer has agreed. ${withPrompt} of the ${OPERATOR_CODES.length} operators ask on the customer’s phone. The others send nothing: without the customer’s page, the customer never learns of the payment.`}
        </P>
        <ul lang="en" className="divide-y divide-line border-y border-line">
          {Object.values(OPERATORS).map(({ code, country }) => (
            <li key={code} className="grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <span className="w-24">
                  <Code>{code}</Code>
                </span>
                <OperatorMark code={code} isCountryHidden />
                <Code>{country.name}</Code>
              </p>
              <p className="text-ink-2">{STEPS[customerStepOf(code)]}</p>
            </li>
          ))}
        </ul>
      </GuideSection>
      <GuideSection guide="customers" id="page">
        <P>
          {`Every collect has a page for its customer. Send the customer to \`${baseUrl}/pay/<payToken>\`, with the \`payToken\` of the response to \`collect\`: redirect the browser, or send the address in a message. The page says who requests which amount, shows the link, the number to dial or that the phone asks, and finally the result.`}
        </P>
        <List
          items={[
            'Use it for every operator: where the phone asks, the page says so. Then your program needs no case for each operator.',
            'Store the `payToken` of the response to `collect`. Later responses may have the token of the operator, which names no page.',
            'The page expires a day after the transaction has ended. A wrong token looks like an expired one.',
            'It works without JavaScript, in English and in French.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="customers" id="result">
        <P>
          The transaction stays `PENDING` until the customer agrees or refuses, or until the time of the operator is over; then it is
          `FAILED`. The customer has 30 minutes for a code and three tries; after the third wrong code, its message is `Trois codes
          erronés`. A collect that was not paid can be started again with a new `externalId`.
        </P>
      </GuideSection>
      <GuideSection guide="customers" id="test">
        <P>
          In the sandbox the simulated customer pays after a second and a half. A tester who opens the page or the link before that acts as
          the customer instead. The sandbox tools of the back office start a test collect, and link to its page and to the simulated phone
          on which codes are dialled for.
        </P>
      </GuideSection>
    </>
  )
}
