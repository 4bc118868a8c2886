import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { CheckboxField, TextField } from '../../components/field.js';
import { formatBytes } from '../../components/format/format-bytes.js';
import { LOOKED_AT, previewFile, type FilePreview } from './file-preview.js';
import { ImportProgress } from './import-progress.js';
import { ImportResult } from './import-result.js';
import { RowTable } from './row-table.js';
import { useImport } from './use-import.js';
import styles from './import-dialog.module.css';

export interface ImportDialogProps {
  datasetId: string;
  onImported(): void;
  onClose(): void;
}

/** Imports datapoints from a file: what is in it, how far it is, what became of it. */
export function ImportDialog({ datasetId, onImported, onClose }: ImportDialogProps) {
  const formId = useId();
  const [file, setFile] = useState<File | null>(null);
  const [skipsFaults, setSkipsFaults] = useState(false);
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
    if (file !== null && !isBusy && !importing.isSuccess) importing.mutate({ file, skipsFaults });
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
        {preview && <RowTable label="Preview" columns={preview.columns} rows={preview.rows} />}
        <CheckboxField
          label="Skip rows with faults"
          checked={skipsFaults}
          disabled={isBusy}
          onChange={({ target }) => setSkipsFaults(target.checked)}
        />
        {isBusy && <ImportProgress ref={places.progress} progress={progress} expectedRows={preview?.expectedRows} />}
        {importing.data && <ImportResult result={importing.data} />}
        {importing.error && !isCancelled && <FaultNotice title="Nothing was imported" error={importing.error} />}
        {importing.error && isCancelled && <p role="status">Cancelled. Nothing was imported.</p>}
      </form>
    </Dialog>
  );
}

const describeFile = (file: File | null): string =>
  file === null
    ? 'JSON Lines, a JSON list, or CSV with a header row. It may be dropped here.'
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
