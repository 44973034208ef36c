import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPasswordProblem } from './passwords.ts'

const paul = { email: 'paul.mbarga@kora-stores.example', name: 'Paul Mbarga' }

test('password_too_common for a common password with digits, a sequence, a repetition or a keyboard row', async () => {
  for (const password of [
    'password1234',
    'P@ssw0rd!2026',
    'motdepasse2026',
    '123456789012',
    'aaaaaaaaaaaa',
    'qwertyuiop12',
    'liverpool2024!',
  ])
    assert.equal(await findPasswordProblem(password, paul), 'password_too_common', password)
})

test('password_too_common for each of the most common passwords of the world that is long enough to be chosen, also with a year', async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const common = dictionary['passwords-common']
  assert.ok(common.length > 10_000, `${common.length} passwords`)
  const long = common.filter((password) => password.length >= 12)
  assert.ok(long.length > 100, `${long.length} of 12 characters`)
  const withYear = common.slice(0, 500).flatMap((password) => (password.length >= 8 ? [`${password}2026`] : []))
  const accepted: string[] = []
  for (const password of [...long, ...withYear]) if ((await findPasswordProblem(password, paul)) === undefined) accepted.push(password)
  assert.deepEqual(accepted, [])
})

test('password_too_common for what is little more than the name, the address or the product', async () => {
  for (const password of [
    'Paul.Mbarga1988',
    'paul mbarga paul mbarga',
    'paul.mbarga@kora-stores.example',
    'Countersign2026!',
    'countersigncountersign',
  ])
    assert.equal(await findPasswordProblem(password, paul), 'password_too_common', password)
})

test('accepts several plain words, even beside their own name, and random characters', async () => {
  for (const password of [
    'correct horse battery',
    'manguier rivage 41',
    'xK9#mq2Lw7!p',
    'Paul likes violet umbrellas',
    'x9#Lq2'.repeat(170),
  ])
    assert.equal(await findPasswordProblem(password, paul), undefined, password)
})

test('password_too_short for fewer than 12 characters and for more than 1,024', async () => {
  assert.equal(await findPasswordProblem('xK9#mq2Lw7!', paul), 'password_too_short')
  assert.equal(await findPasswordProblem('xK9#mq2L'.repeat(129), paul), 'password_too_short')
})
