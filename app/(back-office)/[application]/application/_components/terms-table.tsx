'use client'

import { useState } from 'react'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { TextField } from '#components/ui/field.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { type ServiceTerms, type SettingsTerms, writePercent } from '#lib/money/fees.ts'
import { formatMinor, parseMinor, parseTypedAmount } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { CustomerPageTerms } from '#lib/partner/customer-page.ts'
import { formatAmount, withPercent } from '#lib/text/format.ts'
import { FeeEffect } from './fee-effect.tsx'

const SAMPLE = '10000'
/** On a phone the first cell has the state and the limits, and the fees are in the effect on the sample. */
const WIDE = 'max-sm:hidden'

type Props = { application: string; services: readonly ServiceTerms[]; mayChange: boolean }

/** Every operator and direction: whether it is in service, its limits, its fees and what they make of a sample amount. */
export function TermsTable({ application, services, mayChange }: Props) {
  const { t, locale } = useTranslations()
  const [typed, setTyped] = useState(formatAmount(SAMPLE, locale))
  const sample = parseTypedAmount(typed, locale)
  const amountMinor = sample !== undefined && /[1-9]/.test(sample) ? parseMinor(sample) : null
  return (
    <div className="mt-6">
      <h2 id="services">{t('terms.services')}</h2>
      <div className="mt-2 max-w-60">
        <TextField
          id="sample"
          label={t('terms.sample')}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          error={amountMinor === null ? t('terms.sampleWrong') : undefined}
          inputMode="decimal"
          maxLength={20}
        />
      </div>
      <TableCard label={t('terms.services')} className="mt-3">
        <Table
          caption={t('terms.services')}
          isList
          head={
            <>
              <Th>{t('terms.service')}</Th>
              <Th className={WIDE}>{t('terms.isEnabled')}</Th>
              <Th className={WIDE}>{t('terms.limits')}</Th>
              <Th align="end" className={WIDE}>
                {t('terms.ownFee')}
              </Th>
              <Th align="end" className={WIDE}>
                {t('terms.serviceFee')}
              </Th>
              <Th align="end">
                {t('terms.effect', { amount: amountMinor === null ? '–' : formatAmount(formatMinor(amountMinor), locale) })}
              </Th>
              {mayChange && (
                <Th>
                  <span className="sr-only">{t('terms.change')}</span>
                </Th>
              )}
            </>
          }
        >
          {services.map((service) => (
            <ServiceRow
              key={`${service.operator} ${service.type}`}
              application={application}
              service={service}
              others={othersOf(services, service)}
              amountMinor={amountMinor}
              mayChange={mayChange}
            />
          ))}
        </Table>
      </TableCard>
    </div>
  )
}

/** Every other service in the currency of one. */
function othersOf(services: readonly ServiceTerms[], service: ServiceTerms): ServiceTerms[] {
  const currencyOf = ({ operator }: ServiceTerms) => OPERATORS[operator].country.currency
  return services.filter((other) => other !== service && other.isInCountries && currencyOf(other) === currencyOf(service))
}

type RowProps = {
  application: string
  service: ServiceTerms
  others: readonly ServiceTerms[]
  amountMinor: bigint | null
  mayChange: boolean
}

function ServiceRow({ application, service, others, amountMinor, mayChange }: RowProps) {
  const { t, locale } = useTranslations()
  const { operator, type } = service
  const fee = (ratePpm: number, fixedMinor: string) =>
    fixedMinor === '0'
      ? withPercent(writePercent(ratePpm, locale), locale)
      : `${withPercent(writePercent(ratePpm, locale), locale)} + ${formatAmount(formatMinor(BigInt(fixedMinor)), locale)}`
  return (
    <Tr className="whitespace-nowrap">
      <Td>
        <OperatorMark code={operator} />
        <span className="block text-second text-quiet">{t(`type.${type}`)}</span>
        <span className="block text-second sm:hidden">
          {!service.isEnabled && <State service={service} />} <Limits service={service} />
        </span>
      </Td>
      <Td className={WIDE}>
        <State service={service} />
      </Td>
      <Td className={WIDE}>
        <Limits service={service} />
      </Td>
      <Td align="end" className={WIDE}>
        {fee(service.appRatePpm, service.appFixedMinor)}
      </Td>
      <Td align="end" className={WIDE}>
        {fee(service.systemRatePpm, service.systemFixedMinor)}
      </Td>
      <Td align="end">{amountMinor === null ? '–' : <FeeEffect service={service} amountMinor={amountMinor} />}</Td>
      {mayChange && (
        <Td align="end">
          <ServiceButtons application={application} service={service} others={others} amountMinor={amountMinor} />
        </Td>
      )}
    </Tr>
  )
}

