import { Fragment } from 'react'
import { NavLink } from '#components/frame/nav-link.tsx'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { GUIDES, type Guide, type ReferenceOperation } from '#lib/reference.ts'

const TAG_TITLES: Record<string, MessageKey> = {
  Payments: 'docs.tag.payments',
  Status: 'docs.tag.status',
  Approvals: 'docs.tag.approvals',
  Lists: 'docs.tag.lists',
  'Totals and balances': 'docs.tag.totals',
  Tokens: 'docs.tag.tokens',
}

const ITEM = `flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-ink-2 hover:bg-sunken hover:text-ink touch-target
  aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink`

type Props = { t: Translate; operations: readonly ReferenceOperation[] }

/** Every page of the reference: guides, then operations by subject. */
export function DocsNavigation({ t, operations }: Props) {
  const byTag = Map.groupBy(operations, ({ tag }) => tag)
  return (
    <nav aria-label={t('docs.navigation')} className="grid gap-4">
      <Group title={t('docs.guides')}>
        {(Object.keys(GUIDES) as Guide[]).map((guide) => (
          <li key={guide}>
            <NavLink href={paths.docs(guide === 'start' ? undefined : guide)} isExact className={ITEM}>
              {t(`docs.guide.${guide}`)}
            </NavLink>
          </li>
        ))}
      </Group>
      {[...byTag].map(([tag, ofTag]) => (
        <Group key={tag} title={t(TAG_TITLES[tag] ?? 'docs.title')}>
          {ofTag.map(({ id, path }) => (
            <li key={id}>
              <NavLink href={paths.docs(id)} isExact className={`${ITEM} wrap-anywhere`}>
                <Name text={path.slice(path.lastIndexOf('/') + 1)} />
              </NavLink>
            </li>
          ))}
        </Group>
      ))}
    </nav>
  )
}

/** A name in camel case, which may break before a capital. */
function Name({ text }: { text: string }) {
  return (
    <span>
      {text.split(/(?=[A-Z])/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name never change their order.
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  )
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <p className="px-2 pb-1 text-second font-medium text-quiet">{title}</p>
      <ul className="grid gap-px">{children}</ul>
    </div>
  )
}
