// `npm run map`: writes the graph of states and folders into server/README.md.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { drawMap, withMap } from './structure-map.ts'

const README = 'server/README.md'
const files = globSync('server/**/*.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }))
writeFileSync(README, withMap(readFileSync(README, 'utf8'), drawMap(files)))
