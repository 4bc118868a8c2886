import { formatCount } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { SHARE_TOKEN } from '../../api/share-token.js';
import { useHasFeature } from '../browser-session.js';
import { commentsOn, type CommentedTarget } from './comments.js';
import { DialogButton, lazyPart } from '../../components/lazy-part.js';

const CommentsDialog = lazyPart(async () => (await import('./comments-dialog.js')).CommentsDialog);

/** The button that opens the comments on something; it says how many there are. */
export function CommentsButton({ target }: { target: CommentedTarget }) {
  const has = useHasFeature('collaboration');
  const { data = [] } = useQuery({ ...commentsOn(target), enabled: SHARE_TOKEN === null && has === true });
  if (SHARE_TOKEN !== null || has === false) return null;
  return (
    <DialogButton
      {...{ variant: 'quiet', icon: 'sessions' }}
      dialog={(close) => <CommentsDialog target={target} onClose={close} />}
    >
      Comments{data.length > 0 && ` (${formatCount(data.length)})`}
    </DialogButton>
  );
}
