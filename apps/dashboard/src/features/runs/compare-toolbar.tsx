import type { EvalRunSummary } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { SelectionToolbar } from '../list-page/selection-toolbar.js';
import { COMPARED_MAX } from './compared-max.js';

/** The toolbar of selected runs: two to four of one dataset can be compared. */
export function CompareToolbar({ runs, onClear }: { runs: readonly EvalRunSummary[]; onClear(): void }) {
  const navigate = useNavigate();
  const isOneDataset = new Set(runs.map(({ dataset_id: id }) => id)).size === 1;
  const fault = faultOf(runs.length, isOneDataset);
  // The oldest is what the others are compared with.
  const ids = runs.toSorted((a, b) => a.created_at.localeCompare(b.created_at)).map(({ id }) => id);
  const compare = (): void => void navigate({ to: '/evaluations/compare', search: { runs: ids.join(',') } });
  return (
    <SelectionToolbar count={runs.length} onClear={onClear}>
      {fault !== null && <span>{fault}</span>}
      <Button variant="primary" disabled={fault !== null} onClick={compare}>
        Compare
      </Button>
    </SelectionToolbar>
  );
}

function faultOf(count: number, isOneDataset: boolean): string | null {
  if (count < 2) return 'Select one more to compare';
  if (count > COMPARED_MAX) return `${COMPARED_MAX} at most can be compared`;
  return isOneDataset ? null : 'Runs of one dataset can be compared';
}
