import { lazy, Suspense, useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { useIdle } from '../../components/use-idle.js';
import type { OfferedFilter } from './offered-filter.js';

export interface AddFilterProps {
  filters: readonly OfferedFilter[];
  onAdd(filter: OfferedFilter, value: string): void;
}

const FilterMenu = lazy(async () => ({ default: (await import('./filter-menu.js')).FilterMenu }));

/** The button `Add filter` with its menu, and the question for the value. */
export function AddFilter({ filters, onAdd }: AddFilterProps) {
  const [asked, setAsked] = useState<OfferedFilter | null>(null);
  const isIdle = useIdle();
  const waiting = (
    <Button icon="plus" aria-haspopup="menu">
      Add filter
    </Button>
  );
  return (
    <>
      {isIdle ? (
        <Suspense fallback={waiting}>
          <FilterMenu filters={filters} onChoose={setAsked} />
        </Suspense>
      ) : (
        waiting
      )}
      {asked && <ValueDialog filter={asked} onAdd={onAdd} onClose={() => setAsked(null)} />}
    </>
  );
}

interface ValueDialogProps extends Pick<AddFilterProps, 'onAdd'> {
  filter: OfferedFilter;
  onClose(): void;
}

function ValueDialog({ filter, onAdd, onClose }: ValueDialogProps) {
  const [value, setValue] = useState('');
  const [fault, setFault] = useState<string | undefined>();
  const add = (): void => {
    const found = value === '' ? 'Say which.' : filter.faultOf?.(value);
    setFault(found);
    if (found !== undefined) return;
    onClose();
    onAdd(filter, value);
  };
  return (
    <Dialog title={`Filter by ${filter.label.toLowerCase()}`} size="small" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the one field of a dialog that was asked for */}
        <TextField
          autoFocus
          label={filter.label}
          value={value}
          fault={fault}
          onChange={(e) => setValue(e.target.value)}
        />
        <p>
          <Button type="submit" variant="primary">
            Add filter
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
