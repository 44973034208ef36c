import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { SuggestionLine } from '#components/domain/suggestion-line.tsx'
import { Kbd } from '#components/ui/display/badge.tsx'
import { Dialog } from '#components/ui/overlay/dialog.tsx'
import { useNow, useT, useTranslations } from '#components/ui/translations.tsx'
import { usePaused } from '#components/ui/use-paused.ts'
import { latestMonths, matchesTyped, type PageLink } from '#lib/pages/palette.ts'
import { paths } from '#lib/pages/paths.ts'
import { queries } from '#lib/pages/queries.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import { suggestionAddress, suggestionKey } from '#lib/payments/search-suggestion.ts'
import { formatPhone } from '#lib/text/format.ts'
import { dayIn } from '#lib/time/format-time.ts'

const TYPED_MIN = 2
/** A pause between two keys, so that a word typed quickly is one request. */
const PAUSE_MS = 80
const EXPORTS_MAX = 4
/** So that what can be done with them is in sight too. */
const FOUND_MAX = 5

/** Something that the palette does. `run`: after the palette has closed. */
type Command = { id: string; content: ReactNode; run: () => void }
type Group = { heading: string; commands: readonly Command[] }

export type PaletteProps = {
  application: string
  pages: readonly PageLink[]
  mayPay: boolean
  onOpen: (href: string) => void
  onClose: () => void
}

/**
 * Everything that can be opened or done from anywhere, found by typing: pages, transactions, batches, customers, a payment to one of them, the
 * export of a month. Arrow keys choose, Enter runs.
 */
export function CommandPalette(props: PaletteProps) {
  const t = useT()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const { groups, note } = useCommands(props, typed)
  const commands = groups.flatMap((group) => group.commands)
  const active = commands[Math.min(chosen, commands.length - 1)]
  const run = (command: Command | undefined) => {
    if (!command) return
    props.onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || commands.length === 0) return
    event.preventDefault()
    const next = (Math.min(chosen, commands.length - 1) + step + commands.length) % commands.length
    setChosen(next)
    list.current?.querySelectorAll('[role=option]')[next]?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Dialog title={t('palette.title')} onClose={props.onClose} isTitleHidden>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(active)
        }}
      >
        <input
          type="text"
          role="combobox"
          aria-label={t('palette.title')}
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(id, active)}
          maxLength={200}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          placeholder={t('palette.placeholder')}
          onChange={(event) => {
            setTyped(event.target.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
          className="h-10 w-[calc(100%-2.5rem)] rounded-sm border border-line-2 bg-surface px-2.5"
        />
      </form>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={t('palette.title')}
        className="mt-3 grid h-[min(46dvh,380px)] content-start gap-3 overflow-y-auto"
      >
        {groups.map((group) => (
          <Options key={group.heading} {...group} id={id} active={active} run={run} />
        ))}
      </div>
      <p role="status" className="pt-2 text-second text-quiet">
        {note}
      </p>
    </Dialog>
  )
}

/** The id of an option in the document; an id has no spaces. */
const optionId = (id: string, command: Command) => `${id}-${command.id.replaceAll(' ', '_')}`

type OptionsProps = Group & { id: string; active: Command | undefined; run: (command: Command) => void }

function Options({ heading, commands, id, active, run }: OptionsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no child of a listbox
    <div role="group" aria-label={heading}>
      <p aria-hidden="true" className="px-2.5 pb-1 text-second text-quiet">
        {heading}
      </p>
      {commands.map((command) => (
        <div
          key={command.id}
          id={optionId(id, command)}
          role="option"
          aria-selected={command === active}
          tabIndex={-1}
          // The press must not take the focus from the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => run(command)}
          onKeyDown={() => undefined}
          className="cursor-pointer rounded-sm px-2.5 py-1.5 hover:bg-sunken aria-selected:bg-sunken touch-target"
        >
          {command.content}
        </div>
      ))}
    </div>
  )
}

/** Returns what fits the typed text, in groups, and a note about it. */
function useCommands({ application, pages, mayPay, onOpen }: PaletteProps, typed: string): { groups: readonly Group[]; note: string } {
  const { t, locale, businessZone } = useTranslations()
  const today = dayIn(businessZone, useNow())
  const asked = usePaused(typed.trim(), PAUSE_MS)
  const { data, isFetching, isError } = useQuery({
    ...queries.suggestions(application, asked),
    enabled: asked.length >= TYPED_MIN,
    placeholderData: keepPreviousData,
  })
  const text = typed.trim()
  const found = text.length < TYPED_MIN ? [] : (data ?? []).slice(0, FOUND_MAX)
  const groups: Group[] = [
    {
      heading: t('palette.pages'),
      commands: pages
        .filter(({ label }) => matchesTyped(text, label))
        .map(({ label, href, key }) => ({ id: href, content: <PageLine label={label} letter={key} />, run: () => onOpen(href) })),
    },
    {
      heading: t('palette.found'),
      commands: found.map((suggestion) => ({
        id: suggestionKey(suggestion),
        content: <SuggestionLine suggestion={suggestion} />,
        run: () => onOpen(suggestionAddress(application, suggestion)),
      })),
    },
    {
      heading: t('palette.actions'),
      commands: [
        ...found.flatMap((suggestion) =>
          suggestion.kind === 'customer' && mayPay
            ? {
                id: `pay ${suggestionKey(suggestion)}`,
                content: t('palette.payTo', { name: suggestion.customerName, phone: formatPhone(suggestion.phoneNumber) }),
                run: () => onOpen(newPaymentPath(application, { to: suggestion.phoneNumber })),
              }
            : [],
        ),
        ...(text === '' ? [] : latestMonths(today, locale))
          .map((month) => ({ ...month, label: t('palette.export', { month: month.name }) }))
          .filter(({ label }) => matchesTyped(text, label))
          .slice(0, EXPORTS_MAX)
          .map(({ from, to, label }) => ({
            id: `export ${from}`,
            content: label,
            run: () => download(paths.data(application, 'transactions/export', { from, to })),
          })),
      ],
    },
  ].filter(({ commands }) => commands.length > 0)
  const isSettled = !isFetching && asked === text
  const note = isError ? t('palette.failed') : groups.length > 0 ? t('palette.hint') : isSettled ? t('frame.noSuggestion') : ''
  return { groups, note }
}

function PageLine({ label, letter }: { label: string; letter: string | undefined }) {
  const t = useT()
  return (
    <span className="flex items-center justify-between gap-3">
      {label}
      {letter && (
        <span aria-hidden="true" className="flex items-center gap-1 text-second text-quiet">
          <Kbd>G</Kbd> {t('keys.then')} <Kbd>{letter.toUpperCase()}</Kbd>
        </span>
      )}
    </span>
  )
}

/** Posts a form like the export menu of the list does: the browser saves the response, and the page remains. */
function download(action: string): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  const format = document.createElement('input')
  format.type = 'hidden'
  format.name = 'format'
  format.value = 'xlsx'
  form.append(format)
  document.body.append(form)
  form.submit()
  form.remove()
}
