import { findWallet, type WalletSettings } from '#lib/reconciliation/wallets.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isTimeZone } from '#lib/time/time-zones.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Database, Queryable } from '#server/database/pool.ts'
import { insertOpening } from '../wallet-book/wallet-book-store.ts'
import { isInUse, readWallet, type SetWallet, upsertWallet } from './wallet-store.ts'

type SetWalletFailure = 'not_the_installation' | 'unknown_wallet' | 'invalid_zone' | 'has_lines'

/**
 * Reads the present settings and checks the new ones. `has_lines`: the days of imported lines are counted in the zone and by the cut-off of the
 * wallet, so neither can change.
 */
export async function readWalletChange(
  queryable: Queryable,
  applicationId: string,
  id: string,
  settings: WalletSettings,
): Promise<Result<SetWallet, SetWalletFailure>> {
  if (!(await runsInstallation(queryable, applicationId))) return err('not_the_installation')
  const present = findWallet(id) && (await readWallet(queryable, applicationId, id))
  if (!present) return err('unknown_wallet')
  if (!isTimeZone(settings.zone)) return err('invalid_zone')
  const movesDays = settings.zone !== present.zone || settings.cutoffMinute !== present.cutoffMinute
  if (movesDays && (await isInUse(queryable, applicationId, id))) return err('has_lines')
  return ok(present)
}

/**
 * Sets what people know of a wallet: its number, its day, its fee and its opening balance, which enters the wallet book by what it changed. Two
 * people do it (`changes/kinds`).
 */
export function setWallet(
  database: Database,
  {
    applicationId,
    wallet,
    settings,
    changeId,
    actor,
  }: { applicationId: string; wallet: string; settings: WalletSettings; changeId: string; actor: PersonCommandActor },
): Promise<Result<void, SetWalletFailure | 'not_permitted'>> {
  return runCommand<void, SetWalletFailure>(database, { applicationId, actor }, 'wallet:change', async (trx) => {
    const present = await readWalletChange(trx, applicationId, wallet, settings)
    if (!present.ok) return present
    await upsertWallet(trx, { applicationId, wallet, settings, changedBy: actor.id })
    const amountMinor = (settings.openingMinor ?? 0n) - (present.value.openingMinor ?? 0n)
    const day = settings.openingDay ?? present.value.openingDay
    if (amountMinor !== 0n && day !== null)
      await insertOpening(trx, { applicationId, wallet, day, amountMinor, changeId, actorId: actor.id })
    return done({
      action: 'wallet.changed',
      subject: wallet,
      details: { before: factsOfWallet(present.value), after: factsOfWallet(settings) },
    })
  })
}

/** The settings as both people see them and as the audit record keeps them; amounts as decimal strings of hundredths. */
export function factsOfWallet(settings: WalletSettings): Record<string, string | number | null> {
  const { number, zone, cutoffMinute, feePpm, feeFixedMinor, feeRounding, feeTaxPpm, feeForm, openingDay, openingMinor } = settings
  return {
    walletNumber: number,
    timeZone: zone,
    cutoffMinute,
    operatorFeePpm: feePpm,
    operatorFeeFixedMinor: feeFixedMinor === null ? null : String(feeFixedMinor),
    ...(feePpm === null ? {} : { operatorFeeTaxPpm: feeTaxPpm, operatorFeeRounding: feeRounding, operatorFeeForm: feeForm }),
    openingDay,
    openingMinor: openingMinor === null ? null : String(openingMinor),
  }
}
