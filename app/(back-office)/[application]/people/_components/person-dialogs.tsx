import { useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Checkbox, TextArea, TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { CHANGE_REFUSALS, type ChangeRefusal, isChangeRefusal } from '#lib/approvals/change-refusals.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { combinesRoles, ROLES, type Role } from '#lib/people/permissions.ts'
import { type ActionResult, refusalText } from '#lib/result.ts'
import { proposeChange } from '../../../../actions/changes.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import type { EditedPerson } from './person-words.ts'

/** Usual jobs and the roles that they need. Nobody is held to them. */
const JOBS = [
  { name: 'people.job.cashier', roles: ['maker'] },
  { name: 'people.job.manager', roles: ['checker', 'finance'] },
  { name: 'people.job.accountant', roles: ['finance'] },
  { name: 'people.job.owner', roles: ['administrator'] },
  { name: 'people.job.developer', roles: ['engineer'] },
] as const satisfies readonly { name: MessageKey; roles: readonly Role[] }[]

/** The roles of a person, one field per role, named like the role, each with what it allows. `held`: those that the person has already. */
function RoleBoxes({ held = [] }: { held?: readonly Role[] }) {
  const t = useT()
  const [chosen, setChosen] = useState(held)
  const toggle = (role: Role, isChosen: boolean) => setChosen(ROLES.filter((each) => (each === role ? isChosen : chosen.includes(each))))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{t('people.roles')}</legend>
      <div className="flex flex-wrap items-center gap-2 text-second">
        <span className="text-quiet">{t('people.job.choose')}</span>
        {JOBS.map(({ name, roles }) => (
          <Button key={name} size="small" onClick={() => setChosen(roles)}>
            {t(name)}
          </Button>
        ))}
      </div>
      {ROLES.map((role) => (
        <div key={role}>
          <Checkbox
            name={role}
            checked={chosen.includes(role)}
            aria-describedby={`role-${role}`}
            onChange={({ target }) => toggle(role, target.checked)}
            label={t(`role.${role}`)}
          />
          <p id={`role-${role}`} className="ml-6 text-second text-quiet">
            {t(`people.does.${role}`)}
          </p>
        </div>
      ))}
      {combinesRoles(chosen) && <Notice tone="wait">{t('change.combinesRoles')}</Notice>}
    </fieldset>
  )
}

type Props = { application: string; onClose: () => void }

