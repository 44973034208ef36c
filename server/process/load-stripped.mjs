// Loaded before the service (`node-settings.mjs`): a module of ours is read as the JavaScript that the build made of it. A module that was
// changed since is left to Node, which strips it.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { readStripped } from './strip-types.mjs'

registerHooks({
  load(url, context, nextLoad) {
    const isOurs = url.startsWith('file:') && url.endsWith('.ts') && !url.includes('/node_modules/')
    const source = isOurs ? readStripped(readFileSync(new URL(url), 'utf8')) : undefined
    return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true }
  },
})
