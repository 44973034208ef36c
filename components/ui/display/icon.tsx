/** Paths on a 16 px grid, drawn with a 1.5 px stroke in the colour of the text around them. */
const PATHS = {
  home: 'M2.5 7.2 8 2.8l5.5 4.4v5.8h-3.8V9.6H6.3V13H2.5Z',
  lines: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h7',
  sign: 'M2 11.5c1.8 0 3-7 4.6-7 1.7 0-.4 6.4 1 6.4 1.1 0 1.3-3.2 2.4-3.2.9 0 .5 2.3 1.5 2.3.8 0 1-.7 2.5-.7M2.5 13.8h11',
  sum: 'M11.8 5.2V3H4.2l4 5-4 5h7.6v-2.2',
  wallet: 'M2.5 5.5h11v7.8h-11ZM2.5 5.5 10.8 2.7v2.8M10.8 9.4h.1',
  plus: 'M8 3v10M3 8h10',
  file: 'M4 2.5h5l3 3v8H4ZM9 2.5v3h3',
  key: 'M6.3 9.7a2.6 2.6 0 1 1-3.7 0 2.6 2.6 0 0 1 3.7 0Zm0 0 6.2-6.2M10.3 5.7l1.9 1.9',
  hook: 'M2.5 8h7.2M7 5.2 9.8 8 7 10.8M13 3v10',
  rules: 'M2.5 4h11M2.5 8h5M2.5 12h5M9.8 10.6l1.5 1.5 2.7-3',
  shield: 'M8 2.3 13 4v4c0 2.9-2 4.9-5 5.9C5 12.9 3 10.9 3 8V4Z',
  people:
    'M6 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM2.3 13c.2-2.3 1.6-3.5 3.7-3.5s3.5 1.2 3.7 3.5M10.8 3.3a2 2 0 0 1 0 3.9M11.7 9.7c1.2.4 1.9 1.5 2 3.3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2',
  chevron: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  'chevron-right': 'm6.5 4.5 3.5 3.5-3.5 3.5',
  'chevron-left': 'M9.5 4.5 6 8l3.5 3.5',
  'arrow-up': 'M8 13V3M4 7l4-4 4 4',
  'arrow-down': 'M8 3v10M4 9l4 4 4-4',
  check: 'm3 8.5 3.3 3.3L13 5',
  minus: 'M3.5 8h9',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M6 6h7v7.5H6ZM10 6V2.5H3V10h3',
  clock: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 5v3.2l2.2 1.3',
  alert: 'M8 2.6 14 13H2ZM8 6.5v3M8 11.3v.1',
  info: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 7.5v3.3M8 5.2v.1',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8',
  download: 'M8 2.5v7.5M4.8 7.2 8 10.3l3.2-3.1M3 13.3h10',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  columns: 'M2.5 3h11v10h-11ZM6.2 3v10M9.9 3v10',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  link: 'M6.8 9.2 12.5 3.5M8.5 3.2h4.3v4.3M11 9.5V13H3V5h3.5',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 2.2v2M8 11.8v2M2.2 8h2M11.8 8h2M3.9 3.9l1.4 1.4M10.7 10.7l1.4 1.4M3.9 12.1l1.4-1.4M10.7 5.3l1.4-1.4',
  offline: 'M2.5 6.5a8 8 0 0 1 11 0M4.8 9a4.8 4.8 0 0 1 6.4 0M8 12h.1M2.5 2.5l11 11',
  leave: 'M6.5 2.5H3v11h3.5M7 8h6.5M10.8 5.2 13.5 8l-2.7 2.8',
  keyboard: 'M2 4.5h12v7H2ZM4.5 7h.1M7 7h.1M9.5 7h.1M11.5 7h.1M5 9.3h6',
  inbox: 'M2.5 9 4.3 3.5h7.4L13.5 9v4h-11ZM2.5 9h3.2l.8 1.6h3l.8-1.6h3.2',
  servers: 'M2.5 2.8h11v4.4h-11ZM2.5 8.8h11v4.4h-11ZM5 5h.1M5 11h.1',
  printer: 'M4.5 6V2.5h7V6M4.5 11h-2V6h11v5h-2M4.5 9.5h7v4h-7Z',
} as const

export type IconName = keyof typeof PATHS

/** A decorative icon beside a text, hidden from screen readers. `className` may set size and colour. */
export function Icon({ name, className = 'size-4' }: { name: IconName; className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