/** Proposes a new person with their roles. */
export function InviteDialog({ application, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  const { propose, setError } = proposal
  function submit(form: FormData) {
    const [email, name] = ['email', 'name'].map((field) => String(form.get(field) ?? '').trim())
    const roles = ROLES.filter((role) => form.get(role) === 'on')
    if (!email || !isEmail(email) || !name) return setError(t('people.emailMissing'))
    if (roles.length === 0) return setError(t('people.roleMissing'))
    propose('person.invite', { email, name, roles })
  }
  return (
    <ProposalDialog title={t('people.invite')} proposal={proposal} onSubmit={submit} afterwards={t('people.inviteText')} onClose={onClose}>
      <TextField id="invite-email" name="email" type="email" label={t('people.email')} autoComplete="off" required maxLength={320} />
      <TextField id="invite-name" name="name" label={t('people.name')} autoComplete="off" required maxLength={200} />
      <RoleBoxes />
    </ProposalDialog>
  )
}

/** People of one list, at most: each of them is a link that somebody hands over. */
const LISTED_MAX = 50

/**
 * Proposes several people with the same roles, one proposal for each. Those that were proposed leave the list; the others stay in it, each with the
 * reason.
 */
export function InviteSeveralDialog({ application, onClose }: Props) {
  const t = useT()
  const [list, setList] = useState('')
  const invite = useAction((people: readonly Invitee[], roles: readonly Role[]) => inviteAll(application, people, roles), {
    words: {},
    refreshes: 'done',
    onDone({ proposed, refused }) {
      if (proposed > 0) toast(t('people.severalProposed', { count: proposed }))
      if (refused.length === 0) return onClose()
      setList(refused.map(({ line }) => line).join('\n'))
    },
  })
  function submit(form: FormData) {
    const lines = list.split('\n').filter((line) => line.trim() !== '')
    const people = lines.flatMap((line) => readInvitee(line) ?? [])
    const wrong = lines.find((line) => readInvitee(line) === undefined)
    const roles = ROLES.filter((role) => form.get(role) === 'on')
    if (lines.length === 0 || lines.length > LISTED_MAX) return invite.setError(t('people.severalCount', { count: LISTED_MAX }))
    if (wrong !== undefined) return invite.setError(t('people.severalWrong', { line: wrong }))
    if (roles.length === 0) return invite.setError(t('people.roleMissing'))
    invite.run(
      people.flatMap((person) => person ?? []),
      roles,
    )
  }
  const refused = invite.value?.refused ?? []
  return (
    <FormDialog
      title={t('people.inviteSeveral')}
      submitLabel={t('change.propose')}
      isPending={invite.isPending}
      error={invite.error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <TextArea
        id="invite-list"
        label={t('people.several')}
        hint={t('people.severalHint')}
        value={list}
        onChange={({ target }) => setList(target.value)}
        rows={6}
        autoComplete="off"
      />
      {refused.length > 0 && (
        <ul className="grid gap-1 text-bad">
          {refused.map(({ line, code }) => (
            <li key={line} className="wrap-anywhere">
              {line}: {refusalText(t, code, CHANGE_REFUSALS)}
            </li>
          ))}
        </ul>
      )}
      <RoleBoxes />
      <p className="text-second text-quiet">{t('people.inviteText')}</p>
    </FormDialog>
  )
}

type Invitee = { line: string; name: string; email: string }
type Invited = { proposed: number; refused: { line: string; code: ChangeRefusal }[] }

/** One after the other: a lost connection ends the rest, which stays in the list. */
async function inviteAll(application: string, people: readonly Invitee[], roles: readonly Role[]): Promise<ActionResult<Invited, never>> {
  const refused: Invited['refused'] = []
  for (const { line, name, email } of people) {
    const answer = await proposeChange(application, { kind: 'person.invite', input: { name, email, roles: [...roles] } })
    if (!answer.ok) refused.push({ line, code: isChangeRefusal(answer.error.code) ? answer.error.code : 'refused' })
  }
  return { ok: true, value: { proposed: people.length - refused.length, refused } }
}

/** Reads a line such as `Awa Diop <awa@shop.example>` or `Awa Diop; awa@shop.example`, as address books and tables write them. */
function readInvitee(line: string): Invitee | undefined {
  const parts = /^\s*(.+?)\s*[<;,\t]\s*([^\s<>;,]+)\s*>?\s*$/.exec(line)
  const [, name = '', email = ''] = parts ?? []
  return isEmail(email) && name.length <= 200 ? { line: line.trim(), name, email } : undefined
}

function isEmail(text: string): boolean {
  return text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text)
}

type RolesDialogProps = { application: string; person: EditedPerson; onClose: () => void }

/** Roles and membership of one person. */
export function RolesDialog({ application, person, onClose }: RolesDialogProps) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  function submit(form: FormData) {
    const roles = ROLES.filter((role) => form.get(role) === 'on')
    if (roles.length === 0) return proposal.setError(t('people.roleMissing'))
    const input = { personId: person.personId, roles, isActive: form.get('isActive') === 'on' }
    proposal.propose('person.roles', input, form.get('acknowledged') === 'on')
  }
  return (
    <ProposalDialog title={t('people.changeRolesOf', { name: person.name })} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <RoleBoxes held={person.roles} />
      <Checkbox name="isActive" defaultChecked={person.isActive} label={t('people.isMember')} />
      {proposal.isLeaving && (
        <div className="grid gap-2">
          <Checkbox name="acknowledged" label={t('people.left.acknowledge')} />
          <Link href={paths.person(application, person.personId)} className="text-accent hover:underline">
            {t('change.whatWaits')}
          </Link>
        </div>
      )}
    </ProposalDialog>
  )
}
