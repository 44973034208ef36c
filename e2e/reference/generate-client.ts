import { registerHooks } from 'node:module'

/**
 * The generator uses the compiler's interface of TypeScript 5 and 6, which the `typescript` of this repository no longer has. ts-morph
 * ships it without a `tsc` of its own, which would replace ours.
 */
export async function generate(input: string, output: string): Promise<void> {
  const compiler = `import common from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))}; export default common.ts`
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'typescript'
        ? { url: `data:text/javascript,${encodeURIComponent(compiler)}`, format: 'module', shortCircuit: true }
        : next(specifier, context),
  })
  const { createClient } = await import('@hey-api/openapi-ts')
  hooks.deregister()
  await createClient({
    input,
    output: { path: output, module: { extension: '.ts' } },
    plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
    logs: { level: 'silent', file: false },
  })
}