function State({ service: { isEnabled, isInCountries } }: { service: ServiceTerms }) {
  const { t } = useTranslations()
  if (isEnabled) return <Badge tone="ok">{t('terms.on')}</Badge>
  return <Badge>{t(isInCountries ? 'terms.off' : 'terms.outside')}</Badge>
}

/** The limits that count: the strictest of the operator's settings and the application's own, else those of the operator's table. */
function Limits({ service }: { service: ServiceTerms }) {
  const { t, locale } = useTranslations()
  const { country } = OPERATORS[service.operator]
  const { minimum, maximum, multiple, areBinding } = service.effective
  return (
    <>
      <span className="tabular">
        {formatAmount(minimum, locale)} – {formatAmount(maximum, locale)}
      </span>{' '}
      <span className="text-second text-quiet">{country.currency}</span>
      {multiple !== null && <span className="block text-second">{t('terms.multiples', { multiple: formatAmount(multiple, locale) })}</span>}
      <span className={`block text-second ${areBinding ? 'font-medium' : 'text-quiet'}`}>
        {t(areBinding ? 'terms.enforced' : 'terms.advisory')}
      </span>
    </>
  )
}

const LimitsDialog = onDemand(async () => (await import('./service-dialogs.tsx')).LimitsDialog)
const FeesDialog = onDemand(async () => (await import('./service-dialogs.tsx')).FeesDialog)

type ServiceButtonsProps = { application: string; service: ServiceTerms; others: readonly ServiceTerms[]; amountMinor: bigint | null }

/** Opens the form of the limits or of the fees of one service. */
function ServiceButtons({ application, service, others, amountMinor }: ServiceButtonsProps) {
  const t = useT()
  const { brand, country } = OPERATORS[service.operator]
  const name = `${brand} ${t(`country.${country.name}`)} · ${t(`type.${service.type}`)}`
  const props = { application, service, name }
  return (
    <div className="flex justify-end gap-2 max-sm:flex-col">
      <DialogButton
        size="small"
        aria-label={t('terms.changeLimitsOf', { service: name })}
        dialog={(onClose) => <LimitsDialog {...props} onClose={onClose} />}
      >
        {t('terms.changeLimits')}
      </DialogButton>
      <DialogButton
        size="small"
        aria-label={t('terms.changeFeesOf', { service: name })}
        dialog={(onClose) => <FeesDialog {...props} others={others} amountMinor={amountMinor} onClose={onClose} />}
      >
        {t('terms.changeFees')}
      </DialogButton>
    </div>
  )
}

const SettingsDialog = onDemand(async () => (await import('./settings-dialogs.tsx')).SettingsDialog)
const CustomerPageDialog = onDemand(async () => (await import('./customer-page-dialog.tsx')).CustomerPageDialog)
const ZoneDialog = onDemand(async () => (await import('./settings-dialogs.tsx')).ZoneDialog)

type SettingsButtonsProps = { application: string; settings: SettingsTerms; timeZone: string }

/** Opens the form of the settings, or that of the time zone. */
export function SettingsButtons({ application, settings, timeZone }: SettingsButtonsProps) {
  const t = useT()
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <DialogButton dialog={(onClose) => <SettingsDialog application={application} settings={settings} onClose={onClose} />}>
        {t('terms.change')}
      </DialogButton>
      <DialogButton dialog={(onClose) => <ZoneDialog application={application} timeZone={timeZone} onClose={onClose} />}>
        {t('terms.changeZone')}
      </DialogButton>
    </div>
  )
}

/** Opens the form of what customers see. */
export function CustomerPageButton({ application, page }: { application: string; page: CustomerPageTerms }) {
  const t = useT()
  return (
    <div className="mt-4">
      <DialogButton dialog={(onClose) => <CustomerPageDialog application={application} page={page} onClose={onClose} />}>
        {t('terms.page.change')}
      </DialogButton>
    </div>
  )
}
