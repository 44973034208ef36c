/** How many lines of an error are shown again. */
const ERROR_LINES_MAX = 8
/** Of a program that lists no tests: its last lines. */
const LAST_LINES_MAX = 12
/** The space for all failures at the end of `npm test`: with the sums, less than the forty lines that are kept of a run at least. */
const ALL_LINES_MAX = 34
/** Colours and the like, which a program may print although nobody looks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with this character
const CONTROL = /\u001b\[[\d;]*m/g

/** Begins the line of run.ts that names the files of the second attempt. */
export const SECOND_ATTEMPT = 'Second attempt, one file at a time:'

/**
 * Returns what failed at a first attempt and passed at the second: of Node's runner by run.ts, of a browser by Playwright.
 * @param {string} output what the step printed
 * @returns {{ title: string, lines: string[] }[]}
 */
export function findFlaky(output) {
  const text = output.replace(CONTROL, '')
  const [first = '', second] = text.split(`\n${SECOND_ATTEMPT}`)
  const failedAgain = new Set(second === undefined ? [] : failuresOfNode(second).map(({ title }) => title))
  const flakyOfNode = second === undefined ? [] : failuresOfNode(first).filter(({ title }) => !failedAgain.has(title))
  return [...flakyOfNode, ...listOfPlaywright(text, 'flaky')]
}

/**
 * Returns what failed in a step that failed: for each test its file and title, with the first lines of its error; for a program that lists
 * no tests its last lines.
 * @param {string} output what the step printed
 * @returns {{ title: string, lines: string[] }[]}
 */
export function findFailures(output) {
  const text = output.replace(CONTROL, '')
  const last = text.split(`\n${SECOND_ATTEMPT}`).at(-1) ?? ''
  const found = [...failuresOfNode(last), ...listOfPlaywright(text, 'failed')]
  return found.length > 0 ? found : [{ title: 'its last lines', lines: keptLines(text).slice(-LAST_LINES_MAX) }]
}

/** The list at the end of a run: `test at FILE:LINE:COLUMN`, the title, and the error, indented. */
function failuresOfNode(text) {
  return [...text.matchAll(/^test at (\S+)\n✖ (.*)\n((?: {2}.*\n?|\n)*)/gm)].map(([, place, line, error]) => {
    // A file that fails outside of its tests printed the reason before its own line.
    const isFile = keptLines(error).join() === `'test failed'`
    const reason = isFile
      ? (text
          .split(`\n✖ ${line}\n`, 1)[0]
          ?.split(/^\s*[✔✖▶].*$/m)
          .at(-1) ?? '')
      : error
    return { title: `${place} ${line.replace(/ \([\d.]+ms\)$/, '')}`, lines: keptLines(reason).slice(0, ERROR_LINES_MAX) }
  })
}

/** The titles below `N failed`, or below `N flaky` those of tests that passed at their second attempt. The errors are above, numbered. */
function listOfPlaywright(text, name) {
  const list = new RegExp(`^ {2}\\d+ ${name}\\n((?: {4}.*\\n?)+)`, 'm').exec(text)?.[1] ?? ''
  return keptLines(list).map((line) => {
    const title = line.replace(/[ ─]+$/, '')
    const [, error = ''] = text.split(new RegExp(`^ {2}\\d+\\) ${escaped(title)}[ ─]*$`, 'm'))
    // Up to the next error, or to the sums.
    const [own = ''] = error.split(/^ {2}\d+(?:\) | failed| flaky| passed)/m, 1)
    return { title, lines: keptLines(own).slice(0, ERROR_LINES_MAX) }
  })
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function keptLines(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^at .*node:internal/.test(line))
}

/**
 * Returns the lines that close a run with failures: each step that failed, its tests and their errors. Where that is too much, the titles, and
 * how many more there are.
 * @param {readonly { step: string, title: string, lines: readonly string[] }[]} failures
 */
export function describeFailures(failures) {
  const write = (linesMax) =>
    failures.flatMap(({ step, title, lines }) => [`✖ ${step}: ${title}`, ...lines.slice(0, linesMax).map((line) => `    ${line}`)])
  const whole = [LAST_LINES_MAX, 2, 0].map(write).find((lines) => lines.length <= ALL_LINES_MAX)
  if (whole) return whole
  return [...write(0).slice(0, ALL_LINES_MAX - 1), `… and ${failures.length - ALL_LINES_MAX + 1} more`]
}
