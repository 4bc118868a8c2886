import { lazy, Suspense, useState } from 'react';
import { Button } from '../components/button.js';
import { useShortcuts } from '../components/shortcuts/use-shortcuts.js';
import { useHasFeature } from './browser-session.js';
import type { SendToReviewProps } from './send-dialog.js';

const SendDialog = lazy(async () => ({ default: (await import('./send-dialog.js')).SendDialog }));

/**
 * The button that puts rows into a queue, after it has asked how they are reviewed.
 * @param isOfPage whether it is about what the page shows: it is quiet then, and a command of the page.
 */
export function SendToReview({ isOfPage = false, ...props }: SendToReviewProps & { isOfPage?: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const open = (): void => setIsOpen(true);
  const command = { keys: '', label: `Send ${props.one} to review`, group: 'Review', writes: true, run: open };
  const has = useHasFeature('queue') !== false;
  useShortcuts(isOfPage && has ? [command] : []);
  if (!has) return null;
  return (
    <>
      <Button writes icon="check" variant={isOfPage ? 'quiet' : 'plain'} onClick={open}>
        Send to review
      </Button>
      {isOpen && (
        <Suspense>
          <SendDialog {...props} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
