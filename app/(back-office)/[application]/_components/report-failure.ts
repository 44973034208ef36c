import { reportPageFailure } from '../../../actions/page-failure.ts'

/** Reports an error of the browser to the log. Returns its reference. */
export async function reportFailure(application: string, error: Error): Promise<string | undefined> {
  const { name, message, stack = '' } = error
  const cut = {
    name: name.slice(0, 100),
    message: message.slice(0, 500),
    stack: stack.slice(0, 4_000),
    path: location.pathname.slice(0, 300),
  }
  const result = await reportPageFailure(application, cut)
  return result.ok ? result.value.reference : undefined
}
