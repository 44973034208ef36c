import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AMOUNT_SETTINGS_NAME } from '#lib/operators/operator-settings.ts'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Queryable } from '#server/database/pool.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { operatorSettingsPlace, previousSettingsPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import type { OperatorSettings, SettingsDocument } from './operator-settings.ts'

/** `returnUntil`: until then one administrator may return to what these settings replaced; null if that is over. */
type StoredSettings = OperatorSettings & { id: string; version: bigint; changedAt: Date; returnUntil: Date | null }

type SettingsRow = {
  id: string
  operator: OperatorCode
  protocol: string
  document: string
  version: bigint
  changedAt: Date
  returnUntil: Date | null
}

const documentSchema = z.record(z.string(), z.unknown())

const COLUMNS = `operator_settings_id as id, operator, protocol, document, version, changed_at as "changedAt",
  case when return_until > now() then return_until end as "returnUntil"`

/** How long one administrator may return to the settings before. */
const RETURN_HOURS = 24

/** A text that changes whenever any settings change. */
export async function readSettingsVersion(queryable: Queryable): Promise<string> {
  const { rows } = await queryable.query<{ version: string | null }>({
    name: 'read_operator_settings_version',
    text: `select string_agg(operator || ' ' || protocol || ' ' || version || ' ' || operator_settings_id, ',' order by operator, protocol) as version
           from operator_settings`,
  })
  return rows[0]?.version ?? ''
}

/** All stored settings. Calls `onUnreadable` for those that cannot be decrypted, and leaves them out. */
export async function readAllSettings(queryable: Queryable, onUnreadable: (error: unknown) => void): Promise<StoredSettings[]> {
  const { rows } = await queryable.query<SettingsRow>(`select ${COLUMNS} from operator_settings order by operator, protocol`)
  return rows.flatMap((row) => {
    try {
      return [toSettings(row)]
    } catch (error) {
      onUnreadable(error)
      return []
    }
  })
}

/** Returns the settings of one operator and protocol. */
export async function readSettings(queryable: Queryable, operator: OperatorCode, protocol: string): Promise<StoredSettings | undefined> {
  const { rows } = await queryable.query<SettingsRow>(`select ${COLUMNS} from operator_settings where operator = $1 and protocol = $2`, [
    operator,
    protocol,
  ])
  return rows[0] && toSettings(rows[0])
}

/** Locks the settings of all operators to the end of the transaction. */
export async function lockAllSettings(trx: Queryable): Promise<void> {
  await trx.query('lock table operator_settings in share row exclusive mode')
}

/** Locks the settings of all operators to the end of the transaction, and returns those of one. */
export async function lockSettings(trx: Queryable, operator: OperatorCode, protocol: string): Promise<StoredSettings | undefined> {
  await lockAllSettings(trx)
  return readSettings(trx, operator, protocol)
}

/**
 * Stores settings under a new version. `replaced`: the ones before, to which one administrator may return for a day, undefined if there were none;
 * null where there is no way back, because these settings are such a return.
 */
export async function putSettings(
  trx: Queryable,
  { operator, protocol, document }: OperatorSettings,
  replaced: SettingsDocument | undefined | null,
): Promise<void> {
  const { rows } = await trx.query<{ id: string }>(
    `insert into operator_settings (operator_settings_id, operator, protocol, document, version) values ($1, $2, $3, '', 1)
     on conflict (operator, protocol) do update set version = operator_settings.version + 1, changed_at = now()
     returning operator_settings_id as id`,
    [randomUUID(), operator, protocol],
  )
  const id = rows[0]?.id ?? ''
  const keyring = keyringOfProcess()
  await trx.query(
    `update operator_settings set document = $2, previous_document = $3, return_until = now() + make_interval(hours => $4) where operator_settings_id = $1`,
    [
      id,
      keyring.seal(operatorSettingsPlace(id), JSON.stringify(document)),
      replaced ? keyring.seal(previousSettingsPlace(id), JSON.stringify(replaced)) : null,
      replaced === null ? null : RETURN_HOURS,
    ],
  )
}

/** Returns the settings that the present ones replaced; undefined if there were none, or if the time to return is over. */
export async function readPreviousSettings(queryable: Queryable, settingsId: string): Promise<SettingsDocument | undefined> {
  const { rows } = await queryable.query<{ document: string | null }>(
    'select previous_document as document from operator_settings where operator_settings_id = $1 and return_until > now()',
    [settingsId],
  )
  const sealed = rows[0]?.document ?? null
  return sealed === null ? undefined : documentSchema.parse(JSON.parse(keyringOfProcess().open(previousSettingsPlace(settingsId), sealed)))
}

/** Removes settings to which nobody may return after a day. */
export async function removePreviousSettings(queryable: Queryable): Promise<void> {
  await queryable.query('update operator_settings set previous_document = null, return_until = null where return_until <= now()')
}

/** Saves how an operator is reached as it is, under a new version. Returns false if it has none here. */
export async function saveAgain(trx: Queryable, operator: OperatorCode): Promise<boolean> {
  const { rowCount } = await trx.query(
    'update operator_settings set version = version + 1, changed_at = now() where operator = $1 and protocol <> $2',
    [operator, AMOUNT_SETTINGS_NAME],
  )
  return (rowCount ?? 0) > 0
}

export async function removeSettings(trx: Queryable, operator: OperatorCode, protocol: string): Promise<void> {
  await trx.query('delete from operator_settings where operator = $1 and protocol = $2', [operator, protocol])
}

/** Returns the operators that are reached with settings stored here: the environment does not count for them. */
export async function listConfiguredOperators(queryable: Queryable): Promise<OperatorCode[]> {
  const { rows } = await queryable.query<{ operator: OperatorCode }>(
    'select distinct operator from operator_settings where protocol <> $1',
    [AMOUNT_SETTINGS_NAME],
  )
  return rows.map(({ operator }) => operator)
}

/** How many payments an operator may have that have no result yet, counted up to a thousand. */
export async function countOpenWork(queryable: Queryable, operator: OperatorCode): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    `select count(*)::integer as count from (select from operator_work where operator = $1 and phase = 'begun' limit 1000) w`,
    [operator],
  )
  return rows[0]?.count ?? 0
}

function toSettings({ id, operator, protocol, document, version, changedAt, returnUntil }: SettingsRow): StoredSettings {
  const plain: SettingsDocument = documentSchema.parse(JSON.parse(keyringOfProcess().open(operatorSettingsPlace(id), document)))
  return { id, operator, protocol, document: plain, version, changedAt, returnUntil }
}
