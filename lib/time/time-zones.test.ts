import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTimeZone, listTimeZones } from './time-zones.ts'

test('true for the name of a time zone, false for anything else', () => {
  for (const name of ['UTC', 'Africa/Douala', 'America/Argentina/Buenos_Aires']) assert.ok(isTimeZone(name), name)
  for (const name of ['', '+01:00', 'Mars/Olympus', '../etc', 'Africa/Douala\0']) assert.ok(!isTimeZone(name), name)
})

test('valid zones, UTC first, each with its distance from UTC on that day', () => {
  const regions = listTimeZones(new Date('2026-07-01T00:00:00Z'), 'UTC')
  assert.deepEqual(regions[0], { region: '', zones: [{ name: 'UTC', offset: '+00:00' }] })
  const zones = new Map(regions.flatMap((region) => region.zones.map((zone) => [zone.name, zone.offset])))
  for (const name of zones.keys()) assert.ok(isTimeZone(name), name)
  assert.deepEqual(
    ['Africa/Douala', 'Europe/Paris', 'Africa/Abidjan', 'America/St_Johns'].map((name) => zones.get(name)),
    ['+01:00', '+02:00', '+00:00', '-02:30'],
  )
})

test('the chosen zone, also under a name that the list does not use', () => {
  const names = (chosen: string) => listTimeZones(new Date(), chosen).flatMap((region) => region.zones.map((zone) => zone.name))
  for (const name of ['Asia/Kolkata', 'Asia/Calcutta']) assert.ok(names(name).includes(name))
  assert.ok(!names('Mars/Olympus').includes('Mars/Olympus'))
})
