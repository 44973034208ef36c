import { z } from 'zod'
import { formatMinor } from '#lib/money/money.ts'
import { maskHolderName } from '#lib/operators/account-check.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Logger } from '#server/logger.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type {
  AccountOutcome,
  CallbackOutcome,
  CodeRefusal,
  Connector,
  Doubt,
  Exchange,
  GuardedConnector,
  OperatorIdentifiers,
  QueryOutcome,
  ReportedMovement,
  StatusEnquiry,
  Submission,
  SubmitOutcome,
  UnknownOutcome,
} from './connector.ts'
import { isSafeAddress } from './settings/network-settings.ts'
import { cleanIdentifier, cleanReason, REFUSED_MESSAGE, storableAnswer } from './wire-formats.ts'

/** A longer callback is not parsed. */
const CALLBACK_BYTES_MAX = 64 * 1024

/** A longer code is cut; the answer that contains it is stored too. */
const CODE_LENGTH_MAX = 100

const LINK_LENGTH_MAX = 2_048

const uuidSchema = z.uuid()

/**
 * Wraps every connector: everything that an operator sends is cleaned and limited here, so that no protocol has to do it and nothing
 * that PostgreSQL refuses passes. A connector that throws is a bug; its call has an unknown outcome, because it is not known what the
 * operator did. A final answer that proves nothing about our movement is unknown too: a success of another amount, currency or number, and
 * the refusal of a repeated submission, whose earlier one may have been executed.
 */
export function guardConnector(operator: OperatorCode, connector: Connector, logger: Pick<Logger, 'error'>): GuardedConnector {
  async function settled<Outcome extends OperatorText>(call: () => Promise<Outcome>): Promise<Outcome | UnknownOutcome> {
    try {
      return cleanOutcome(await call())
    } catch (error) {
      reportUnexpected('operators: connector', error, { logger, operator, message: 'A connector threw; the call counts as unknown' })
      return { kind: 'unknown', detail: 'The connector failed', exchange: { httpStatus: null, answer: 'The connector failed' } }
    }
  }
  function checked<Outcome extends { kind: string; exchange: Exchange }>(
    ours: StatusEnquiry,
    outcome: Outcome | Extract<QueryOutcome, { kind: 'succeeded' }>,
  ): Outcome | Extract<QueryOutcome, { kind: 'succeeded' }> | UnknownOutcome {
    const difference = 'reported' in outcome && outcome.reported ? differenceOf(ours, outcome.reported) : undefined
    if (difference === undefined) return outcome
    reportUnexpected('operators: success of another movement', new Error(difference), {
      logger,
      operator,
      transactionId: ours.reference,
      message: 'An operator reports a success that is not our payment; it stays unknown until a person has clarified it with the operator',
    })
    return inDoubt(difference, { kind: 'mismatch' }, outcome.exchange)
  }

  const { checkAccount, dayList, reversals } = connector
  const guard: Connector = {
    terms: connector.terms,
    customerStep: connector.customerStep,
    hasNoQueries: connector.hasNoQueries,
    submit: async (submission, keep) => {
      const outcome = await settled(() => connector.submit(submission, (kept) => keep({ ...cleanIdentifiers(kept), ...cleanedLink(kept) })))
      return doubtRefusal(submission, checked(submission, outcome))
    },
    query: async (query) => checked(query, await settled(() => connector.query(query))),
    balance: () => settled(() => connector.balance()),
    ...(checkAccount && { checkAccount: async (phoneNumber) => withoutNames(await settled(() => checkAccount(phoneNumber))) }),
    ...(dayList && { dayList: { header: dayList.header, read: (day, page) => settled(() => dayList.read(day, page)) } }),
    ...(reversals && {
      reversals: { ...reversals, reverse: async (reversal) => checked(reversal, await settled(() => reversals.reverse(reversal))) },
    }),
    parseCallback(headers, body, search) {
      if (body.length > CALLBACK_BYTES_MAX) return { kind: 'malformed', detail: 'The body is too long' }
      try {
        return cleanCallback(connector.parseCallback(headers, body, search))
      } catch (error) {
        reportUnexpected('operators: callback', error, { logger, operator, message: 'A connector threw while it parsed a callback' })
        return { kind: 'malformed', detail: 'The connector failed' }
      }
    },
    close: () => connector.close(),
  }
  // The brand exists for the type checker only: this function is the one place that may apply it.
  return guard as GuardedConnector
}

/** A repeated submission that is refused says nothing about the earlier one, which the operator may have executed. Queries decide. */
export function doubtRefusal<Outcome extends SubmitOutcome | CodeRefusal>(
  { isRepeated }: Pick<Submission, 'isRepeated'>,
  outcome: Outcome,
): Outcome | UnknownOutcome {
  if (!isRepeated || (outcome.kind !== 'failed' && outcome.kind !== 'wrong_code')) return outcome
  const { operatorCode, exchange } = outcome
  const detail = 'The repeated submission was refused; what became of the earlier one is not known'
  if (outcome.kind === 'wrong_code') return inDoubt(detail, { kind: 'wrong_code', operatorCode: outcome.operatorCode }, exchange)
  return inDoubt(detail, { kind: 'refused', reason: outcome.reason, operatorCode }, exchange)
}

