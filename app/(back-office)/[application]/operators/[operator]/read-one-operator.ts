import type { DirectionHistory } from '#lib/operator-outcomes.ts'
import type { ProtocolSettings } from '#lib/operator-settings.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { can } from '#lib/permissions.ts'
import type { ProposedChangeDto } from '#lib/proposed-change.ts'
import { runsInstallation } from '#server/applications/terms-queries.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listProtocolSettings } from '#server/operators/settings/list-protocol-settings.ts'
import { listActiveMembers } from '#server/people/person-queries.ts'
import { readOperatorHistory } from '#server/reports/operator-outcomes/read-operator-history.ts'
import { type DirectionState, readDirectionStates } from '../read-operators.ts'

type OneOperator = {
  directions: DirectionState[]
  history: DirectionHistory[]
  /** Null for administrators of every other application than the one that runs the installation. */
  settings: ProtocolSettings[] | null
  changes: ProposedChangeDto[]
  /** Nobody else could confirm a change. */
  isAlone: boolean
}

export async function readOneOperator(actor: BackOfficeActor, operator: OperatorCode): Promise<OneOperator> {
  const { pool, reportPool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const [directions, history, configured] = await Promise.all([
    readDirectionStates(applicationId, operator),
    readOperatorHistory(reportPool, actor, operator, clock.now()),
    runsInstallation(pool, applicationId),
  ])
  if (!configured) return { directions, history, settings: null, changes: [], isAlone: false }
  const [settings, changes, members] = await Promise.all([
    listProtocolSettings(pool, operator),
    listChanges(pool, { applicationId, kinds: ['operator.set'], actor }),
    listActiveMembers(pool, applicationId),
  ])
  return {
    directions,
    history,
    settings,
    changes: changes.filter(({ before }) => before['operator'] === operator),
    isAlone: !members.some(({ personId, roles }) => personId !== actor.id && can(roles, 'operator:configure')),
  }
}
