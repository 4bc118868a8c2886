import type { SpanOutline, DatapointResource, DatapointKind } from '@spandrel/contract';
import { SpandrelError } from '@spandrel/sdk/api';
import { useBlocker, useNavigate, useSearch, Link } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { listPage, api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import { lazyPart } from '../../components/lazy-part.js';
import { FaultNotice } from '../../components/page-parts.js';
import type { JsonEditorHandle, LineFault } from '../../components/json-editor.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { TabList, tabId } from '../../components/tab-list.js';
import { datapointAddress, traceAddress } from '../../features/addresses.js';
import { keys } from '../../api/keys.js';
import { Time } from '../../components/time.js';
import { notify } from '../../components/notify.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { DatapointForm } from '../../features/datapoint/datapoint-form.js';
import {
  changeVariant,
  NEW_DATAPOINT,
  readDatapoint,
  variantIn,
  writeDatapoint,
  lineOfPath,
  pathOfFault,
  type DatapointText,
} from '../../features/datapoint/datapoint-text.js';
import styles from './datapoint-editor.module.css';

interface DatapointEditorProps {
  datasetId: string;
  datapoint: DatapointResource | null;
  /** Called with the id of one that was made, before the page goes to its address. */
  onMade(id: string): void;
}

const JsonEditor = lazyPart(
  async () => (await import('../../components/json-editor.js')).JsonEditor,
  <div className={styles.awaited} />,
);

const KINDS = [
  { value: 'Generic', label: 'Generic' },
  { value: 'LlmConversation', label: 'Conversation' },
] as const;
const TABS = [
  { id: 'form', label: 'Form' },
  { id: 'json', label: 'JSON' },
] as const;
const PANEL = 'datapoint-panel';

/** A datapoint as a form, or as JSON that is checked while it is written. */
export function DatapointEditor({ datasetId, datapoint, onMade }: DatapointEditorProps) {
  const editor = useRef<JsonEditorHandle>(null);
  const [tab, setTab] = useTab(datasetId, datapoint);
  const saved = useMemo(() => (datapoint === null ? NEW_DATAPOINT : writeDatapoint(datapoint)), [datapoint]);
  const [draft, setDraft] = useState<DatapointText | null>(null);
  const shown = draft ?? saved;
  const isUnsaved = shown.text !== saved.text || shown.variant !== saved.variant;
  const read = useMemo(() => readDatapoint(shown), [shown]);
  // Keys may come before what was saved is drawn: neither is taken from the last drawing.
  const isSaving = useRef(false);
  const id = useRef(datapoint?.id);
  const saving = useSaveDatapoint(datasetId, {
    onSaved: (sent, after) => {
      id.current = after.id;
      // What was typed since stays.
      setDraft((now) => (now === sent ? writeDatapoint(after) : now));
      if (datapoint === null) onMade(after.id);
    },
    onSettled: () => (isSaving.current = false),
  });
  if (draft !== null && !isUnsaved) setDraft(null);
  const faults = 'fault' in read ? [read.fault] : faultsOfAnswer(saving.error, shown.text);
  const change = (next: DatapointText): void => {
    if (!isSaving.current) saving.reset();
    setDraft(next);
  };
  const save = (): void => {
    if (!('kind' in read) || !isUnsaved || isSaving.current) return;
    isSaving.current = true;
    saving.mutate({ sent: shown, kind: read.kind, id: id.current });
  };
  useShortcuts([{ keys: 'mod+s', label: 'Save', writes: true, group: 'Datapoint', run: save }]);
  const question = useUnsavedQuestion(isUnsaved && !saving.isPending);
  return (
    <section aria-label="Datapoint" className={styles.editor} data-tab={tab}>
      <div className={styles.bar}>
        <ChoiceGroup
          label="Kind"
          choices={KINDS}
          value={shown.variant}
          onChange={(variant) => change(changeVariant(shown, variant))}
        />
        <Button writes variant="primary" shortcut="mod+s" disabled={!isUnsaved || 'fault' in read} onClick={save}>
          Save
        </Button>
        {datapoint !== null && <DatapointSource datapoint={datapoint} />}
        {isUnsaved && <span className="quiet">Not saved yet</span>}
      </div>
      <TabList label="Edit as" items={TABS} selected={tab} panelId={PANEL} onSelect={setTab} />
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, tab)} className={styles.panel}>
        {tab === 'form' ? (
          <DatapointForm draft={shown} onChange={change} />
        ) : (
          <JsonEditor
            ref={editor}
            label="Datapoint JSON"
            text={shown.text}
            faults={faults}
            onChange={(text) => change({ variant: variantIn(text) ?? shown.variant, text })}
          />
        )}
      </div>
      <FaultList faults={faults} {...(tab === 'json' && { onGo: (line) => editor.current?.goTo(line) })} />
      {saving.error && faults.length === 0 && (
        <FaultNotice title="The datapoint could not be saved" error={saving.error} />
      )}
      {question}
    </section>
  );
}