/** The reason is stored with the answer, so that the timeline of the transaction shows it. */
function inDoubt(detail: string, doubt: Doubt, { httpStatus, answer }: Exchange): UnknownOutcome {
  return { kind: 'unknown', detail, doubt, exchange: { httpStatus, answer: storableAnswer(`${detail}: ${answer}`) } }
}

/** Names are personal data: of an account, nothing but the masked name goes on. */
function withoutNames(outcome: AccountOutcome): AccountOutcome {
  if (outcome.kind === 'unknown') return outcome
  const exchange = { httpStatus: outcome.exchange.httpStatus, answer: '' }
  if (outcome.kind !== 'active') return { kind: outcome.kind, exchange }
  return { kind: 'active', holderName: maskHolderName(outcome.holderName), exchange }
}

type OperatorText = {
  exchange: Exchange
  reason?: string
  operatorCode?: string | undefined
  customerLink?: string | undefined
} & OperatorIdentifiers

function cleanOutcome<Outcome extends OperatorText>(outcome: Outcome): Outcome {
  const { exchange, reason, operatorCode, customerLink } = outcome
  return {
    ...outcome,
    exchange: cleanExchange(exchange),
    ...(reason === undefined ? {} : { reason: cleanReason(reason) || REFUSED_MESSAGE }),
    ...(operatorCode === undefined ? {} : { operatorCode: cleanReason(operatorCode).slice(0, CODE_LENGTH_MAX) || undefined }),
    ...cleanedLink({ customerLink }),
    ...cleanIdentifiers(outcome),
  }
}

function cleanedLink({ customerLink }: { customerLink?: string | undefined }): { customerLink?: string | undefined } {
  return customerLink === undefined ? {} : { customerLink: cleanLink(customerLink) }
}

/** Shown to customers as a link: nothing but an address of the web, that nobody on the way can replace. */
function cleanLink(text: string): string | undefined {
  const url = text.length <= LINK_LENGTH_MAX && URL.canParse(text) ? new URL(text) : undefined
  return url && isSafeAddress(url.href) ? url.href : undefined
}

function cleanIdentifiers({ operatorReference, operatorReferenceOther, operatorToken }: OperatorIdentifiers): OperatorIdentifiers {
  return {
    ...(operatorReference === undefined ? {} : { operatorReference: cleanIdentifier(operatorReference) }),
    ...(operatorReferenceOther === undefined ? {} : { operatorReferenceOther: cleanIdentifier(operatorReferenceOther) }),
    ...(operatorToken === undefined ? {} : { operatorToken: cleanIdentifier(operatorToken) }),
  }
}

function cleanExchange({ httpStatus, answer }: Exchange): Exchange {
  const isStatus = httpStatus !== null && Number.isInteger(httpStatus) && httpStatus >= 100 && httpStatus <= 999
  return { httpStatus: isStatus ? httpStatus : null, answer: storableAnswer(answer) }
}

/** The ids in one spelling: they are keys of batches, in which no row may appear twice. */
function cleanCallback(callback: CallbackOutcome): CallbackOutcome {
  if (callback.kind !== 'callback') return callback
  const { applicationId, reference } = callback
  if (!uuidSchema.safeParse(applicationId).success || !uuidSchema.safeParse(reference).success)
    return { kind: 'malformed', detail: 'The callback names no transaction' }
  return { ...callback, applicationId: applicationId.toLowerCase(), reference: reference.toLowerCase() }
}

type OurMovement = Pick<StatusEnquiry, 'operator' | 'amountMinor' | 'currency' | 'phoneNumber'>

/**
 * Compares what an operator reports of a success with our movement: amount, currency and number, as far as it reports them. Returns a
 * sentence about the first difference, without the number; undefined if there is none.
 */
export function differenceOf(ours: OurMovement, { amountMinor, currency, phoneNumber }: ReportedMovement): string | undefined {
  if (amountMinor !== undefined && amountMinor !== ours.amountMinor)
    return `The operator reports another amount: ${formatMinor(amountMinor)} instead of ${formatMinor(ours.amountMinor)}`
  if (currency !== undefined && currency !== ours.currency)
    return `The operator reports another currency: ${currency.slice(0, 10)} instead of ${ours.currency}`
  if (phoneNumber !== undefined && !isSameNumber(ours, phoneNumber)) return 'The operator reports another phone number'
  return undefined
}

/** Operators write a number with the dial code, without it, or with zeros before either. */
function isSameNumber({ operator, phoneNumber }: OurMovement, reported: string): boolean {
  const { dialCode } = OPERATORS[operator].country
  const ours = phoneNumber.startsWith(dialCode) ? phoneNumber.slice(dialCode.length) : phoneNumber
  const theirs = reported.replaceAll(/[\s+.-]/g, '')
  return [ours, ...formerNumbers(dialCode, ours)].some((national) =>
    [national, dialCode + national].some((form) => withoutZeros(form) === withoutZeros(theirs)),
  )
}

/** Benin put 01 before every number in November 2024; operators may still write the eight digits that follow it. */
function formerNumbers(dialCode: string, national: string): string[] {
  return dialCode === '229' && national.length === 10 && national.startsWith('01') ? [national.slice(2)] : []
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+/, '')
}
