import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Code, List, P } from '../prose.tsx'
import { GuideSection, PlaceLink } from '../section.tsx'
import { StatusWord } from '../status-word.tsx'

type Outcome = { digits: string; status: 'PENDING' | 'SUCCESS' | 'FAILED'; message: string | null; explanation: string }

/** What the simulated operators do. */
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
