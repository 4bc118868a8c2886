import { formatCounted, formatCount } from '@spandrel/contract/browser';
import type { ImportResult as Result } from '@spandrel/contract';
import { useQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type FormEvent, type KeyboardEvent, type Ref } from 'react';
import { importDatapoints, type ImportProgress } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { describeExisting } from '../../features/describe-new.js';
import { FaultNotice } from '../../components/page-parts.js';
import { CheckboxField, TextField } from '../../components/field.js';
import { formatBytes } from '../../components/format-bytes.js';
import { DataTable } from '../../features/statistics/data-table.js';
import { LOOKED_AT, previewFile, type FilePreview } from './file-preview.js';
import styles from './import-dialog.module.css';

interface ImportDialogProps {
  datasetId: string;
  onImported(): void;
  onClose(): void;
}

/** Imports datapoints from a file: what is in it, how far it is, what became of it. */
export function ImportDialog({ datasetId, onImported, onClose }: ImportDialogProps) {
  const formId = useId();
  const [file, setFile] = useState<File | null>(null);
  const [choices, setChoices] = useState({ skipsFaults: false, dedupes: false, replaces: false });
  const { importing, progress, isCancelled, cancel } = useImport(datasetId, onImported);
  const preview = useFilePreview(file);
  const isBusy = importing.isPending;
  const places = useFocusOfImport(importing.status);
  const choose = (next: File | null): void => {
    importing.reset();
    setFile(next);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (file !== null && !isBusy && !importing.isSuccess) importing.mutate({ file, ...choices });
  };
  /** Enter would choose another file; once there is one it imports that. */
  const pressInFile = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter' || file === null) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <Dialog
      title="Import datapoints"
      size="large"
      // An import ends by `Cancel` alone, and not by a key or a press that was meant for something else.
      onClose={() => !isBusy && onClose()}
      actions={
        <>
          <Button ref={places.end} onClick={isBusy ? cancel : onClose}>
            {importing.isSuccess ? 'Done' : 'Cancel'}
          </Button>
          <Button
            variant="primary"
            type="submit"
            form={formId}
            disabled={file === null || isBusy || importing.isSuccess}
          >
            Import
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.body}
        onSubmit={submit}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const dropped = event.dataTransfer.files[0];
          if (dropped !== undefined && !isBusy) choose(dropped);
        }}
      >
        <TextField
          ref={places.file}
          label="File"
          type="file"
          accept=".jsonl,.ndjson,.json,.csv"
          disabled={isBusy}
          hint={describeFile(file)}
          onKeyDown={pressInFile}
          onChange={({ target }) => choose(target.files?.[0] ?? null)}
        />
        {preview && (
          <div className={styles.rows}>
            <DataTable
              caption="Preview"
              isCaptionHidden={false}
              columns={preview.columns}
              starts={preview.columns}
              rows={preview.rows.map((cells, at) => [String(at), ...cells])}
            />
          </div>
        )}
        {CHOICES.map(([name, label]) => (
          <CheckboxField
            key={name}
            label={label}
            checked={choices[name]}
            disabled={isBusy}
            onChange={({ target }) => setChoices({ ...choices, [name]: target.checked })}
          />
        ))}
        {isBusy && <ImportProgressBar ref={places.progress} progress={progress} expectedRows={preview?.expectedRows} />}
        {importing.data && <ImportResult result={importing.data} choices={choices} />}
        {importing.error && !isCancelled && <FaultNotice title="Nothing was imported" error={importing.error} />}
        {importing.error && isCancelled && <p role="status">Cancelled. Nothing was imported.</p>}
      </form>
    </Dialog>
  );
}

const CHOICES = [
  ['skipsFaults', 'Skip rows with faults'],
  ['dedupes', 'Leave out rows that the dataset has already'],
  ['replaces', 'Remove datapoints that are not in the file'],
] as const;

type Choices = Record<(typeof CHOICES)[number][0], boolean>;

const describeFile = (file: File | null): string =>
  file === null
    ? 'JSON Lines, a JSON list, or CSV with a header row. You can also drop it here.'
    : `${file.name}, ${formatBytes(file.size)}`;

