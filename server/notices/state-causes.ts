import { PERMISSIONS, type Permission } from '#lib/people/permissions.ts'
import { type Sql, sql } from '#server/database/compose-sql.ts'

/** Causes that last, or come and go. Their notices name no subject but an operator and perhaps a direction. */
type StateCause = 'balance_low' | 'float_short' | 'operator_down' | 'webhooks_failing'

/** Who can do something about it. */
const CONCERNED: Record<StateCause, Permission> = {
  balance_low: 'balance:set-threshold',
  float_short: 'wallet:change',
  operator_down: 'access:read',
  webhooks_failing: 'webhook:recover',
}

type StateNotice = { cause: StateCause; operator: string | null; type: string | null }

/** Whether the state still lasts and the member `m` can do something about it. A webhook that was given up stays so until it is sent again. */
export function concernsWhileItLasts({ cause, operator, type }: StateNotice, application: Sql): Sql {
  return sql`m.roles && ${PERMISSIONS[CONCERNED[cause]]}::text[] and ${lasts(cause, operator, type, application)}`
}

function lasts(cause: StateCause, operator: string | null, type: string | null, application: Sql): Sql {
  switch (cause) {
    case 'balance_low':
      return sql`exists (select 1 from ledger_balances b join balance_thresholds h on h.application_id = b.application_id and h.operator = b.operator
        where b.application_id = ${application} and b.operator = ${operator} and b.deposit_minor < h.threshold_minor)`
    case 'float_short':
      return sql`exists (select 1 from operator_floats f where f.operator = ${operator}
        and (f.waits_since is not null or f.reported_minor < f.floor_minor))
        and exists (select 1 from applications i where i.application_id = ${application} and i.runs_installation)`
    case 'operator_down':
      return sql`exists (select 1 from operator_circuits c where c.operator = ${operator} and c.type = ${type} and c.state = 'CLOSED')`
    case 'webhooks_failing':
      return sql`exists (select 1 from webhook_deliveries d where d.application_id = ${application} and d.state = 'exhausted')`
  }
}
