import { formatCount } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { SHARE_TOKEN } from '../../api/share-token.js';
import { Button } from '../../components/button.js';
import { useHasFeature } from '../browser-session.js';
import { commentsOn, type CommentedTarget } from './comments.js';

const CommentsDialog = lazy(() => import('./comments-dialog.js').then((file) => ({ default: file.CommentsDialog })));

/** The button that opens the comments on something; it says how many there are. */
export function CommentsButton({ target }: { target: CommentedTarget }) {
  const [isOpen, setIsOpen] = useState(false);
  const has = useHasFeature('collaboration');
  const { data = [] } = useQuery({ ...commentsOn(target), enabled: SHARE_TOKEN === null && has === true });
  if (SHARE_TOKEN !== null || has === false) return null;
  return (
    <>
      <Button variant="quiet" icon="sessions" onClick={() => setIsOpen(true)}>
        Comments{data.length > 0 && ` (${formatCount(data.length)})`}
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <CommentsDialog target={target} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
