// `npm run map`: writes the graph of states and folders into server/README.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { readSources } from './imports.ts'
import { drawMap, withMap } from './structure-map.ts'

const README = 'server/README.md'
writeFileSync(README, withMap(readFileSync(README, 'utf8'), drawMap(readSources('server/**/*.ts'))))
