import type { FacetName } from '@spandrel/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, type ChangeEventHandler } from 'react';
import { listFacets } from '../../api/facets.js';
import { keys } from '../../api/keys.js';
import { TextField } from '../../components/field.js';
import { useSettled } from '../../components/hooks.js';

export interface FacetFieldProps {
  label: string;
  facet: FacetName;
  value: string;
  onChange: ChangeEventHandler<HTMLInputElement>;
}

/** The server is asked for values after this pause in typing. */
const PAUSE_MS = 150;

/** A text field that suggests the values there are; any other one may be typed, too. */
export function FacetField({ label, facet, value, onChange }: FacetFieldProps) {
  const id = useId();
  const prefix = useSettled(value, PAUSE_MS);
  const found = useQuery({
    queryKey: keys.facets(facet, prefix),
    queryFn: ({ signal }) => listFacets(facet, prefix, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <TextField label={label} list={id} value={value} onChange={onChange} />
      <datalist id={id} hidden>
        {found.data?.map((one) => (
          <option key={one.value} value={one.value} />
        ))}
      </datalist>
    </>
  );
}
