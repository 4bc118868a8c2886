import { lazy, Suspense, useState } from 'react';
import { Button } from '../components/button.js';
import { useShortcuts } from '../components/shortcuts/use-shortcuts.js';

const ShortcutDialog = lazy(async () => ({ default: (await import('./shortcut-dialog.js')).ShortcutDialog }));

/** The button `Keyboard shortcuts` and the dialog that lists them. */
export function ShortcutList() {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts([{ keys: '?', label: 'Keyboard shortcuts', group: 'Everywhere', run: () => setIsOpen(true) }]);
  return (
    <>
      <Button icon="keyboard" shrinks shortcut="?" onClick={() => setIsOpen(true)}>
        Keyboard shortcuts
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ShortcutDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
