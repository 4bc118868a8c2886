import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { useIdle } from '../../components/use-idle.js';
import type { FilterField } from './filter-field.js';
import type { FilterMenu } from './filter-menu.js';

export interface AddFilterProps {
  fields: readonly FilterField[];
  onAdd(field: FilterField, value: string): void;
}

const FilterDialog = lazy(async () => ({ default: (await import('./filter-dialog.js')).FilterDialog }));

/** The button `Add filter` with its menu, and the question for the value. */
export function AddFilter({ fields, onAdd }: AddFilterProps) {
  const [asked, setAsked] = useState<FilterField | null>(null);
  const waiting = useRef<HTMLButtonElement>(null);
  const [isPressed, setIsPressed] = useState(false);
  const loaded = useFilterMenu(useIdle() || isPressed, waiting);
  return (
    <>
      {loaded === null ? (
        <Button ref={waiting} icon="plus" aria-haspopup="menu" onClick={() => setIsPressed(true)}>
          Add filter
        </Button>
      ) : (
        <loaded.Menu fields={fields} onChoose={setAsked} hasFocus={loaded.hadFocus} isOpen={isPressed} />
      )}
      {asked && (
        <Suspense fallback={null}>
          <FilterDialog field={asked} onAdd={onAdd} onClose={() => setAsked(null)} />
        </Suspense>
      )}
    </>
  );
}

/** The menu, once it is loaded, and whether the button that stood for it had the focus then. */
function useFilterMenu(isWanted: boolean, waiting: { readonly current: HTMLButtonElement | null }) {
  const [loaded, setLoaded] = useState<{ Menu: typeof FilterMenu; hadFocus: boolean } | null>(null);
  useEffect(() => {
    if (!isWanted) return undefined;
    let isGone = false;
    void import('./filter-menu.js').then(({ FilterMenu: Menu }) => {
      const hadFocus = waiting.current !== null && document.activeElement === waiting.current;
      if (!isGone) setLoaded((before) => before ?? { Menu, hadFocus });
    });
    return () => {
      isGone = true;
    };
  }, [isWanted, waiting]);
  return loaded;
}
