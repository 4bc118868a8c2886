import { lazy, Suspense, useState } from 'react';
import { Button } from '../components/button.js';
import { useShortcuts } from '../components/shortcuts/use-shortcuts.js';
import { useIdle } from '../components/use-idle.js';

const loadDialog = () => import('./command-dialog.js');
const CommandDialog = lazy(async () => ({ default: (await loadDialog()).CommandDialog }));

/** The button `Command menu` and the dialog that it opens. */
export function CommandMenu() {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts([{ keys: 'mod+k', label: 'Command menu', group: 'Everywhere', run: () => setIsOpen(true) }]);
  if (useIdle()) void loadDialog();
  return (
    <>
      <Button
        icon="command"
        shrinks
        shortcut="Ctrl K"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setIsOpen(true)}
      >
        Command menu
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <CommandDialog onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
