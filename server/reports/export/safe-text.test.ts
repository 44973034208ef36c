import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellText, csvField, safeText } from './safe-text.ts'

const LENGTH = 65_536

test('milliseconds for 64 KB of any text', () => {
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
  ]
  for (const text of hostile) {
    const startedMs = performance.now()
    csvField(safeText(text))
    const tookMs = performance.now() - startedMs
    assert.ok(tookMs < 50, `${JSON.stringify(text.slice(0, 8))}… took ${tookMs} ms`)
  }
})

test('at most 32,767 well-formed characters without NUL in a cell', () => {
  const cut = cellText(`${'x'.repeat(32_764)}\u{1f4b8}${'y'.repeat(LENGTH)}`)
  assert.ok(cut.length <= 32_767 && cut.isWellFormed() && cut.endsWith('…'))
  assert.equal(cellText('x'.repeat(32_767)).length, 32_767)
  assert.equal(cellText('a\0b\ud83d'), 'ab\ufffd')
})

test('a leading apostrophe for what a spreadsheet would read as a formula or a number', () => {
  for (const text of ['=1', ' =1', '\u00a0\ufeff+1', '\tx', ' \tx', '\r\nx', '\uff1dA1', '|x', '%x', '007', ' 1 000,50 ', '2E5', '1.5e-7'])
    assert.ok(safeText(text).startsWith("'"), JSON.stringify(text))
  for (const text of ['a=1', 'Awa', ' Awa', '12 rue', '1e', 'e5', '', ' ', '3fa85f64']) assert.equal(safeText(text), text)
})
