import { isChangeKind } from '#lib/approvals/proposed-change.ts'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { readFeeFactName } from '#lib/money/fees.ts'
import { formatUtc } from '#lib/time/format-time.ts'
import { type AuditAction, type AuditEntryDto, type AuditValue, isAuditAction } from './audit-actions.ts'
import { ROLES } from './permissions.ts'

type Act = Pick<AuditEntryDto, 'action' | 'subject' | 'subjectName' | 'details'>

/** The sentence of an entry without its actor: "Blocked Anna Ngo". An action of another release is shown by its name. */
export function describeAct(t: Translate, { action, subject, subjectName, details }: Act): string {
  if (!isAuditAction(action)) return `${action} · ${subject}`
  const { kind, name } = details
  const isChange = action.startsWith('change.')
  const about = isChange && typeof details['subject'] === 'string' ? details['subject'] : subject
  return t(`audit.did.${action}`, {
    subject: subjectName ?? about,
    name: typeof name === 'string' ? name : subject,
    kind: typeof kind === 'string' && isChangeKind(kind) ? t(`change.kind.${kind}`) : String(kind ?? ''),
  })
}

/** An action as a choice of a filter: its sentence with an ellipsis for what it is about. */
export function actionWords(t: Translate, action: AuditAction): string {
  return t(`audit.did.${action}`, { subject: '…', name: '…', kind: '…' }).replace('… · …', '…')
}

/** Who did it, in words. */
export function actorWords(t: Translate, { kind, name }: AuditEntryDto['actor']): string {
  if (kind === 'api' && name !== null) return t('audit.byProgram', { name })
  return name ?? t(`audit.by.${kind}`)
}

type AuditLine = { name: string; before: string | null; value: string }

/** The differences between before and after and the other details, each with its label where it has one. */
export function detailLines(t: Translate, { details, names, address }: AuditEntryDto): AuditLine[] {
  const { before, after, others } = splitDetails(details)
  const write = (value: AuditValue | undefined) => valueText(t, value, names)
  const lines: AuditLine[] = []
  if (isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (JSON.stringify(before[key]) === JSON.stringify(after[key])) continue
      lines.push({ name: detailName(t, key), before: key in before ? write(before[key]) : null, value: write(after[key]) })
    }
  } else if (before !== undefined || after !== undefined) lines.push({ name: t('audit.after'), before: write(before), value: write(after) })
  for (const [key, value] of Object.entries(others)) {
    // Both are in the entry itself.
    if (key === 'subject' || key === 'kind' || (key === 'address' && value === address)) continue
    lines.push({ name: detailName(t, key), before: null, value: write(value) })
  }
  return lines
}

type Sides = { before: AuditValue | undefined; after: AuditValue | undefined; others: { readonly [key: string]: AuditValue } }

/** Some actions record the new values beside `before` and have no `after`: the details that `before` has too are its other side. */
function splitDetails({ before, after, ...others }: AuditEntryDto['details']): Sides {
  if (after !== undefined || !isRecord(before) || !Object.keys(before).some((key) => key in others)) return { before, after, others }
  const isPaired = ([key]: [string, AuditValue]) => key in before
  const entries = Object.entries(others)
  return {
    before,
    after: Object.fromEntries(entries.filter(isPaired)),
    others: Object.fromEntries(entries.filter((entry) => !isPaired(entry))),
  }
}

function isRecord(value: AuditValue | undefined): value is { readonly [key: string]: AuditValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function valueText(t: Translate, value: AuditValue | undefined, names: AuditEntryDto['names']): string {
  if (value === undefined || value === null || value === '') return t('change.none')
  if (typeof value === 'boolean') return t(value ? 'change.yes' : 'change.no')
  if (typeof value === 'string') return names[value] ?? textWords(t, value)
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.map((one) => roleWords(t, one)).join(', ')
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

const FACTORS = ['password', 'one_time_code', 'recovery_code', 'passkey', 'single_sign_on', 'single_sign_on_code'] as const
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

/** Instants are in UTC, as in files: a detail belongs to the record, not to its reader. */
function textWords(t: Translate, text: string): string {
  const factor = FACTORS.find((each) => each === text)
  if (factor) return t(`audit.factor.${factor}`)
  return INSTANT.test(text) ? formatUtc(t, new Date(text)) : text
}

function roleWords(t: Translate, text: string): string {
  const role = ROLES.find((each) => each === text)
  return role ? t(`role.${role}`) : text
}

/** The details that have a name in words; the others are shown by the name that they have in the record. */
const DETAIL_NAMES: readonly string[] = [
  'email',
  'name',
  'roles',
  'isActive',
  'isNew',
  'proposedBy',
  'confirmedBy',
  'joinedLike',
  'expiresAt',
  'reason',
  'note',
  'rows',
  'format',
  'factor',
  'triedWith',
  'withCode',
  'withPasskey',
  'failures',
  'keyPrefix',
  'username',
  'operator',
  'outcome',
  'currency',
  'threshold',
  'checkerId',
  'step',
  'through',
  'sessionAddress',
  'rowCount',
  'fileSha256',
  'bytes',
  'sha256',
  'replaced',
  'timeZone',
  'locale',
  'person',
  'isBlocked',
  'hasSecondFactor',
  'isEnabled',
  'enforcesLimits',
  'network',
  'version',
  'requiresSecondFactor',
  'copiesWebhookStatus',
  'floatWaitHours',
  'undoSeconds',
  'accountChecksMax',
  'logo',
  'support',
  'returnUrl',
  'offersRetry',
  'memberOf',
  'defaultWebhookUrl',
  'eventsUrl',
  'phoneNumber',
  'refundFeesFrom',
  'allowsPaymentLinks',
  'paymentsMax',
  'lastDay',
  'purpose',
  'minimum',
  'maximum',
  'country',
  'operators',
  'amount',
  'dueAt',
  'releaseAt',
  'allowsCombinedRoles',
  'count',
  'started',
  'state',
  'minimumMinor',
  'maximumMinor',
  'amountMinor',
  'collectMinor',
  'depositMinor',
  'reference',
  'account',
  'document',
  'documentSha256',
  'appRatePpm',
  'appFixedMinor',
  'replacesVersion',
]

function detailName(t: Translate, key: string): string {
  const direction = readFeeFactName(key)
  if (direction) return t('audit.feeOf', { operator: direction.operator, type: t(`type.${direction.type}`) })
  const message = `audit.detail.${key}`
  return isDetailName(message) ? t(message) : key
}

function isDetailName(message: string): message is Extract<MessageKey, `audit.detail.${string}`> {
  return DETAIL_NAMES.includes(message.slice('audit.detail.'.length))
}
