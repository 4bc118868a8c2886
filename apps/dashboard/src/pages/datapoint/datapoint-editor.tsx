import type { DatapointResource } from '@spandrel/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import { FaultNotice } from '../../components/fault-notice.js';
import type { JsonEditorHandle } from '../../components/json-editor/json-editor.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { TabList, tabId } from '../../components/tabs/tab-list.js';
import { datapointAddress } from '../../features/dataset-link.js';
import { DatapointForm } from './datapoint-form.js';
import { DatapointSource } from './datapoint-source.js';
import { changeVariant, NEW_DATAPOINT, readDatapoint, variantIn, writeDatapoint } from './datapoint-text.js';
import type { DatapointText } from './datapoint-text.js';
import { FaultList } from './fault-list.js';
import { useUnsavedQuestion } from './use-unsaved.js';
import { faultsOfAnswer, useSaveDatapoint } from './use-save-datapoint.js';
import styles from './datapoint-page.module.css';

export interface DatapointEditorProps {
  datasetId: string;
  /** `null` for one that is yet to be made. */
  datapoint: DatapointResource | null;
}

const JsonEditor = lazy(async () => ({
  default: (await import('../../components/json-editor/json-editor.js')).JsonEditor,
}));

const KINDS = [
  { value: 'Generic', label: 'Generic' },
  { value: 'LlmConversation', label: 'Conversation' },
] as const;
const TABS = [
  { id: 'json', label: 'JSON' },
  { id: 'form', label: 'Form' },
] as const;
const PANEL = 'datapoint-panel';

/** A datapoint as JSON, checked while it is written, or as a form. */
export function DatapointEditor({ datasetId, datapoint }: DatapointEditorProps) {
  const editor = useRef<JsonEditorHandle>(null);
  const [tab, setTab] = useTab(datasetId, datapoint);
  const saved = useMemo(() => (datapoint === null ? NEW_DATAPOINT : writeDatapoint(datapoint)), [datapoint]);
  const [draft, setDraft] = useState<DatapointText | null>(null);
  const shown = draft ?? saved;
  const isUnsaved = shown.text !== saved.text || shown.variant !== saved.variant;
  const read = useMemo(() => readDatapoint(shown), [shown]);
  const saving = useSaveDatapoint(datasetId, datapoint, () => setDraft(null));
  const faults = 'fault' in read ? [read.fault] : faultsOfAnswer(saving.error, shown.text);
  const change = (next: DatapointText): void => {
    saving.reset();
    setDraft(next);
  };
  const save = (): void => {
    if ('kind' in read && (isUnsaved || datapoint === null) && !saving.isPending) saving.mutate(read.kind);
  };
  useShortcuts([{ keys: 'mod+s', label: 'Save', writes: true, group: 'Datapoint', run: save }]);
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
          writes
          variant="primary"
          shortcut="Ctrl S"
          aria-keyshortcuts="Control+S Meta+S"
          disabled={'fault' in read}
          onClick={save}
        >
          Save
        </Button>
        {datapoint !== null && <DatapointSource datapoint={datapoint} />}
        {isUnsaved && <span className={styles.unsaved}>Not saved yet</span>}
      </div>
      <TabList label="Edit as" items={TABS} selected={tab} panelId={PANEL} onSelect={setTab} />
      <div id={PANEL} role="tabpanel" aria-labelledby={tabId(PANEL, tab)} className={styles.panel}>
        {tab === 'form' ? (
          <DatapointForm draft={shown} onChange={change} />
        ) : (
          <Suspense fallback={<div className={styles.awaited} />}>
            <JsonEditor
              ref={editor}
              label="Datapoint JSON"
              text={shown.text}
              faults={faults}
              onChange={(text) => change({ variant: variantIn(text) ?? shown.variant, text })}
            />
          </Suspense>
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

/** The tab that the address names. */
function useTab(datasetId: string, datapoint: DatapointResource | null) {
  const search: { tab?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const to = datapointAddress(datasetId, datapoint?.id ?? 'new');
  const choose = (tab: Tab): void =>
    void navigate({ to, search: tab === 'form' ? { tab } : {}, replace: true } as never);
  return [search.tab === 'form' ? 'form' : 'json', choose] as const;
}