type Tab = (typeof TABS)[number]['id'];

function useTab(datasetId: string, datapoint: DatapointResource | null) {
  const search: { tab?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const to = datapointAddress(datasetId, datapoint?.id ?? 'new');
  const choose = (tab: Tab): void =>
    void navigate({ to, search: tab === 'json' ? { tab } : {}, replace: true } as never);
  return [search.tab === 'json' ? 'json' : 'form', choose] as const;
}

function DatapointSource({ datapoint }: { datapoint: DatapointResource }) {
  const { source_span_id: spanId } = datapoint;
  const source = useQuery({
    queryKey: keys.sourceSpan(spanId ?? ''),
    queryFn: async () =>
      (await listPage<SpanOutline>('listSpans', { query: { ids: [spanId!], view: 'outline' } })).rows[0] ?? null,
    enabled: spanId !== null,
  });
  return (
    <>
      {source.data && (
        <Link to={traceAddress(source.data.trace_id)} search={{ span: source.data.id } as never}>
          Source span
        </Link>
      )}
      {source.data === null && <span>Its source span has been deleted.</span>}
      <span>
        Updated <Time at={datapoint.updated_at} />
      </span>
    </>
  );
}

interface FaultListProps {
  faults: readonly LineFault[];
  onGo?: (line: number) => void;
}

function FaultList({ faults, onGo }: FaultListProps) {
  return (
    <div role="status" aria-label="Faults">
      {faults.length > 0 && (
        <ul className={styles.faults}>
          {faults.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              {line === null ? message : `Line ${line}: ${message}`}
              {line !== null && onGo && <Button onClick={() => onGo(line)}>Go to line {line}</Button>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface SaveCallbacks {
  onSaved(sent: DatapointText, after: DatapointResource): void;
  onSettled(): void;
}

function useSaveDatapoint(datasetId: string, { onSaved, onSettled }: SaveCallbacks) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ kind, id }: { sent: DatapointText; kind: DatapointKind; id: string | undefined }) =>
      id === undefined
        ? api.createDatapoint({ path: { id: datasetId }, body: { kind: kind as never } })
        : api.updateDatapoint({ path: { id: datasetId, dp_id: id }, body: { kind: kind as never } }),
    onSuccess: (after, { sent, id }) => {
      queryClient.setQueryData(keys.datapoint(datasetId, after.id), after);
      void queryClient.invalidateQueries({ queryKey: keys.dataset(datasetId), exact: true });
      onSaved(sent, after);
      notify(id === undefined ? 'Added a datapoint' : 'Saved the datapoint');
      if (id !== undefined) return;
      const to = datapointAddress(datasetId, after.id);
      void navigate({ to, search: true, replace: true, ignoreBlocker: true } as never);
    },
    onSettled,
  });
}

function faultsOfAnswer(error: Error | null, text: string): LineFault[] {
  if (!(error instanceof SpandrelError)) return [];
  return error.errors.map(({ path, message }) => {
    const steps = pathOfFault(path);
    const words = steps.length === 0 ? message : `${String(steps.at(-1))} ${message}`;
    return { line: lineOfPath(text, steps), message: words };
  });
}

const leavesPage = ({ current, next }: Record<'current' | 'next', { pathname: string }>): boolean =>
  current.pathname !== next.pathname;

/** Asks before somebody leaves a page with something unsaved. @returns the question, while it is asked. */
function useUnsavedQuestion(isUnsaved: boolean) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: leavesPage,
    disabled: !isUnsaved,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <ConfirmDialog title="Leave without saving?" action="Leave without saving" onConfirm={proceed} onClose={reset}>
      <p>You have unsaved changes. They are lost if you leave.</p>
    </ConfirmDialog>
  );
}
