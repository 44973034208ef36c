import { CREATION_STATUSES, FAILURE_MESSAGES, TRANSITIONS, type TransitionEvent } from '#lib/transaction-status.ts'
import { Code, P } from '../prose.tsx'
import { GuideSection } from '../section.tsx'
import { StateGraph } from '../state-graph.tsx'
import { StatusWord } from '../status-word.tsx'

const EXPLANATIONS: Record<TransitionEvent, string> = {
  approved: 'The last approval that the rule requires was recorded. The transaction goes to the operator.',
  rejected: 'A checker rejected it. The reason is its message.',
  recalled: 'The person who made it in the back office took it back.',
  expired: 'Nobody decided within seven days.',
  succeeded: 'The operator says that the money moved.',
  failed: 'The operator says that it did not. A timeout alone never fails a transaction.',
  stopped: 'People stopped its batch before the operator received it.',
  refused_for_funds: 'The deposit balance does not cover the amount and both fees. It never reaches the operator.',
}

const MESSAGES: Record<keyof typeof FAILURE_MESSAGES, string> = {
  insufficientFunds: 'The wallet of the customer, or your deposit balance, does not hold the amount.',
  invalidNumber: 'The number does not exist at the operator.',
  cancelledByCustomer: 'The customer refused the confirmation on the phone.',
  operatorTimeout: 'The operator itself reports a timeout: the money did not move.',
  notRegistered: 'The number has no mobile money account.',
}

/** The states of a transaction, from the table that the service uses. */
export function StateGuide() {
  return (
    <>
      <GuideSection guide="states" id="graph">
        <P>A transaction has one of four states. `SUCCESS` and `FAILED` are final and never change; each of them sends one webhook.</P>
        <StateGraph />
      </GuideSection>
      <GuideSection guide="states" id="edges">
        <dl lang="en" className="divide-y divide-line border-y border-line">
          {CREATION_STATUSES.map((to) => (
            <Edge key={to} name="created" to={to}>
              {to === 'PENDING'
                ? 'The request was accepted.'
                : 'The request was accepted, and an approval rule of your application applies to it.'}
            </Edge>
          ))}
          {Object.entries(TRANSITIONS).map(([event, { from, to }]) => (
            <Edge key={event} name={event} from={from} to={to}>
              {EXPLANATIONS[event as TransitionEvent]}
            </Edge>
          ))}
        </dl>
        <P>
          While a transaction is `PENDING`, the service asks the operator again and again, at growing intervals, for as long as it takes.
        </P>
      </GuideSection>
      <GuideSection guide="states" id="messages">
        <P>
          The webhook of a failed transaction has a `message`. These are the ones that operators share; others can be any text in French.
        </P>
        <dl lang="en" className="grid gap-2">
          {Object.entries(FAILURE_MESSAGES).map(([reason, message]) => (
            <div key={reason}>
              <dt lang="fr">
                <Code>{message}</Code>
              </dt>
              <dd className="text-ink-2">{MESSAGES[reason as keyof typeof FAILURE_MESSAGES]}</dd>
            </div>
          ))}
        </dl>
      </GuideSection>
    </>
  )
}

type EdgeProps = {
  name: string
  from?: (typeof TRANSITIONS)[TransitionEvent]['from']
  to: (typeof TRANSITIONS)[TransitionEvent]['to'] | 'PENDING_APPROVAL'
  children: string
}

function Edge({ name, from, to, children }: EdgeProps) {
  return (
    <div className="py-2">
      <dt className="flex flex-wrap items-center gap-2">
        {from && <StatusWord status={from} />}
        <span className="font-mono text-second text-ink-2">
          {name} <span aria-hidden="true">→</span>
        </span>
        <StatusWord status={to} />
      </dt>
      <dd className="mt-0.5 text-ink-2">{children}</dd>
    </div>
  )
}
