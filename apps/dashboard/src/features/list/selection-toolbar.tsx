import { formatCount } from '@spandrel/contract/browser';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.js';
import type { ChosenRows } from './bulk-job.js';

interface SelectionToolbarProps {
  chosen: Pick<ChosenRows, 'count' | 'isMore'>;
  /** All rows that match, where more do than are selected. */
  offer?: (Pick<ChosenRows, 'count' | 'isMore'> & { select(): void }) | null;
  onClear(): void;
  children: ReactNode;
}

/** The toolbar of what is selected in a list. */
export function SelectionToolbar({ chosen, offer, onClear, children }: SelectionToolbarProps) {
  if (chosen.count === 0) return null;
  return (
    <div role="toolbar" aria-label="Selection" className="row">
      <span>{chosen.count === undefined ? 'All' : countWords(chosen)} selected</span>
      {offer && <Button onClick={offer.select}>Select all {countWords(offer)} that match</Button>}
      {children}
      <Button onClick={onClear}>Clear selection</Button>
    </div>
  );
}

/** `1,204`, `10,000+`; nothing where nobody counted. */
const countWords = ({ count, isMore }: Pick<ChosenRows, 'count' | 'isMore'>): string =>
  count === undefined ? '' : `${formatCount(count)}${isMore ? '+' : ''}`;
