import { Checkbox } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'
import { closePopover, FilterChip, MENU_ITEM } from '#components/ui/overlay/popover.tsx'
import { FilterForm } from './filter-form.tsx'

type Props<Choice extends string> = {
  id: string
  name: string
  /** The label of the chip when nothing is chosen. */
  all: string
  choices: readonly Choice[]
  chosen: readonly Choice[]
  labelOf: (choice: Choice) => string
  onChange: (chosen: Choice[]) => void
}

/** Some of several. None ticked means all of them. */
export function ChoiceFilter<Choice extends string>({ id, name, all, choices, chosen, labelOf, onChange }: Props<Choice>) {
  const [first] = chosen
  const value = first === undefined ? all : chosen.length === 1 ? labelOf(first) : `${labelOf(first)} +${chosen.length - 1}`
  return (
    <FilterChip id={id} name={name} value={value} isSet={chosen.length > 0}>
      <FilterForm
        key={chosen.join()}
        onApply={(fields) => onChange(choices.filter((choice) => fields.has(choice)))}
        onClear={() => onChange([])}
      >
        <fieldset className="grid gap-0.5">
          <legend className="sr-only">{name}</legend>
          {choices.map((choice) => (
            <Checkbox
              key={choice}
              name={choice}
              label={labelOf(choice)}
              defaultChecked={chosen.includes(choice)}
              className="py-1 touch-target"
            />
          ))}
        </fieldset>
      </FilterForm>
    </FilterChip>
  )
}

type Choice = { value: string | null; label: string }

/** A filter of which one choice applies; each choice is an address. */
export function ChoiceChip({
  id,
  name,
  all,
  choices,
  chosen,
  hrefFor,
}: {
  id: string
  name: string
  all: string
  choices: readonly Choice[]
  chosen: string | null
  hrefFor: (value: string | null) => string
}) {
  const every: readonly Choice[] = [{ value: null, label: all }, ...choices]
  return (
    <FilterChip id={id} name={name} value={every.find((choice) => choice.value === chosen)?.label ?? chosen ?? all} isSet={chosen !== null}>
      <ul>
        {every.map((choice) => (
          <li key={choice.value ?? ''}>
            <Link
              href={hrefFor(choice.value)}
              scroll={false}
              aria-current={choice.value === chosen}
              className={MENU_ITEM}
              onClick={closePopover}
            >
              {choice.label}
            </Link>
          </li>
        ))}
      </ul>
    </FilterChip>
  )
}
