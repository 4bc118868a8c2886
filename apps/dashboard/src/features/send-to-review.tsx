import { useHasFeature } from './browser-session.js';
import type { SendToReviewProps } from './send-dialog.js';
import { DialogButton, lazyPart } from '../components/lazy-part.js';

const SendDialog = lazyPart(async () => (await import('./send-dialog.js')).SendDialog);

/**
 * The button that puts rows into a queue, after it has asked how they are reviewed.
 * @param isOfPage whether it is about what the page shows: it is quiet then, and a command of the page.
 */
export function SendToReview({ isOfPage = false, ...props }: SendToReviewProps & { isOfPage?: boolean }) {
  if (useHasFeature('queue') === false) return null;
  const command = { keys: '', label: `Send ${props.one} to review`, group: 'Review', writes: true };
  return (
    <DialogButton
      {...{ writes: true, icon: 'check', variant: isOfPage ? 'quiet' : 'plain' }}
      command={isOfPage ? command : undefined}
      dialog={(close) => <SendDialog {...props} onClose={close} />}
    >
      Send to review
    </DialogButton>
  );
}
