import { z } from 'zod'
import { columnMappingSchema, mappedHeaderSchema } from '#lib/reconciliation/statement-columns.ts'
import { FEE_FORMS, FEE_ROUNDINGS, findWallet } from '#lib/reconciliation/wallets.ts'
import { err, ok } from '#lib/result.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { signatureOf } from '#server/reconciliation/read-statement/formats/mapped.ts'
import { factsOfMapping, mapColumns, readMappingChange } from '#server/reconciliation/statements/map-columns.ts'
import { factsOfWallet, readWalletChange, setWallet } from '#server/reconciliation/wallets/set-wallet.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

const minor = z.string().regex(/^-?\d{1,15}$/)
const schema = z
  .strictObject({
    wallet: z.string().refine((id) => findWallet(id) !== undefined),
    number: z
      .string()
      .regex(/^\d{4,15}$/)
      .nullable(),
    zone: z.string().max(60),
    cutoffMinute: z.int().min(0).max(1439),
    feePpm: z.int().min(0).max(1_000_000).nullable(),
    feeFixedMinor: z
      .string()
      .regex(/^\d{1,13}$/)
      .nullable(),
    feeRounding: z.enum(FEE_ROUNDINGS).default('half_up'),
    feeTaxPpm: z.int().min(0).max(1_000_000).default(0),
    feeForm: z.enum(FEE_FORMS).default('beside'),
    openingDay: z.string().refine(isUtcDay).nullable(),
    openingMinor: minor.nullable(),
  })
  .refine(({ feePpm, feeFixedMinor }) => (feePpm === null) === (feeFixedMinor === null))
  .refine(({ openingDay, openingMinor }) => (openingDay === null) === (openingMinor === null))

const settingsOf = ({ wallet, feeFixedMinor, openingMinor, ...others }: z.output<typeof schema>) => ({
  ...others,
  feeFixedMinor: feeFixedMinor === null ? null : BigInt(feeFixedMinor),
  openingMinor: openingMinor === null ? null : BigInt(openingMinor),
})

/** The settings of an account at an operator: changed only in the application that runs the installation. */
const wallet: ChangeKind = defineKind({
  schema,
  subjectOf: (payload) => payload.wallet,
  async read(queryable, applicationId, payload) {
    const settings = settingsOf(payload)
    const present = await readWalletChange(queryable, applicationId, payload.wallet, settings)
    if (!present.ok) return err(present.error)
    const about = { operator: present.value.operator, wallet: payload.wallet }
    return ok({ before: { ...about, ...factsOfWallet(present.value) }, after: { ...about, ...factsOfWallet(settings) } })
  },
  apply: (trx, { applicationId, payload, changeId, actor }) =>
    setWallet(trx, { applicationId, wallet: payload.wallet, settings: settingsOf(payload), changeId, actor }),
})

const columnsSchema = z.strictObject({
  wallet: z.string().refine((id) => findWallet(id) !== undefined),
  header: mappedHeaderSchema,
  mapping: columnMappingSchema,
})

/** The roles of the columns of a statement that no format recognises. */
const columns: ChangeKind = defineKind({
  schema: columnsSchema,
  subjectOf: ({ wallet: id, header }) => `${id} ${signatureOf(header)}`,
  async read(queryable, applicationId, { wallet: id, header, mapping }) {
    const present = await readMappingChange(queryable, { applicationId, wallet: id, header })
    if (!present.ok) return err(present.error)
    const before = present.value === null ? {} : factsOfMapping(header, present.value)
    return ok({ before: { wallet: id, ...before }, after: { wallet: id, ...factsOfMapping(header, mapping) } })
  },
  apply: (trx, { applicationId, payload, actor }) => mapColumns(trx, { applicationId, ...payload, actor }),
})

export const WALLET_KINDS = { 'wallet.set': wallet, 'statement.columns': columns }
