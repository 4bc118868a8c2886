import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useWayUp } from '../../features/list-memory.js';
import type { ReviewDesk } from './review-desk.js';
import type { ReviewMemory } from './review-memory.js';
import type { ReviewCounts } from './review-progress.js';

interface NothingLeftProps {
  desk: ReviewDesk;
  memory: ReviewMemory;
  counts: ReviewCounts | null;
}

/** Says that no item is left for this reviewer, and what became of all. */
export function NothingLeft({ desk, memory, counts }: NothingLeftProps) {
  const navigate = useNavigate();
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => part.current?.focus({ preventScroll: true }), []);
  useWayUp(() => '/review', 'Review');
  const { skipped, released, submitted } = memory;
  const readLast = (): void => {
    const last = submitted.at(-1);
    if (last !== undefined) void navigate({ to: '.', search: { item: last } as never });
  };
  useShortcuts([{ keys: 'u', label: 'Back to last', group: 'Review', run: readLast }]);
  return (
    <div ref={part} tabIndex={-1}>
      <EmptyState
        title="Nothing left to review"
        action={
          <Button variant="primary" onClick={() => void navigate({ to: '.', search: { view: 'done' } as never })}>
            Review what I did
          </Button>
        }
      >
        {counts !== null && (
          <p>
            {formatCount(counts.completed)} completed, {formatCount(counts.claimed)} claimed by others,{' '}
            {formatCount(counts.pending)} pending.
          </p>
        )}
        {(skipped.length > 0 || released.length > 0) && (
          <p>
            You skipped {formatCounted(skipped.length, 'item')} and released {formatCounted(released.length, 'item')}:
            these wait for somebody else, and are not offered to you again in this tab.
          </p>
        )}
        {submitted.length > 0 && (
          <Button shortcut="u" onClick={readLast}>
            Back to last
          </Button>
        )}
        {skipped.length > 0 && <Button onClick={() => desk.takeSkipped()}>Review skipped items</Button>}
        <Button onClick={() => desk.lookAgain()}>Look again</Button>
      </EmptyState>
    </div>
  );
}
