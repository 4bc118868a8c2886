import { lazy, Suspense, useState } from 'react';
import { Button } from '../components/button.js';
import type { SendToReviewProps } from './send-dialog.js';

const SendDialog = lazy(async () => ({ default: (await import('./send-dialog.js')).SendDialog }));

/** The button that puts datapoints into the queue of their dataset, after it has asked how they are reviewed. */
export function SendToReview(props: SendToReviewProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button writes icon="check" onClick={() => setIsOpen(true)}>
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
