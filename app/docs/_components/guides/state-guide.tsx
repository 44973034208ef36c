import type { Translate } from '#lib/i18n/translate.ts'
import {
  CREATION_STATUSES,
  FAILURE_MESSAGES,
  TRANSACTION_STATUSES,
  TRANSITIONS,
  type TransactionStatus,
  type TransitionEvent,
} from '#lib/payments/transactions/transaction-status.ts'
import { Code, GuideSection, P, StatusWord } from '../prose.tsx'

/** The states of a transaction, from the table that the service uses. */
export function StateGuide({ t }: { t: Translate }) {
  return (
    <>
      <GuideSection guide="states" id="graph">
        <P>{t('guides.states.graph.a')}</P>
        <StateGraph />
      </GuideSection>
      <GuideSection guide="states" id="edges">
        <dl className="divide-y divide-line border-y border-line">
          {CREATION_STATUSES.map((to) => (
            <Edge key={to} name="created" to={to}>
              {t(to === 'PENDING' ? 'guides.states.accepted' : 'guides.states.acceptedWaits')}
            </Edge>
          ))}
          {Object.entries(TRANSITIONS).map(([event, { from, to }]) => (
            <Edge key={event} name={event} from={from} to={to}>
              {t(`guides.states.event.${event as TransitionEvent}`)}
            </Edge>
          ))}
        </dl>
        <P>{t('guides.states.edges.a')}</P>
      </GuideSection>
      <GuideSection guide="states" id="messages">
        <P>{t('guides.states.messages.a')}</P>
        <dl className="grid gap-2">
          {Object.entries(FAILURE_MESSAGES).map(([reason, message]) => (
            <div key={reason}>
              <dt lang="fr">
                <Code>{message}</Code>
              </dt>
              <dd className="text-ink-2">{t(`guides.states.failure.${reason as keyof typeof FAILURE_MESSAGES}`)}</dd>
            </div>
          ))}
        </dl>
      </GuideSection>
    </>
  )
}

type Props = {
  name: string
  from?: (typeof TRANSITIONS)[TransitionEvent]['from']
  to: (typeof TRANSITIONS)[TransitionEvent]['to'] | 'PENDING_APPROVAL'
  children: string
}

function Edge({ name, from, to, children }: Props) {
  return (
    <div className="py-2">
      <dt className="flex flex-wrap items-center gap-2">
        {from && <StatusWord status={from} />}
        <span className="font-mono text-second text-ink-2">
          {name} <span aria-hidden="true">→</span>
        </span>
        <StatusWord status={to} />
      </dt>
      <dd className="mt-0.5 text-ink-2">{children}</dd>
    </div>
  )
}

type Box = { x: number; y: number; width: number; className: string }

// Centres on a sheet of 360 × 372: readable at the width of a phone.
const BOXES: Record<TransactionStatus, Box> = {
  PENDING_APPROVAL: { x: 84, y: 112, width: 148, className: 'fill-wait-soft stroke-wait' },
  PENDING: { x: 286, y: 168, width: 84, className: 'fill-run-soft stroke-run' },
  FAILED: { x: 84, y: 346, width: 76, className: 'fill-bad-soft stroke-bad' },
  SUCCESS: { x: 300, y: 346, width: 84, className: 'fill-ok-soft stroke-ok' },
}
const HEIGHT = 32
const START = { x: 286, y: 16 }
const LINE_HEIGHT = 16

type Point = { x: number; y: number }

/** The states and edges of a transaction, drawn from the table that the service uses: an edge more there is an edge more here. */
function StateGraph() {
  const bundles = new Map<string, { from: TransactionStatus; to: TransactionStatus; events: string[] }>()
  for (const [event, { from, to }] of Object.entries(TRANSITIONS)) {
    const bundle = bundles.get(`${from} ${to}`) ?? { from, to, events: [] }
    bundle.events.push(event)
    bundles.set(`${from} ${to}`, bundle)
  }
  const edges = [...bundles.values()]
  const title = [
    ...CREATION_STATUSES.map((to) => `created leads to ${to}`),
    ...edges.map(({ from, to, events }) => `${events.join(', ')}: from ${from} to ${to}`),
  ].join('; ')
  return (
    <svg viewBox="0 0 360 372" role="img" aria-label={title} className="w-full max-w-[440px] rounded-md border border-line bg-surface">
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0.5 7.5 4 0 7.5Z" className="fill-ink-3" />
        </marker>
      </defs>
      {CREATION_STATUSES.map((to) => (
        <Line key={to} from={START} to={clip(BOXES[to], START)} />
      ))}
      {edges.map(({ from, to }) => (
        <Line key={from + to} from={clip(BOXES[from], BOXES[to])} to={clip(BOXES[to], BOXES[from])} />
      ))}
      {edges.map(({ from, to, events }) => (
        <Labels key={from + to} at={middle(clip(BOXES[from], BOXES[to]), clip(BOXES[to], BOXES[from]))} lines={events} />
      ))}
      <Labels at={{ x: START.x - 62, y: START.y + 34 }} lines={['created']} />
      <Labels at={{ x: START.x, y: START.y + 70 }} lines={['created']} />
      <circle cx={START.x} cy={START.y} r="6" className="fill-ink" />
      {TRANSACTION_STATUSES.map((status) => (
        <State key={status} status={status} />
      ))}
    </svg>
  )
}

function State({ status }: { status: TransactionStatus }) {
  const { x, y, width, className } = BOXES[status]
  return (
    <g>
      <rect x={x - width / 2} y={y - HEIGHT / 2} width={width} height={HEIGHT} rx="8" className={className} />
      <text x={x} y={y + 4.5} textAnchor="middle" fontSize="13.5" className="fill-ink font-strong">
        {status}
      </text>
    </g>
  )
}

function Line({ from, to }: { from: Point; to: Point }) {
  return <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} strokeWidth="1.5" markerEnd="url(#arrow)" className="stroke-ink-3" />
}

/** Names of events over the middle of their line, on the colour of the sheet. */
function Labels({ at, lines }: { at: Point; lines: readonly string[] }) {
  const width = Math.max(...lines.map((line) => line.length)) * 7.2 + 8
  const top = at.y - (lines.length * LINE_HEIGHT) / 2
  return (
    <g>
      <rect x={at.x - width / 2} y={top - 1} width={width} height={lines.length * LINE_HEIGHT + 2} className="fill-surface" />
      {lines.map((line, index) => (
        <text key={line} x={at.x} y={top + 12.5 + index * LINE_HEIGHT} textAnchor="middle" fontSize="13.5" className="fill-ink-2">
          {line}
        </text>
      ))}
    </g>
  )
}

function middle(from: Point, to: Point): Point {
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
}

/** Where the line from the centre of a box to another point leaves the box. */
function clip(box: Box, to: Point): Point {
  const [dx, dy] = [to.x - box.x, to.y - box.y]
  const scale = Math.min(box.width / 2 / Math.abs(dx || 0.001), HEIGHT / 2 / Math.abs(dy || 0.001))
  return { x: box.x + dx * scale, y: box.y + dy * scale }
}
