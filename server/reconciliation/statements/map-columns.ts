import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { COLUMN_ROLES, type ColumnMapping, type ColumnRole, type MappedPreview } from '#lib/reconciliation/statement-columns.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { signatureOf } from '../read-statement/formats/mapped.ts'
import { recogniseHeader } from '../read-statement/recognise-format.ts'
import { type ReadingWallet, StatementLines } from '../read-statement/statement-lines.ts'
import { UnreadableStatement } from '../read-statement/unreadable-statement.ts'
import { listWallets } from '../wallets/wallet-store.ts'
import { listMapped, upsertMapping } from './mapped-store.ts'
import { readStatementFile } from './statement-store.ts'

/** The facts for which a statement of a wallet is read. */
export async function readingWallet(
  queryable: Queryable,
  { applicationId, wallet }: { applicationId: string; wallet: string },
  now: Date,
): Promise<ReadingWallet> {
  const wallets = await listWallets(queryable, applicationId)
  const own = wallets.find((each) => each.wallet === wallet)
  if (!own) throw new Error(`The wallet ${wallet} of a statement does not exist`)
  const { operator, number, zone, cutoffMinute } = own
  const ownNumbers = wallets.flatMap((each) => (each.operator === operator && each.number !== null ? [each.number] : []))
  const { currency } = OPERATORS[operator].country
  const mapped = await listMapped(queryable, applicationId, wallet)
  return { operator, currency, number, ownNumbers, zone, cutoffMinute, nowMs: now.getTime(), mapped }
}

type Preview = { applicationId: string; fileId: string; headerAt: number; mapping: ColumnMapping; now: Date }

/** Reads the first rows of a file that waits for its columns, as a mapping would. `headerAt`: the row of its sample that is the header. */
export async function previewColumns(
  queryable: Queryable,
  { applicationId, fileId, headerAt, mapping, now }: Preview,
): Promise<Result<MappedPreview, 'not_found'>> {
  const file = await readStatementFile(queryable, applicationId, fileId)
  const sample = file?.state === 'unmapped' ? file.problem?.sample : undefined
  const header = sample?.[headerAt]
  if (!file || !sample || !header) return err('not_found')
  const wallet = await readingWallet(queryable, { applicationId, wallet: file.wallet }, now)
  const reading = new StatementLines({ ...wallet, mapped: [{ signature: signatureOf(header), mapping }] })
  let problem: MappedPreview['problem'] = null
  try {
    for (const [place, cells] of sample.entries()) if (place >= headerAt) reading.add(place + 1, cells)
  } catch (error) {
    if (!(error instanceof UnreadableStatement)) throw error
    problem = error.problem
  }
  const { lines, bad } = reading.take()
  const decimal = (minor: string | null) => (minor === null ? null : formatMinor(BigInt(minor)))
  return ok({
    lines: lines.map((line) => ({
      ...{ row: line.row_number, at: line.at, kind: line.kind, operatorId: line.operator_id, ourId: line.our_id },
      ...{ amount: formatMinor(BigInt(line.gross_minor)), fee: formatMinor(BigInt(line.fee_minor)), balance: decimal(line.balance_minor) },
      phone: line.phone_forms[0] ?? null,
    })),
    bad: bad.map(({ row_number, problem: kind }) => ({ row: row_number, problem: kind })),
    problem,
  })
}

export type MappingFacts = Readonly<Record<string, string | null>>
type MapFailure = 'not_the_installation' | 'unknown_wallet' | 'known_header'

/** Reads how a header is read now. `known_header`: it is one that is recognised, which nobody may read otherwise. */
export async function readMappingChange(
  queryable: Queryable,
  { applicationId, wallet, header }: { applicationId: string; wallet: string; header: readonly string[] },
): Promise<Result<ColumnMapping | null, MapFailure>> {
  if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
  if (!findWallet(wallet)) return err('unknown_wallet')
  if (recogniseHeader(header, undefined) !== undefined) return err('known_header')
  const signature = signatureOf(header)
  return ok((await listMapped(queryable, applicationId, wallet)).find((each) => each.signature === signature)?.mapping ?? null)
}

type MapColumns = { applicationId: string; wallet: string; header: readonly string[]; mapping: ColumnMapping; actor: PersonCommandActor }

/** Says what the columns of a header are, for this wallet and from now on. Two people do it (`changes/kinds`). */
export function mapColumns(
  database: Database,
  { applicationId, wallet, header, mapping, actor }: MapColumns,
): Promise<Result<void, MapFailure | 'not_permitted'>> {
  return runCommand<void, MapFailure>(database, { applicationId, actor }, 'wallet:change', async (trx) => {
    const present = await readMappingChange(trx, { applicationId, wallet, header })
    if (!present.ok) return present
    const signature = signatureOf(header)
    await upsertMapping(trx, { applicationId, wallet, signature, header, mapping, personId: actor.id })
    const [before, after] = [present.value && factsOfMapping(header, present.value), factsOfMapping(header, mapping)]
    return done({ action: 'statement.columns_mapped', subject: wallet, details: { before, after } })
  })
}

/** A mapping as both people see it and as the audit record keeps it: the name of the column for each role. */
export function factsOfMapping(header: readonly string[], mapping: ColumnMapping): MappingFacts {
  const { columns, dateOrder, zone, amountIs, paidWords, failedWords } = mapping
  const nameOf = (role: ColumnRole) => {
    const place = columns[role]
    return place === undefined ? null : `${place + 1}. ${header[place] ?? ''}`
  }
  return {
    ...Object.fromEntries(COLUMN_ROLES.map((role) => [`column_${role}`, nameOf(role)])),
    ...{ dateOrder, timesIn: zone, amountIs, paidWords: paidWords.join(', '), failedWords: failedWords.join(', ') },
  }
}
