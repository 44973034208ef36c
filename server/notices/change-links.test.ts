import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHANGE_PERMISSIONS } from '#lib/approvals/proposed-change.ts'
import { type ConcerningNotice, pathOf } from './mail/write-mail.ts'

const PAGES = new URL('../../app/(back-office)/[application]', import.meta.url).pathname

/** Whether a path below an application is a page; a folder in brackets stands for any part. */
function isPage(parts: readonly string[], folder = PAGES): boolean {
  const [first, ...rest] = parts
  if (first === undefined) return existsSync(join(folder, 'page.tsx'))
  const fitting = readdirSync(folder).filter((name) => name === first || (name.startsWith('[') && !name.startsWith('[...')))
  return fitting.some((name) => isPage(rest, join(folder, name)))
}

const notice = (
  cause: ConcerningNotice['cause'],
  kind: string,
  about: { wallet: string | null; day: string | null },
): ConcerningNotice => ({
  ...{ noticeId: '', applicationId: '', applicationName: 'Douala', subjectId: '', operator: null, type: null, saved: null },
  ...{ cause, kind, slug: 'douala', decidesIn: 'douala' },
  ...about,
})

test('to the page on which it is decided, never to the overview: the mail about a change of every kind', () => {
  const wrong: string[] = []
  for (const kind of Object.keys(CHANGE_PERMISSIONS)) {
    for (const cause of ['change_waiting', 'change_expiring', 'change_confirmed', 'change_refused'] as const) {
      for (const about of [
        { wallet: null, day: null },
        { wallet: 'MOMOCM-collect', day: null },
        { wallet: 'MOMOCM-collect', day: '2026-11-05' },
      ]) {
        const path = pathOf(notice(cause, kind, about))
        const [, slug, ...parts] = path.split('/')
        if (slug !== 'douala' || parts.length === 0 || !isPage(parts)) wrong.push(`${kind}: ${path}`)
      }
    }
  }
  assert.deepEqual(wrong, [])
})

test('to the page of the subject: adjustments, bank accounts, days, wallets, operators, beneficiaries, terms', () => {
  const none = { wallet: null, day: null }
  const path = (kind: string, about = none as { wallet: string | null; day: string | null }) =>
    pathOf(notice('change_waiting', kind, about))
  assert.deepEqual(
    ['adjustment.late', 'reversal.ask', 'bank_account.add', 'withdrawal.schedule', 'operator.set', 'beneficiary.add', 'fees.set'].map(
      (kind) => path(kind),
    ),
    ['funding', 'funding', 'funding', 'funding', 'operators', 'beneficiaries', 'application'].map((page) => `/douala/${page}`),
  )
  const about = { wallet: 'MOMOCM-collect', day: '2026-11-05' }
  assert.equal(path('day.reopen', about), '/douala/close/days/MOMOCM-collect/2026-11-05')
  assert.equal(path('wallet.set', { ...about, day: null }), '/douala/close/wallets/MOMOCM-collect')
})
