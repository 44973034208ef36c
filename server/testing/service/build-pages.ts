import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Builds the pages as `npm start` does: only when something changed since. Throws when they cannot be built. */
export async function buildPages(): Promise<void> {
  const script = `import('${ROOT}server/prepare.mjs').then(({ prepare }) => prepare(console.error))`
  const child = spawn(process.execPath, ['-e', script], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error('The pages could not be built')
}