function useFilePreview(file: File | null): FilePreview | null {
  const read = useQuery({
    queryKey: ['file', file?.name, file?.size, file?.lastModified],
    queryFn: async () => previewFile(file!.name, await file!.slice(0, LOOKED_AT).text(), file!.size),
    enabled: file !== null,
  });
  return (file !== null && read.data) || null;
}

/** The focus goes where an import is, as what had it takes nothing meanwhile: to its progress, then to its end. */
function useFocusOfImport(status: 'idle' | 'pending' | 'success' | 'error') {
  const file = useRef<HTMLInputElement>(null);
  const progress = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const place = { idle: null, pending: progress, success: end, error: file }[status];
    place?.current?.focus();
  }, [status]);
  return { file, progress, end };
}

interface ImportProgressProps {
  progress: ImportProgress | null;
  expectedRows: number | undefined;
  ref: Ref<HTMLDivElement>;
}

function ImportProgressBar({ progress, expectedRows, ref }: ImportProgressProps) {
  return (
    <div ref={ref} tabIndex={-1} className={styles.progress}>
      <progress aria-label="Import progress" max={1} {...shareOf(progress, expectedRows)} />
      <span>{describeProgress(progress)}</span>
    </div>
  );
}

function shareOf(progress: ImportProgress | null, expectedRows: number | undefined): { value?: number } {
  if (progress === null) return { value: 0 };
  if (progress.kind === 'sent') return progress.total === 0 ? {} : { value: progress.bytes / progress.total };
  return expectedRows === undefined ? {} : { value: Math.min(0.99, progress.rows / expectedRows) };
}

function describeProgress(progress: ImportProgress | null): string {
  if (progress === null) return 'Sending';
  if (progress.kind === 'sent') return `Sent ${formatBytes(progress.bytes)} of ${formatBytes(progress.total)}`;
  return `Read ${formatCounted(progress.rows, 'row')}`;
}

function ImportResult({ result, choices: { dedupes, replaces } }: { result: Result; choices: Choices }) {
  const { imported, skipped = [], skipped_count: skippedCount = 0, columns_ignored: ignored, hint } = result;
  const { skipped_empty_rows: emptyRows = 0, columns_used: used, duplicates = 0, removed = 0 } = result;
  const kept = used.filter(({ member }) => member.startsWith('metadata.'));
  return (
    <>
      <p role="status">
        Imported {formatCounted(imported, 'datapoint')}
        {skippedCount > 0 && `, skipped ${formatCount(skippedCount)}`}
        {emptyRows > 0 && `, passed over ${formatCounted(emptyRows, 'empty row')}`}
        {removed > 0 && `, removed ${formatCount(removed)}`}
        {duplicates > 0 && !replaces && `, ${describeExisting(duplicates)}`}
      </p>
      {duplicates > 0 && !replaces && !dedupes && <p>Rows that were there already were imported again.</p>}
      {kept.length > 0 && <p>Kept as metadata: {kept.map(({ column }) => column).join(', ')}.</p>}
      {ignored.length > 0 && <p>Not imported: {ignored.map(({ column }) => column).join(', ')}.</p>}
      {hint !== undefined && <p>{hint}</p>}
      {skipped.length > 0 && (
        <DataTable
          caption="Skipped rows"
          isCaptionHidden={false}
          columns={['Line', 'Reason']}
          starts={['Reason']}
          rows={skipped.map(({ line, message }) => [String(line), formatCount(line), message])}
        />
      )}
    </>
  );
}

/** An import of a file, its progress, and the way to end it. Leaving the page ends it, too. */
function useImport(datasetId: string, onImported: () => void) {
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  const ending = useRef<AbortController | null>(null);
  useEffect(() => () => ending.current?.abort(), []);
  const importing = useMutation({
    mutationFn: ({ file, ...choices }: Choices & { file: File }) => {
      ending.current = new AbortController();
      const { signal } = ending.current;
      return importDatapoints(datasetId, file, { ...choices, signal, onProgress: setProgress });
    },
    onSuccess: onImported,
    onSettled: () => setProgress(null),
  });
  const isCancelled = ending.current?.signal.aborted === true;
  return { importing, progress, isCancelled, cancel: () => ending.current?.abort() };
}
