import type { DatapointKind, DatapointResource } from '@spandrel/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.js';
import { createDatapoint, updateDatapoint } from '../../api/datapoints.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { notify } from '../../components/notifications/notify.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { datapointAddress } from '../../features/dataset-link.js';
import { DatapointSource } from './datapoint-source.js';
import { changeVariant, NEW_DATAPOINT, readDatapoint, variantIn, writeDatapoint } from './datapoint-text.js';
import type { DatapointText, TextFault } from './datapoint-text.js';
import { FaultList } from './fault-list.js';
import { lineOfPath, pathOfFault } from './json-place.js';
import { useUnsavedQuestion } from './use-unsaved.js';
import styles from './datapoint-page.module.css';

export interface DatapointEditorProps {
  datasetId: string;
  /** `null` for one that is yet to be made. */
  datapoint: DatapointResource | null;
}

const KINDS = [
  { value: 'Generic', label: 'Generic' },
  { value: 'LlmConversation', label: 'Conversation' },
] as const;

/** A datapoint as JSON, checked while it is written. */
export function DatapointEditor({ datasetId, datapoint }: DatapointEditorProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const saved = datapoint === null ? NEW_DATAPOINT : writeDatapoint(datapoint);
  const [draft, setDraft] = useState<DatapointText | null>(null);
  const shown = draft ?? saved;
  const isUnsaved = shown.text !== saved.text || shown.variant !== saved.variant;
  const read = readDatapoint(shown);
  const saving = useSave(datasetId, datapoint, () => setDraft(null));
  const faults = 'fault' in read ? [read.fault] : faultsOfAnswer(saving.error, shown.text);
  const change = (next: DatapointText): void => {
    saving.reset();
    setDraft(next);
  };
  const save = (): void => {
    if ('kind' in read && (isUnsaved || datapoint === null) && !saving.isPending) saving.mutate(read.kind);
  };
  useShortcuts([{ keys: 'mod+s', label: 'Save', group: 'Datapoint', run: save }]);
  const question = useUnsavedQuestion(isUnsaved && !saving.isPending);
  return (
    <section aria-label="Datapoint" className={styles.editor}>
      <div className={styles.bar}>
        <ChoiceGroup
          label="Kind"
          choices={KINDS}
          value={shown.variant}
          onChange={(variant) => change(changeVariant(shown, variant))}
        />
        <Button
          variant="primary"
          shortcut="Ctrl S"
          aria-keyshortcuts="Control+S Meta+S"
          disabled={'fault' in read || (datapoint !== null && !isUnsaved) || saving.isPending}
          onClick={save}
        >
          Save
        </Button>
        {datapoint !== null && <DatapointSource datapoint={datapoint} />}
      </div>
      <label htmlFor={id} className={styles.label}>
        Datapoint JSON
      </label>
      <textarea
        ref={field}
        id={id}
        className={styles.text}
        spellCheck={false}
        autoComplete="off"
        value={shown.text}
        aria-describedby={`${id}-faults`}
        {...(faults.length > 0 && { 'aria-invalid': true })}
        onChange={({ target: { value: text } }) => change({ variant: variantIn(text) ?? shown.variant, text })}
      />
      <FaultList id={`${id}-faults`} faults={faults} onGo={(line) => selectLine(field.current!, line)} />
      {saving.error && faults.length === 0 && (
        <FaultNotice title="The datapoint could not be saved" error={saving.error} />
      )}
      {question}
    </section>
  );
}

function useSave(datasetId: string, datapoint: DatapointResource | null, onSaved: () => void) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (kind: DatapointKind) =>
      datapoint === null ? createDatapoint(datasetId, kind) : updateDatapoint(datasetId, datapoint.id, kind),
    onSuccess: (after) => {
      queryClient.setQueryData(keys.datapoint(datasetId, after.id), after);
      void queryClient.invalidateQueries({ queryKey: keys.dataset(datasetId), exact: true });
      onSaved();
      notify(datapoint === null ? 'Added a datapoint' : 'Saved the datapoint');
      if (datapoint === null)
        void navigate({ to: datapointAddress(datasetId, after.id), replace: true, ignoreBlocker: true });
    },
  });
}

/** The faults that the server found, at their lines. */
function faultsOfAnswer(error: Error | null, text: string): TextFault[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors.map(({ path, message }) => {
    const steps = pathOfFault(path);
    const words = steps.length === 0 ? message : `${String(steps.at(-1))} ${message}`;
    return { line: lineOfPath(text, steps), message: words };
  });
}

/** Gives the field the focus with a line selected. */
function selectLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}
