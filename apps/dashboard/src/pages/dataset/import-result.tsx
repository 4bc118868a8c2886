import type { ImportResult as Result } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { RowTable } from './row-table.js';

/** What became of a file. */
export function ImportResult({ result }: { result: Result }) {
  const { imported, skipped = [], skipped_count: skippedCount = 0, columns_ignored: ignored, hint } = result;
  return (
    <>
      <p role="status">
        Imported {formatCounted(imported, 'datapoint')}
        {skippedCount > 0 && `, skipped ${formatCount(skippedCount)}`}
      </p>
      {ignored.length > 0 && <p>Not imported: {ignored.map(({ column }) => column).join(', ')}.</p>}
      {hint !== undefined && <p>{hint}</p>}
      {skipped.length > 0 && (
        <RowTable
          label="Skipped rows"
          columns={['Line', 'Reason']}
          rows={skipped.map(({ line, message }) => [formatCount(line), message])}
        />
      )}
    </>
  );
}
