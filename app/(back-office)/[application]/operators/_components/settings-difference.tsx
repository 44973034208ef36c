import type { ChangeFacts, ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { AMOUNT_SETTINGS_NAME, FIELD_FACT, SECRET_FACT } from '#lib/operators/operator-settings.ts'
import { isOperatorCode, OPERATORS } from '#lib/operators/operators.ts'
import { DifferenceLines } from '../../_components/changes/change-difference.tsx'
import { protocolName, settingName, settingText } from './operator-words.ts'

/** `isFromEnvironment`: the operator is reached with the settings of the environment, which the proposed ones would replace. */
type Props = { t: Translate; change: ProposedChangeDto; isFromEnvironment: boolean }

/** The fields that a proposal changes, before and after. Of a secret, only that it changes. */
export function SettingsDifference({ t, change: { before, after, state }, isFromEnvironment }: Props) {
  const { operator, protocol } = before
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => (name.startsWith(FIELD_FACT) || name.startsWith(SECRET_FACT)) && !isEqual(before[name], after[name]),
  )
  const isRemoval = after['version'] === null
  return (
    <>
      <p className="mt-1">
        {isOperatorCode(operator) && `${OPERATORS[operator].brand} ${t(`country.${OPERATORS[operator].country.name}`)} · `}
        {protocolName(t, String(protocol))}
      </p>
      {isFromEnvironment && protocol !== AMOUNT_SETTINGS_NAME && state === 'open' && before['version'] === null && (
        <p className="mt-1">{t('operators.environmentNow')}</p>
      )}
      {isRemoval && <p className="mt-1">{t('operators.removesSettings')}</p>}
      <DifferenceLines
        lines={names.map((name) => ({
          name,
          label: settingName(t, name.slice(name.indexOf(' ') + 1)),
          before: sideText(t, before, name),
          after: sideText(t, after, name),
        }))}
      />
    </>
  )
}

function isEqual(left: ChangeFacts[string] | undefined, right: ChangeFacts[string] | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

function sideText(t: Translate, facts: ChangeFacts, name: string): string {
  const value = facts[name]
  if (value === undefined || value === null) return t('change.none')
  if (name.startsWith(SECRET_FACT)) return t(value === 'changed' ? 'operators.secretChanged' : 'operators.secretStored')
  return settingText(t, value)
}
