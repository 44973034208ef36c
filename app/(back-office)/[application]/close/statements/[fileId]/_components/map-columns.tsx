'use client'

import { useId, useState } from 'react'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import {
  COLUMN_ROLES,
  type ColumnMapping,
  type ColumnRole,
  columnMappingSchema,
  guessColumns,
} from '#lib/reconciliation/statement-columns.ts'
import { useProposal } from '../../../../_components/changes/use-proposal.ts'
import { previewColumns } from '../../../actions.ts'
import { ColumnsPreview } from './columns-preview.tsx'
import { SampleTable } from './sample-table.tsx'

type Places = Partial<Record<ColumnRole, number>>
type Choices = Omit<ColumnMapping, 'columns' | 'paidWords' | 'failedWords'> & { paidWords: string; failedWords: string }
type Props = { application: string; fileId: string; wallet: string; zone: string; sample: readonly (readonly string[])[] }

/** The row with the most names and no long number is probably the header. */
function guessHeader(sample: Props['sample']): number {
  const scores = sample.map((row) => Object.keys(guessColumns(row)).length - row.filter((text) => /\d{4,}/.test(text)).length)
  return scores.indexOf(Math.max(...scores))
}

const wordsOf = (text: string) => text.split(/[,;]/).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]))

/** A person says what the columns of an unknown statement are, sees the first lines as they are read, and proposes it. */
export function MapColumns({ application, fileId, wallet, zone, sample }: Props) {
  const { t } = useTranslations()
  const [headerAt, setHeaderAt] = useState(() => guessHeader(sample))
  const header = sample[headerAt] ?? []
  const [places, setPlaces] = useState<Places>(() => guessColumns(header))
  const [choices, setChoices] = useState<Choices>({
    dateOrder: 'day_first',
    zone: 'wallet',
    amountIs: 'gross',
    paidWords: '',
    failedWords: '',
  })
  const [seen, setSeen] = useState('')
  const preview = useAction((input: Parameters<typeof previewColumns>[1]) => previewColumns(application, input), { words: {} })
  const proposal = useProposal(application, () => setSeen(''))
  const given = { ...choices, columns: places, paidWords: wordsOf(choices.paidWords), failedWords: wordsOf(choices.failedWords) }
  const mapping = columnMappingSchema.safeParse(given)
  const key = JSON.stringify([headerAt, given])
  const isSeen = seen === key && preview.value !== null

  function chooseHeader(at: number) {
    setHeaderAt(at)
    setPlaces(guessColumns(sample[at] ?? []))
  }
  function show() {
    if (!mapping.success) return preview.setError(t(problemOf(places)))
    setSeen(key)
    preview.run({ fileId, headerAt, mapping: mapping.data })
  }
  return (
    <div className="grid gap-4">
      <SampleTable t={t} sample={sample} headerAt={headerAt} />
      <Card>
        <ScriptForm
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            show()
          }}
        >
          <HeaderSelect t={t} sample={sample} headerAt={headerAt} onChoose={chooseHeader} />
          <RoleSelects t={t} header={header} places={places} onChange={setPlaces} />
          <ChoiceFields t={t} zone={zone} choices={choices} onChange={setChoices} />
          {(preview.error ?? proposal.error) && <Notice tone="bad">{preview.error ?? proposal.error}</Notice>}
          <div>
            <Button type="submit" isBusy={preview.isPending}>
              {t('statements.readFirst')}
            </Button>
          </div>
        </ScriptForm>
      </Card>
      {isSeen && preview.value && (
        <>
          <ColumnsPreview preview={preview.value} />
          <div className="grid gap-2">
            <p className="text-second text-quiet">{t('statements.mapAfterwards')}</p>
            <div>
              <Button
                variant="primary"
                disabled={preview.value.lines.length === 0}
                isBusy={proposal.isPending}
                onClick={() => mapping.success && proposal.propose('statement.columns', { wallet, header, mapping: mapping.data })}
              >
                {t('change.propose')}
              </Button>
            </div>
          </div>
        </>
      )}
    </div>
  )
}

function problemOf(places: Places) {
  if (places.time === undefined) return 'statements.map.noTime' as const
  const hasPair = places.credit !== undefined && places.debit !== undefined
  if (places.amount === undefined && !hasPair) return 'statements.map.noAmount' as const
  if (places.amount !== undefined && (places.credit !== undefined || places.debit !== undefined))
    return 'statements.map.bothAmounts' as const
  return 'statements.map.twice' as const
}

type T = ReturnType<typeof useTranslations>['t']

function HeaderSelect({
  t,
  sample,
  headerAt,
  onChoose,
}: {
  t: T
  sample: Props['sample']
  headerAt: number
  onChoose: (at: number) => void
}) {
  const id = useId()
  return (
    <Select id={id} label={t('statements.headerRow')} value={headerAt} onChange={(event) => onChoose(Number(event.target.value))}>
      {sample.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a file have no other name and never change their order.
        <option key={place} value={place}>
          {`${place + 1}. ${row
            .filter((text) => text !== '')
            .join(' · ')
            .slice(0, 80)}`}
        </option>
      ))}
    </Select>
  )
}

type RolesProps = { t: T; header: readonly string[]; places: Places; onChange: (places: Places) => void }

function RoleSelects({ t, header, places, onChange }: RolesProps) {
  const id = useId()
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-strong">{t('statements.columns')}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {COLUMN_ROLES.map((role) => (
          <Select
            key={role}
            id={`${id}-${role}`}
            name={role}
            label={t(`statements.column.${role}`)}
            value={places[role] ?? ''}
            onChange={({ target: { value } }) => {
              const { [role]: _, ...others } = places
              onChange(value === '' ? others : { ...others, [role]: Number(value) })
            }}
          >
            <option value="">{t('statements.noColumn')}</option>
            {header.map((name, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names repeat, and a column is known by its place.
              <option key={place} value={place}>{`${place + 1}. ${name}`}</option>
            ))}
          </Select>
        ))}
      </div>
    </fieldset>
  )
}

type ChoiceProps = { t: T; zone: string; choices: Choices; onChange: (choices: Choices) => void }

function ChoiceFields({ t, zone, choices, onChange }: ChoiceProps) {
  const id = useId()
  const option = <Name extends 'dateOrder' | 'zone' | 'amountIs'>(
    name: Name,
    values: readonly Choices[Name][],
    textOf: (value: Choices[Name]) => string,
  ) => (
    <Select
      id={`${id}-${name}`}
      name={name}
      label={t(`statements.choice.${name}`)}
      value={choices[name]}
      onChange={({ target: { value } }) => onChange({ ...choices, [name]: value })}
    >
      {values.map((value) => (
        <option key={value} value={value}>
          {textOf(value)}
        </option>
      ))}
    </Select>
  )
  const words = (name: 'paidWords' | 'failedWords') => (
    <TextField
      id={`${id}-${name}`}
      name={name}
      label={t(`statements.choice.${name}`)}
      hint={t('statements.wordsHint')}
      value={choices[name]}
      maxLength={300}
      onChange={({ target: { value } }) => onChange({ ...choices, [name]: value })}
    />
  )
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {option('dateOrder', ['day_first', 'month_first'], (value) => t(`statements.order.${value}`))}
      {option('zone', ['wallet', 'utc'], (value) => (value === 'utc' ? 'UTC' : zone.replaceAll('_', ' ')))}
      {option('amountIs', ['gross', 'net'], (value) => t(`statements.amountIs.${value}`))}
      <span className="max-sm:hidden" />
      {words('paidWords')}
      {words('failedWords')}
    </div>
  )
}
