import { Autocomplete } from '@base-ui/react/autocomplete';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Facet, FacetName } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { keys } from '../../api/keys.js';
import { listFacets } from '../../api/facets.js';
import { useSettled } from '../../components/use-settled.js';
import styles from './suggested-values.module.css';

export interface SuggestedValuesProps {
  /** Name of the combobox. */
  label: string;
  facet: FacetName;
  value: string;
  onType(value: string): void;
  onChoose(value: string): void;
}

/** The server is asked for values after this pause in typing. */
const PAUSE_MS = 150;

/** A combobox with the values that there are, those that begin as what is typed. Any other value may be typed, too. */
export function SuggestedValues({ label, facet, value, onType, onChoose }: SuggestedValuesProps) {
  const prefix = useSettled(value, PAUSE_MS);
  const found = useQuery({
    queryKey: keys.facets(facet, prefix),
    queryFn: ({ signal }) => listFacets(facet, prefix, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <CSPProvider disableStyleElements>
      <Autocomplete.Root
        open
        inline
        items={found.data ?? []}
        filter={null}
        value={value}
        onValueChange={(typed) => onType(typed)}
        itemToStringValue={(item: Facet) => item.value}
      >
        <Autocomplete.Input aria-label={label} className={styles.input} spellCheck={false} />
        <Autocomplete.List className={styles.list} aria-label={`Values of ${label.toLowerCase()}`}>
          {(item: Facet) => (
            <Autocomplete.Item
              key={item.value}
              value={item}
              className={styles.item}
              onClick={() => onChoose(item.value)}
            >
              <bdi className={styles.value}>{item.value}</bdi>
              {item.count !== null && <span className={styles.count}>{formatCount(item.count)}</span>}
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </CSPProvider>
  );
}
