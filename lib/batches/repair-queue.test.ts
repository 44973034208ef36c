import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  acceptRequest,
  addRepair,
  type CellRepair,
  correctedMistake,
  dropUnsaved,
  holdCells,
  markSent,
  newQueue,
  type RepairQueue,
  refuseRequest,
  resume,
  seeVersion,
  takeRequest,
  undoLast,
  unreadCells,
} from './repair-queue.ts'

const cell = (rowNumber: number, text: string, value = 'cinq'): CellRepair => ({
  rowNumber,
  field: 'amount',
  text,
  before: { value, edit: null, kind: 'amount_characters' },
})
const typed = (queue: RepairQueue, ...cells: CellRepair[]) => addRepair(queue, { cells, isUndo: false })
const isRight = () => false

function send(queue: RepairQueue) {
  const request = takeRequest(queue)
  assert.ok(request)
  return { queue: markSent(queue, request.sent), cells: request.cells }
}
const textsOf = (cells: readonly CellRepair[]) => cells.map(({ rowNumber, text }) => `${rowNumber} ${text}`)

test('what is typed during a request waits and is one request after it, a cell with its newest text', () => {
  const first = send(typed(newQueue(5), cell(2, '500')))
  const more = typed(typed(typed(first.queue, cell(3, '600')), cell(4, '700')), cell(3, '650'))
  assert.deepEqual(textsOf(first.cells), ['2 500'])
  assert.deepEqual(textsOf(unreadCells(more, 5)), ['2 500', '3 650', '4 700'])
  const accepted = acceptRequest(more, 6, isRight)
  assert.equal(accepted.version, 6)
  assert.deepEqual(textsOf(send(accepted).cells), ['3 650', '4 700'])
})

test('a request has no more cells than one repair may change', () => {
  const column = Array.from({ length: 400 }, (_, index) => cell(index + 2, '500'))
  const first = send(typed(typed(newQueue(5), ...column), ...column.map((each) => ({ ...each, rowNumber: each.rowNumber + 400 }))))
  assert.equal(first.cells.length, 400)
  assert.equal(send(acceptRequest(first.queue, 6, isRight)).cells.length, 400)
})

test('a request without an answer is sent again as it was, before what was typed since', () => {
  const stopped = refuseRequest(send(typed(newQueue(5), cell(2, '500'))).queue, false)
  assert.equal(takeRequest(stopped), undefined)
  assert.deepEqual(textsOf(send(resume(stopped)).cells), ['2 500'])
  assert.deepEqual(textsOf(send(typed(stopped, cell(3, '600'))).cells), ['2 500'])
  assert.deepEqual(textsOf(unreadCells(typed(stopped, cell(3, '600')), 5)), ['2 500', '3 600'])
})

test('refused texts are kept until they are sent again, typed again or dropped', () => {
  const refused = refuseRequest(send(typed(newQueue(5), cell(2, '500'), cell(3, '600'))).queue, true)
  assert.equal(takeRequest(refused), undefined)
  assert.deepEqual(textsOf(refused.held), ['2 500', '3 600'])
  assert.deepEqual(textsOf(send(resume(seeVersion(refused, 7))).cells), ['2 500', '3 600'])
  const again = typed(refused, cell(3, '650'))
  assert.deepEqual([textsOf(again.held), textsOf(send(again).cells)], [['2 500'], ['3 650']])
  assert.deepEqual(unreadCells(dropUnsaved(refused), 5), [])
  assert.deepEqual(textsOf(holdCells(refused, [cell(9, '1')]).held), ['2 500', '3 600', '9 1'])
})

test('the last repair is taken back, then the one before it; nothing is once somebody else has changed the batch', () => {
  const one = acceptRequest(send(typed(newQueue(5), cell(2, '500'))).queue, 6, isRight)
  const two = acceptRequest(
    send(typed(one, { ...cell(2, '600', '500'), before: { value: '500', edit: '500', kind: null } })).queue,
    7,
    isRight,
  )
  const undone = send(undoLast(two))
  assert.deepEqual(textsOf(undone.cells), ['2 500'])
  const back = send(undoLast(acceptRequest(undone.queue, 8, isRight)))
  assert.deepEqual(
    back.cells.map(({ text }) => text),
    [null],
  )
  assert.equal(undoLast(acceptRequest(back.queue, 9, isRight)).waiting.length, 0)
  assert.equal(undoLast(seeVersion(two, 7)).waiting.length, 1)
  assert.equal(undoLast(seeVersion(two, 8)).waiting.length, 0)
})

test('stored texts are shown until the page has read them', () => {
  const accepted = acceptRequest(send(typed(newQueue(5), cell(2, '500'))).queue, 6, isRight)
  assert.deepEqual(textsOf(unreadCells(accepted, 5)), ['2 500'])
  assert.deepEqual(unreadCells(accepted, 6), [])
})

test('a mistake is offered for correction elsewhere if it was one value with one problem, and is right now', () => {
  const correct = (cells: CellRepair[], isWrong: () => boolean = isRight) =>
    correctedMistake(acceptRequest(send(typed(newQueue(5), ...cells)).queue, 6, isWrong).done.at(-1))
  const found = { field: 'amount', kind: 'amount_characters', value: 'cinq', text: '500' }
  assert.deepEqual(correct([cell(2, '500')]), found)
  assert.deepEqual(correct([cell(2, '500'), cell(3, '500')]), found)
  assert.equal(correct([cell(2, '500'), cell(3, '600')]), undefined)
  assert.equal(correct([cell(2, '500'), cell(3, '500', 'six')]), undefined)
  assert.equal(
    correct([cell(2, '500')], () => true),
    undefined,
  )
  const lost: CellRepair = { ...cell(2, '500'), before: { value: '2E+05', edit: null, kind: 'amount_digits_lost' } }
  assert.equal(correct([lost]), undefined)
})
