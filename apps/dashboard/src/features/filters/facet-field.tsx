import type { Facet, FacetName } from '@spandrel/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { TextField, type TextFieldProps } from '../../components/field.js';
import { useSettled } from '../../components/hooks.js';

const FACETS_PAUSE_MS = 150;

/** The values there are that begin as what is typed, a moment after it was. */
export function useFacets(facet: FacetName, typed: string, isWanted = true): readonly Facet[] {
  const prefix = useSettled(typed, FACETS_PAUSE_MS);
  const { data } = useQuery({
    queryKey: keys.facets(facet, prefix),
    queryFn: ({ signal }) => api.listFacets({ query: { of: facet, prefix: prefix || undefined }, signal }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  return data?.facets ?? [];
}

/** A text field that suggests the values there are, once it is used; any other one may be typed, too. */
export function FacetField({ facet, onChange, ...field }: TextFieldProps & { facet: FacetName }) {
  const [isUsed, setIsUsed] = useState(false);
  const [text, setText] = useState(String(field.value ?? field.defaultValue ?? ''));
  const found = useFacets(facet, text, isUsed);
  return (
    <TextField
      {...field}
      suggestions={found.map(({ value }) => value)}
      onFocus={() => setIsUsed(true)}
      onChange={(event) => {
        setText(event.target.value);
        onChange?.(event);
      }}
    />
  );
}
