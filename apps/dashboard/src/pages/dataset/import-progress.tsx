import type { Ref } from 'react';
import { formatCounted } from '@spandrel/contract/browser';
import type { ImportProgress as Progress } from '../../api/import-datapoints.js';
import { formatBytes } from '../../components/format/format-bytes.js';
import styles from './import-dialog.module.css';

export interface ImportProgressProps {
  progress: Progress | null;
  expectedRows: number | undefined;
  ref: Ref<HTMLDivElement>;
}

/** How far an import is: bytes, then rows. */
export function ImportProgress({ progress, expectedRows, ref }: ImportProgressProps) {
  return (
    <div ref={ref} tabIndex={-1} className={styles.progress}>
      <progress aria-label="Import progress" max={1} {...shareOf(progress, expectedRows)} />
      <span>{describeProgress(progress)}</span>
    </div>
  );
}

/** Without a value it says that something goes on. The last hundredth is for what comes after the last row. */
function shareOf(progress: Progress | null, expectedRows: number | undefined): { value?: number } {
  if (progress === null) return { value: 0 };
  if (progress.kind === 'sent') return progress.total === 0 ? {} : { value: progress.bytes / progress.total };
  return expectedRows === undefined ? {} : { value: Math.min(0.99, progress.rows / expectedRows) };
}

function describeProgress(progress: Progress | null): string {
  if (progress === null) return 'Sending';
  if (progress.kind === 'sent') return `Sent ${formatBytes(progress.bytes)} of ${formatBytes(progress.total)}`;
  return `Read ${formatCounted(progress.rows, 'row')}`;
}
