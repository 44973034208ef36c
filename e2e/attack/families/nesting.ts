import type { CaseMaker, Family } from '#e2e/attack/case.ts'
import { JSON_CONTENT, oneRequest } from '#e2e/attack/wire/request.ts'
import { objectText, pickStart, startCase, TRANSFER_FIELD_NAMES, transfer } from './transfers.ts'

const depth: CaseMaker = {
  name: 'nesting',
  make(random, arsenal) {
    const levels = random.pick([31, 32, 33, 100, 1_000, 30_000])
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"":', '}]'],
    ] as const)
    const isClosed = random.chance(0.5)
    const document = open.repeat(levels) + (isClosed ? `1${close.repeat(levels)}` : '')
    const what = `${levels} levels of ${open}${isClosed ? '' : ', never closed'}`
    return startCase(what, arsenal, pickStart(random), document.slice(0, 200_000), [400, 413])
  },
}

const deepUnknownField: CaseMaker = {
  name: 'nesting in a field that nobody knows',
  make(random, arsenal) {
    const levels = random.pick([10, 31, 200, 5_000])
    const fields = transfer(random, arsenal)
    const text = objectText(fields).replace(/}$/, `,"extra":${'['.repeat(levels)}${']'.repeat(levels)}}`)
    return startCase(`an unknown field of ${levels} levels`, arsenal, pickStart(random), text, levels <= 20 ? [200] : [200, 400], {
      starts: [fields.id],
    })
  },
}

const duplicates: CaseMaker = {
  name: 'a repeated name',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const name = random.pick(TRANSFER_FIELD_NAMES)
    const second = random.pick(['null', '""', '0', fields[name]])
    const spelling = random.pick([
      name,
      `${name.slice(0, -1)}\\u${name
        .charCodeAt(name.length - 1)
        .toString(16)
        .padStart(4, '0')}`,
    ])
    const text = objectText(fields).replace(/}$/, `,"${spelling}":${second}}`)
    return startCase(`${name} twice, the second time ${second} as "${spelling}"`, arsenal, pickStart(random), text, [400], {
      starts: [fields.id],
    })
  },
}

const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'toJSON',
  '',
  '\\u0000',
  '\\ud800',
] as const

const prototypeNames: CaseMaker = {
  name: 'names of prototypes',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const name = random.pick(PROTOTYPE_NAMES)
    const value = random.pick(['null', '{"amount":1,"isAdmin":true}', '{"prototype":{"status":"SUCCESS"}}', '[]', '1'])
    const text = objectText(fields).replace(/^{/, `{"${name}":${value},`)
    return startCase(`the name "${name}" with ${value}`, arsenal, pickStart(random), text, name.startsWith('\\u') ? [200, 400] : [200], {
      starts: [fields.id],
    })
  },
}

const prototypeInsteadOfFields: CaseMaker = {
  name: 'fields below __proto__',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const text = `{"__proto__":${objectText(fields)}}`
    return startCase('every field below __proto__', arsenal, pickStart(random), text, [400], { starts: [fields.id] })
  },
}

const manyNames: CaseMaker = {
  name: 'thousands of names',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const count = random.pick([100, 1_000, 5_000])
    const extra = Array.from({ length: count }, (_, index) => `"n${index}":0`).join(',')
    const text = objectText(fields).replace(/}$/, `,${extra}}`)
    return startCase(`${count} unknown names`, arsenal, pickStart(random), text, count <= 100 ? [200] : [200, 400, 413], {
      starts: [fields.id],
    })
  },
}

const arrays: CaseMaker = {
  name: 'arrays of every length',
  make(random, arsenal) {
    const length = random.pick([0, 1, 2, 1_000, 1_001, 5_000])
    const element = random.pick(['{}', 'null', '[]', '0', '""'])
    const document = `[${Array(length).fill(element).join(',')}]`
    return { ...startCase('', arsenal, 'collect', document, [400]), what: `collect: an array of ${length} × ${element}` }
  },
}

const sameIdTwice: CaseMaker = {
  name: 'one externalId twice in an array',
  make(random, arsenal) {
    const fields = transfer(random, arsenal)
    const again = { ...transfer(random, arsenal), externalId: random.chance(0.5) ? fields.externalId : fields.externalId.toUpperCase() }
    const text = `${objectText(fields)},${objectText(again)}`
    return startCase('the same externalId in two elements', arsenal, 'depositMultiple', text, [400], { starts: [fields.id] })
  },
}

const oneBadElement: CaseMaker = {
  name: 'one bad element among good ones',
  make(random, arsenal) {
    const good = Array.from({ length: random.between(1, 30) }, () => transfer(random, arsenal))
    const bad = transfer(random, arsenal, { amount: '-1' })
    const elements = [...good, bad].map(objectText)
    const starts = [...good, bad].map((fields) => fields.id)
    return startCase(`one bad element behind ${good.length} good ones`, arsenal, 'depositMultiple', elements.join(','), [400], { starts })
  },
}

const deepToken: CaseMaker = {
  name: 'nesting where nobody is known yet',
  make(random) {
    const levels = random.pick([33, 1_000, 30_000])
    return oneRequest(
      `${levels} levels to /public/access_token`,
      { method: 'POST', target: '/public/access_token', headers: [JSON_CONTENT], body: '['.repeat(levels) },
      [400],
    )
  },
}

export const nesting: Family = {
  name: 'nesting',
  weight: 8,
  makers: [
    depth,
    deepUnknownField,
    duplicates,
    prototypeNames,
    prototypeInsteadOfFields,
    manyNames,
    arrays,
    sameIdTwice,
    oneBadElement,
    deepToken,
  ],
}
