'use client'

import { FilterForm } from '#components/form/filter-form.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { FilterChip } from '#components/ui/filter-chip.tsx'

type ChoiceFilterProps<Choice extends string> = {
  id: string
  name: string
  /** What the chip says when nothing is chosen. */
  all: string
  choices: readonly Choice[]
  chosen: readonly Choice[]
  labelOf: (choice: Choice) => string
  onChange: (chosen: Choice[]) => void
}

/** Some of several. None ticked means all of them. */
export function ChoiceFilter<Choice extends string>({ id, name, all, choices, chosen, labelOf, onChange }: ChoiceFilterProps<Choice>) {
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
