'use client'

import { type FormEvent, useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Checkbox, Select, TextField } from '#components/ui/field.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { COUNTRIES, COUNTRY_NAMES, type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { createLink } from '../../actions.ts'
import { type LinkProblems, readLinkForm } from './read-link-form.ts'

const REFUSALS = {
  not_permitted: 'links.notAllowed',
  not_allowed: 'links.notAllowed',
  service_disabled: 'links.refused.service',
  last_day_passed: 'links.wrong.lastDay',
  invalid: 'links.refused.invalid',
} as const

type Props = { application: string; operators: readonly OperatorCode[]; today: string }

/** The form of a new link. Its id is made once, so that sent twice it is one link. */
export function LinkForm({ application, operators, today }: Props) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  const [linkId] = useState(() => crypto.randomUUID())
  const countries = COUNTRY_NAMES.filter((name) => operators.some((code) => OPERATORS[code].country.name === name))
  const [country, setCountry] = useState<CountryName>(countries[0] ?? 'CAMEROON')
  const [isOpen, setIsOpen] = useState(false)
  const [uses, setUses] = useState('once')
  const [problems, setProblems] = useState<LinkProblems>({})
  const { run, isPending, error } = useAction(createLink, {
    words: REFUSALS,
    onDone: (created) => router.push(paths.paymentLink(application, created.linkId)),
  })
  const offered = operators.filter((code) => OPERATORS[code].country.name === country)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const read = readLinkForm(new FormData(event.currentTarget), { linkId, country, offered, today, locale })
    setProblems(read.ok ? {} : read.error)
    if (read.ok) run(application, read.value)
  }
  return (
    <ScriptForm noValidate onSubmit={submit} className="grid gap-4">
      {error && <ErrorNotice error={error} />}
      <TextField
        id="link-purpose"
        name="purpose"
        label={t('links.purpose')}
        hint={t('links.purposeHint')}
        error={problems.purpose && t(problems.purpose)}
        maxLength={PAYMENT_TEXTS.purpose.lengthMax}
        autoComplete="off"
      />
      <Select
        id="link-country"
        label={t('links.country')}
        value={country}
        onChange={(event) => setCountry(chosenCountry(event.target.value))}
      >
        {countries.map((name) => (
          <option key={name} value={name}>{`${t(`country.${name}`)} (${COUNTRIES[name].currency})`}</option>
        ))}
      </Select>
      <OperatorFields key={country} offered={offered} problem={problems.operators && t(problems.operators)} />
      <AmountFields currency={COUNTRIES[country].currency} isOpen={isOpen} onOpen={setIsOpen} problems={problems} />
      <Select id="link-uses" name="uses" label={t('links.uses')} value={uses} onChange={(event) => setUses(event.target.value)}>
        <option value="once">{t('links.once')}</option>
        <option value="many">{t('links.reusable')}</option>
      </Select>
      {uses === 'many' && (
        <TextField
          id="link-max"
          name="paymentsMax"
          label={t('links.paymentsMax')}
          hint={t('links.paymentsMaxHint')}
          error={problems.paymentsMax && t(problems.paymentsMax)}
          inputMode="numeric"
          maxLength={4}
          autoComplete="off"
        />
      )}
      <TextField
        id="link-last-day"
        name="lastDay"
        type="date"
        min={today}
        label={t('links.lastDay')}
        hint={t('links.lastDayHint')}
        error={problems.lastDay && t(problems.lastDay)}
        className="max-w-48"
      />
      <div>
        <Button type="submit" variant="primary" isBusy={isPending}>
          {t('links.create')}
        </Button>
      </div>
    </ScriptForm>
  )
}

function chosenCountry(value: string): CountryName {
  return COUNTRY_NAMES.find((name) => name === value) ?? 'CAMEROON'
}

function OperatorFields({ offered, problem }: { offered: readonly OperatorCode[]; problem: string | undefined }) {
  const t = useT()
  return (
    <fieldset className="grid gap-1.5" aria-describedby="link-operators">
      <legend className="mb-1 font-medium">{t('links.operators')}</legend>
      {offered.map((code) => (
        <Checkbox key={code} name={code} defaultChecked label={OPERATORS[code].brand} />
      ))}
      <p id="link-operators" className="text-second text-bad">
        {problem}
      </p>
    </fieldset>
  )
}

type AmountProps = { currency: string; isOpen: boolean; onOpen: (isOpen: boolean) => void; problems: LinkProblems }

function AmountFields({ currency, isOpen, onOpen, problems }: AmountProps) {
  const t = useT()
  const field = (name: 'amount' | 'minimum' | 'maximum') => (
    <TextField
      id={`link-${name}`}
      name={name}
      label={t(`links.field.${name}`, { currency })}
      error={problems[name] && t(problems[name])}
      inputMode="decimal"
      maxLength={20}
      autoComplete="off"
    />
  )
  return (
    <div className="grid gap-3">
      {isOpen ? (
        <div className="grid gap-3 sm:grid-cols-2">
          {field('minimum')}
          {field('maximum')}
        </div>
      ) : (
        field('amount')
      )}
      <Checkbox label={t('links.customerEnters')} checked={isOpen} onChange={(event) => onOpen(event.target.checked)} />
    </div>
  )
}
