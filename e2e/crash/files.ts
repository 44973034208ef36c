import { setTimeout as delay } from 'node:timers/promises'
import type { BatchApproval } from '#lib/approvals/batch-approval.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import type { Random } from '#lib/seeded-random.ts'
import type { AnswerLedger } from './ledger-of-answers.ts'
import type { Person } from './people.ts'

/** Codes after which the service does not say whether anything was done: it failed, or the database did not answer. */
const SAYS_NOTHING = new Set(['unexpected', 'unavailable'])

/** A file that a maker uploaded, and what they and the checker were told about it. */
export type SentFile = {
  batchId: string
  rows: readonly { phoneNumber: string; amount: number }[]
  /** True once the submission was answered as done: from then on no row may be missing. */
  isSubmitted: boolean
  isDecided: boolean
}

type FileWork = { random: Random; maker: Person; checker: Person; ledger: AnswerLedger; files: SentFile[] }

const OPERATOR_CODES: readonly OperatorCode[] = ['MOMOCM', 'OMCM']
const ROWS_MAX = 400
/** The whole file stays below the sandbox's rules that require a second checker (server/sandbox/seed-applications.ts). */
const AMOUNT_MAX = 200
const PAUSE_MS = 50
/** Also those of the simulator that end as failures or stay unknown for a while. 912 stays pending forever. */
const ENDINGS = ['901', '902', '903', '904', '905', '909'] as const

/** A maker who uploads files and submits them, and a checker who decides them, until they are told to end. */
export async function workWithFiles(work: FileWork, isEnding: () => boolean): Promise<void> {
  while (!isEnding()) {
    const file = await upload(work, isEnding)
    if (file && (await submit(work, file, isEnding))) await decide(work, file, isEnding)
    await delay(work.random.between(0, PAUSE_MS))
  }
}

/** If the answer is lost, so is the id: the maker uploads again, and the first file stays a draft that moves nothing. */
async function upload({ random, maker, files }: FileWork, isEnding: () => boolean): Promise<SentFile | undefined> {
  const operator = random.pick(OPERATOR_CODES)
  const rows = Array.from({ length: random.between(20, ROWS_MAX) }, (_, index) => ({
    // A number of its own for each row: two equal rows would be a problem of the file.
    phoneNumber: `${OPERATORS[operator].country.dialCode}6${random.between(70, 79)}${100 + index}${random.chance(0.7) ? random.between(100, 899) : random.pick(ENDINGS)}`,
    amount: random.between(10, AMOUNT_MAX),
  }))
  const lines = rows.map(({ phoneNumber, amount }, index) => `${phoneNumber};Person ${index};${amount};${operator}`)
  while (!isEnding()) {
    const created = await maker.request(`batches?type=DEPOSIT&fileName=crash-${random.uuid()}.csv`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: ['Téléphone;Nom;Montant;Opérateur', ...lines].join('\n'),
    })
    if (!created) continue
    const file = { batchId: (created as { batchId: string }).batchId, rows, isSubmitted: false, isDecided: false }
    files.push(file)
    return file
  }
  return undefined
}

/** Sends the submission again until it is answered. `not_a_draft` after a lost answer: that one had arrived. */
async function submit({ maker, ledger }: FileWork, file: SentFile, isEnding: () => boolean): Promise<boolean> {
  let wasLost = false
  while (!isEnding()) {
    const answer = await maker.act('submitBatch', { batchId: file.batchId, version: 2, repeatReason: null }, file.batchId)
    if (answer?.ok || (wasLost && answer && !answer.ok && answer.error.code === 'not_a_draft')) {
      file.isSubmitted = true
      return true
    }
    if (answer && !SAYS_NOTHING.has(answer.error.code)) {
      ledger.contradictions.push(`the batch ${file.batchId} was not submitted: ${answer.error.code}`)
      return false
    }
    wasLost = true
  }
  return false
}

async function decide({ checker, ledger }: FileWork, file: SentFile, isEnding: () => boolean): Promise<void> {
  let wasLost = false
  while (!isEnding()) {
    const shown = (await checker.request(`approvals/batches/${file.batchId}`)) as BatchApproval | undefined
    if (!shown || shown.canApprove === 'submitting' || shown.count < shown.rowCount) {
      // Its rows are still being started; or the decision whose answer was lost is stored.
      if (shown && wasLost && shown.count === 0) file.isDecided = true
      if (file.isDecided) return
      await delay(PAUSE_MS)
      continue
    }
    const { hash, shownAt } = shown
    const input = { batchId: file.batchId, decision: 'validated', note: 'crash run', hash, shownAt }
    const answer = await checker.act('decideWholeBatch', input, file.batchId)
    if (answer?.ok && (answer.value as { kind: string }).kind === 'done') {
      file.isDecided = true
      return
    }
    if (answer && !answer.ok && !SAYS_NOTHING.has(answer.error.code) && !wasLost) {
      ledger.contradictions.push(`the batch ${file.batchId} was not decided: ${answer.error.code}`)
      return
    }
    wasLost ||= answer === undefined || !answer.ok
  }
}
