import path from 'node:path'
import type { Config } from '#server/config.ts'

/** Prints the start-up lines: the address, the mode, and how to sign in. */
export function announcement(
  config: Config,
  options: { startedInMs: number; dataDirectory: string | undefined; wasSeeded: boolean; simulatorUrl: string | undefined },
): string[] {
  const lines = [`Countersign is ready on ${config.publicUrl} (${(options.startedInMs / 1_000).toFixed(1)} s).`]
  if (config.role === 'worker') lines[0] = `A Countersign worker is running (${(options.startedInMs / 1_000).toFixed(1)} s).`
  const usualPlace = path.join(config.dataDirectory, 'postgres')
  if (options.dataDirectory && options.dataDirectory !== usualPlace) {
    lines.push(`PostgreSQL may not run as root and cannot enter ${config.dataDirectory}; its data is in ${options.dataDirectory}.`)
  }
  if (!config.isSandbox || config.role === 'worker') return lines
  return [
    ...lines,
    'This is a sandbox: no real money moves, the operators are simulated.',
    `Sign in at ${config.publicUrl}/sign-in as one of these people:`,
    '  checker        mariam.ouedraogo@kora.example',
    '  maker          aicha.traore@kora.example',
    '  finance        fatou.ndiaye@kora.example',
    '  administrator  serge.mbarga@kora.example',
    '  engineer       yannick.tabi@kora.example',
    `Their passwords, more people and the API keys are in ${path.join(config.dataDirectory, 'sandbox.json')}.`,
    ...(options.simulatorUrl ? [`A customer's phone, for payments that need a code: ${options.simulatorUrl}/phone`] : []),
    'Ctrl-C stops it.',
  ]
}
