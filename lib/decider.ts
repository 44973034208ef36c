import type { ApprovalEnd } from './approvals.ts'
import type { Translate } from './i18n/translate.ts'

/** Who decided: the checker, and the API user that sent the decision in, null where the checker decided in the back office. */
type Decider = { checkerName: string; programName: string | null }

/** The name of who decided, as pages show it: with the program where a program decided in the checker's name. */
export function deciderText(t: Translate, { checkerName, programName }: Decider): string {
  return programName === null ? checkerName : t('approvals.byProgram', { name: checkerName, program: programName })
}

/** Who ended the wait of a transaction; empty where the service itself did. */
export function endedBy(t: Translate, { by, programName }: Pick<ApprovalEnd, 'by' | 'programName'>): string {
  return deciderText(t, { checkerName: by ?? '', programName })
}
