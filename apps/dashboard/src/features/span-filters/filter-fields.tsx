import { SelectField, TextField } from '../../components/field.js';
import { FacetField } from '../filters/facet-field.js';
import type { FilterForm } from './filter-form.js';

/** A field that holds an amount of 0 or more. */
export const AMOUNT = { type: 'number', min: 0, step: 'any' } as const;

const STATUSES = [
  { value: '', label: 'Any status' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
];

interface FilterFieldsProps {
  /** What the field of a filter holds, and what changes it. */
  fieldOf(id: keyof FilterForm): { value: string; onChange(event: { target: { value: string } }): void };
}

/** The filters of a rule, a field each. */
export function FilterFields({ fieldOf }: FilterFieldsProps) {
  return (
    <>
      <FacetField label="Model" facet="model" {...fieldOf('model')} />
      <FacetField label="Provider" facet="provider" {...fieldOf('provider')} />
      <FacetField label="Kind" facet="kind" {...fieldOf('kind')} />
      <SelectField label="Status" options={STATUSES} {...fieldOf('status')} />
      <TextField label="Name contains" {...fieldOf('name_contains')} />
      <FacetField label="Tag" facet="tag" {...fieldOf('tag')} />
      <TextField label="Minimum cost" {...AMOUNT} {...fieldOf('min_cost')} />
      <TextField label="Minimum tokens" {...AMOUNT} {...fieldOf('min_tokens')} />
      <TextField label="Minimum duration (ms)" {...AMOUNT} {...fieldOf('min_duration_ms')} />
    </>
  );
}
