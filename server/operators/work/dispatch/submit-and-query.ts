import type { CodeRefusal, Connector, KeepIdentifiers, QueryOutcome, Submission, SubmitOutcome } from '#server/operators/connector.ts'
import type { ClaimedWork } from '../operator-work-store.ts'
import { writeBeforeMs } from './claim-slots.ts'

/** The submission of a process that was stopped between its claim and its call, and must not make the call. */
export const TOO_LATE: SubmitOutcome = {
  kind: 'not_sent',
  detail: 'The process was stopped before the call',
  exchange: { httpStatus: null, answer: 'The process was stopped before the call' },
}

/** The submission of a row that was claimed just before its direction was closed for a fault of ours. */
export function closedFor(fault: string): SubmitOutcome {
  const detail = `The direction is closed: ${fault}`
  return { kind: 'not_sent', detail, exchange: { httpStatus: null, answer: detail } }
}

/** Submits claimed work to its operator. `keep` stores what it returns before the call that moves money. */
export function submitWork(
  connector: Connector,
  work: ClaimedWork,
  keep: KeepIdentifiers,
  more: Pick<Submission, 'merchantName' | 'payToken' | 'customerCode'>,
): Promise<SubmitOutcome | CodeRefusal> {
  const { applicationId, operator, type, amountMinor, currency, phoneNumber, customerName } = work
  return connector.submit(
    {
      reference: work.transactionId,
      applicationId,
      operator,
      type,
      amountMinor,
      currency,
      phoneNumber,
      customerName,
      operatorReference: work.operatorReference ?? undefined,
      operatorToken: work.operatorToken ?? undefined,
      isRepeated: work.isRepeated,
      writeBeforeMs: writeBeforeMs(work, connector.terms),
      ...more,
    },
    keep,
  )
}

/** Queries the operator about claimed work. */
export function queryWork(connector: Connector, work: ClaimedWork): Promise<QueryOutcome> {
  const { applicationId, operator, type, amountMinor, currency, phoneNumber } = work
  return connector.query({
    reference: work.transactionId,
    applicationId,
    operator,
    type,
    amountMinor,
    currency,
    phoneNumber,
    operatorReference: work.operatorReference ?? undefined,
    operatorToken: work.operatorToken ?? undefined,
  })
}
