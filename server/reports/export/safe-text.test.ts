import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadCpuMs } from '#server/testing/cpu-time.ts'
import { cellText, csvField, safeText } from './csv.ts'

const LENGTH = 65_536

test('milliseconds of CPU time for 64 KB of any text', () => {
  const hostile = [
    `1${' '.repeat(LENGTH)}x`,
    `1${'1 '.repeat(LENGTH / 2)}x`,
    `${' '.repeat(LENGTH)}x`,
    `${'\t'.repeat(LENGTH)}x`,
    `${'\r\n'.repeat(LENGTH / 2)}x`,
    `1${'e'.repeat(LENGTH)}`,
    `1e${'1'.repeat(LENGTH)}x`,
    `${'\u00a0'.repeat(LENGTH)}=`,
    '"'.repeat(LENGTH),
    `;${' '.repeat(LENGTH)}x`,
    '; '.repeat(LENGTH / 2),
  ]
  for (const text of hostile) {
    const startedMs = threadCpuMs()
    csvField(safeText(text))
    const tookMs = threadCpuMs() - startedMs
    assert.ok(tookMs < 200, `${JSON.stringify(text.slice(0, 8))}… took ${tookMs} ms`)
  }
})

test('at most 32,767 well-formed characters without NUL in a cell', () => {
  const cut = cellText(`${'x'.repeat(32_764)}\u{1f4b8}${'y'.repeat(LENGTH)}`)
  assert.ok(cut.length <= 32_767 && cut.isWellFormed() && cut.endsWith('…'))
  assert.equal(cellText('x'.repeat(32_767)).length, 32_767)
  assert.equal(cellText('a\0b\ud83d'), 'ab\ufffd')
})

test('a leading apostrophe for what a spreadsheet would read as a formula, and for nothing else', () => {
  for (const text of ['=1', '+1', '-1', '@a', '\ra', ' =1', '\u00a0\ufeff+1', '\tx', ' \tx', '\r\nx', '\uff1dA1', '|x', '%x'])
    assert.ok(safeText(text).startsWith("'"), JSON.stringify(text))
  for (const text of ['237677123456', '007', '1e5', '2.5', '1 000,50', 'a=1', 'Awa', ' Awa', '12 rue', 'e5', '', ' ', '3fa85f64'])
    assert.equal(safeText(text), text)
})

/** The first cells of a line as a program that separates fields at semicolons reads them: quotes count at the beginning of a field only. */
function fieldsAtSemicolons(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|;)("(?:[^"]|"")*"[^;]*|[^;]*)/g), ([, field = '']) =>
    field.replace(/^"((?:[^"]|"")*)"/, (_, quoted: string) => quoted.replaceAll('""', '"')),
  )
}

test('no formula in any field of a program that separates them at semicolons', () => {
  for (const text of ['x;=1+1', 'x;=1+1;"', 'x; "=1+1"', 'x;;@A1', 'x;""=1', 'x;\t-1', 'x;\r\n+1', 'x;\uff1d1', 'x;\uff0b1']) {
    const fields = fieldsAtSemicolons(`id,${csvField(safeText(text))},256677209341`)
    assert.ok(fields.length > 1, text)
    for (const field of fields.slice(1)) assert.doesNotMatch(field.trim(), /^[=+\-@\uff1d\uff0b]/, JSON.stringify([text, fields]))
  }
  assert.equal(safeText('Awa; Traoré'), 'Awa; Traoré')
})
