import type { ConnectionResource, DatapointMessage, RecordedCall, SpanResource, TryCall } from '@spandrel/contract';
import { formatCounted, formatCount } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api, listPage, parseExactly } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { Button, useMayWrite } from '../../components/button.js';
import { CheckboxField, TextArea, SelectField, TextField } from '../../components/field.js';
import { EmptyState, PageHeading, QueryFault, FaultNotice } from '../../components/page-parts.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { readTexts } from '../../features/filters/list-search.js';
import { useWayUp } from '../../features/list/way-up.js';
import type { Message } from '../../features/messages/message.js';
import { useModelChoices } from '../../features/model-choices.js';
import { openPayload } from '../../features/payload/payload-client.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { ConversationEditor, type EditedMessage } from './conversation-editor.js';
import { RunView } from './run-view.js';
import { tryEvents } from './try-events.js';
import { tryCallOf, variantOf, variantsOf, VARIANTS_MAX, withEvent, type ShownRun, type Variant } from './variants.js';
import styles from './try-page.module.css';
import { ReplayButton } from '../../features/replay/replay-button.js';
import { sourceOfModel } from '../../features/replay/replay-source.js';

/** What the address can say: the recorded call that is tried again. */
export interface TrySearch {
  span?: string;
}

const readTrySearch = (search: Record<string, unknown>): TrySearch => readTexts(search, ['span']);

const SHOWN_MAX = 200;

/** `/try/:id`: a call of a model, recorded or new, that is made in several ways beside each other. */
export function TryPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { span } = usePageSearch(readTrySearch);
  const wayUp = useWayUp(null, 'Try');
  const mayWrite = useMayWrite();
  const { connections, error, isReady } = useModelChoices('');
  const made = useQuery({
    queryKey: keys.triesOf(id),
    queryFn: async ({ signal }) =>
      (
        await listPage<SpanResource>('listSpans', { query: { trace_id: id, limit: SHOWN_MAX }, signal })
      ).rows.toReversed(),
    staleTime: Infinity,
  });
  const last = made.data?.at(-1);
  const origin = span ?? (last?.metadata['tried_span_id'] as string | null | undefined) ?? undefined;
  const recorded = useCallOf(origin);
  const source = useCallOf(last?.id ?? origin);
  const isAwaited = !isReady || !made.isSuccess || recorded.isLoading || source.isLoading;
  const title = origin === undefined ? 'Try a prompt' : 'Try again';
  if (!isAwaited && connections.length > 0 && mayWrite && error === null && !recorded.error && !source.error) {
    const starting = { made: made.data, origin, recorded: recorded.data ?? null, source: source.data ?? null };
    return (
      <>
        {wayUp}
        <TryPanel key={id} {...{ id, title, connections, ...starting }} />
      </>
    );
  }
  return (
    <>
      {wayUp}
      <PageHeading title={title} />
      {!mayWrite && <p>This key is read-only. Calling a model needs a key with the scope write.</p>}
      <QueryFault title="The tries could not be loaded" query={made} />
      <QueryFault title="The recorded call could not be loaded" query={origin === undefined ? source : recorded} />
      {isReady && connections.length === 0 && (
        <EmptyState title="There is no connection yet" action={<Link to="/connections">Go to Connections</Link>}>
          <p>A model is called through a connection.</p>
        </EmptyState>
      )}
    </>
  );
}

interface PanelCall {
  call: RecordedCall | null;
  shown: readonly (Message | null)[];
  run: ShownRun;
  traceId: string;
}

function useCallOf(id: string | undefined) {
  return useQuery({
    queryKey: keys.triedCall(id ?? ''),
    enabled: id !== undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<PanelCall> => {
      const answer = await api.raw('GET', `/api/spans/${encodeURIComponent(id!)}`, { signal });
      const payload = await openPayload(await answer.text());
      const { json, shown } = await payload.ask('recordedCall', {}).finally(() => payload.close());
      const { call, span } = parseExactly(json) as { call: RecordedCall | null; span: SpanResource };
      return { call, shown, run: variantsOf([span])[0]!.runs[0]!, traceId: span.trace_id };
    },
  });
}

interface TryPanelProps {
  id: string;
  title: string;
  connections: readonly ConnectionResource[];
  made: readonly SpanResource[];
  origin: string | undefined;
  recorded: PanelCall | null;
  source: PanelCall | null;
}

function TryPanel({ id, title, connections, made, origin, recorded, source }: TryPanelProps) {
  const call = source?.call ?? null;
  const usual = (key: number): Variant =>
    variantOf(key, connections.find(({ provider }) => provider === call?.provider) ?? connections[0], call);
  const [messages, setMessages] = useState(() => editedMessages(source));
  const [tools, setTools] = useState(() => (call && call.tools.length > 0 ? JSON.stringify(call.tools, null, 2) : ''));
  const [variants, setVariants] = useState(() => (made.length > 0 ? variantsOf(made) : [usual(0)]));
  const [compares, setCompares] = useState(true);
  const [running, setRunning] = useState<AbortController | null>(null);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const change = (key: number, changed: (variant: Variant) => Partial<Variant>): void =>
    setVariants((before) => before.map((one) => (one.key === key ? { ...one, ...changed(one) } : one)));
  const run = async (): Promise<void> => {
    if (running) return;
    const controller = new AbortController();
    current.current = controller;
    setRunning(controller);
    await Promise.all(variants.map((variant) => runOne(variant, controller.signal)));
    setRunning(null);
  };
  const runOne = async (variant: Variant, signal: AbortSignal): Promise<void> => {
    const { key } = variant;
    change(key, () => ({ fault: null }));
    try {
      const sent = messages.map(({ message }) => message) as TryCall['messages'];
      const asked: TryCall = { ...tryCallOf(variant, sent, tools), trace_id: id, ...(origin && { span_id: origin }) };
      for await (const event of tryEvents(asked, signal)) change(key, ({ runs }) => ({ runs: withEvent(runs, event) }));
    } catch (error) {
      if (signal.aborted) change(key, ({ runs }) => ({ runs: stopped(runs) }));
      else change(key, () => ({ fault: error as Error }));
    }
  };
  const add = (): void =>
    setVariants((before) => [
      ...before,
      { ...(before.at(-1) ?? usual(0)), key: nextKey(before), runs: [], fault: null },
    ]);
  useShortcuts([
    { keys: 'mod+enter', label: 'Run', group: title, writes: true, run: () => void run() },
    { keys: '', label: 'Add variant', group: title, writes: true, run: add },
  ]);
  const answers = variants.flatMap(({ runs }) => runs);
  return (
    <>
      <PageHeading title={title}>
        {running ? (
          <Button onClick={() => running.abort()}>Stop</Button>
        ) : (
          <Button variant="primary" shortcut="mod+enter" onClick={() => void run()}>
            Run
          </Button>
        )}
        <Button icon="plus" disabled={variants.length >= VARIANTS_MAX} onClick={add}>
          Add variant
        </Button>
      </PageHeading>
      <p role="status" className={styles.status}>
        {running &&
          `Waiting for answers: ${formatCounted(answers.filter(({ state }) => state === 'running').length, 'call')} under way`}
        {!running &&
          answers.length > 0 &&
          `${formatCounted(answers.length, 'answer')} of ${formatCounted(variants.length, 'variant')}`}
      </p>
      {recorded?.call?.isCut && <p>This call was cut when it was recorded: its texts are not whole.</p>}
      <div className={styles.panel}>
        <div className={styles.asked}>
          <ConversationEditor messages={messages} onChange={setMessages} />
          <TextArea
            label="Tools (JSON)"
            rows={tools === '' ? 1 : 6}
            placeholder="None"
            hint="Calls of tools are shown and not made."
            value={tools}
            onChange={({ currentTarget: { value } }) => setTools(value)}
          />
        </div>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
        <div role="group" aria-label="Answers" tabIndex={0} className={styles.columns}>
          {recorded && (
            <section aria-label="Recorded answer" className={styles.column}>
              <h2>Recorded answer</h2>
              <CheckboxField
                label="Show differences from it"
                checked={compares}
                onChange={({ currentTarget: { checked } }) => setCompares(checked)}
              />
              <RunView name="Recorded" run={recorded.run} traceId={recorded.traceId} recorded={null} />
            </section>
          )}
          {variants.map((variant, at) => (
            <VariantColumn
              key={variant.key}
              name={`Variant ${at + 1}`}
              {...{ variant }}
              traceId={id}
              recorded={compares ? (recorded?.run.text ?? null) : null}
              recordedModel={recorded?.call?.model ?? null}
              onChange={(changed) => change(variant.key, () => changed)}
              onRemove={
                variants.length > 1
                  ? () => setVariants((before) => before.filter(({ key }) => key !== variant.key))
                  : undefined
              }
            />
          ))}
        </div>
      </div>
    </>
  );
}

const nextKey = (variants: readonly Variant[]): number => Math.max(-1, ...variants.map(({ key }) => key)) + 1;

const stopped = (runs: readonly ShownRun[]): readonly ShownRun[] =>
  runs.map((one) => (one.state === 'running' ? { ...one, state: 'failed', error: 'Stopped' } : one));

function editedMessages(source: PanelCall | null): readonly EditedMessage[] {
  const messages: readonly DatapointMessage[] = source?.call?.messages ?? [{ role: 'user', content: '' }];
  return messages.map((message, key) => ({ key, message, shown: source?.shown[key] ?? null }));
}

type VariantText = 'connection' | 'model' | 'temperature' | 'maxTokens' | 'others' | 'times';

interface VariantColumnProps {
  name: string;
  variant: Variant;
  traceId: string;
  recorded: string | null;
  /** The model with calls that can be replayed with what is asked here; `null` where nothing recorded is tried. */
  recordedModel: string | null;
  onChange(changed: Partial<Variant>): void;
  onRemove?: (() => void) | undefined;
}

function VariantColumn({ name, variant, traceId, recorded, recordedModel, onChange, onRemove }: VariantColumnProps) {
  const { connections, models } = useModelChoices(variant.connection);
  const bind = (member: VariantText) => ({
    value: variant[member],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => onChange({ [member]: value }),
  });
  const choose = (id: string): void =>
    onChange({ connection: id, others: '', model: connections.find((one) => one.id === id)?.default_model ?? '' });
  return (
    <section aria-label={name} className={styles.column}>
      <div className={styles.role}>
        <h2>{name}</h2>
        {recordedModel !== null && (
          <ReplayButton
            key={`${variant.connection} ${variant.model}`}
            label={`Replay with ${name}`}
            change={variant}
            {...sourceOfModel(recordedModel)}
          />
        )}
        {onRemove && (
          <Button variant="quiet" icon="close" iconOnly onClick={onRemove}>
            {`Remove ${name}`}
          </Button>
        )}
      </div>
      <SelectField
        label="Connection"
        options={connections.map((one) => ({ value: one.id, label: one.name }))}
        value={variant.connection}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      <TextField label="Model" suggestions={models} {...bind('model')} />
      <div className={styles.beside}>
        <TextField label="Temperature" type="number" min={0} step="any" {...bind('temperature')} />
        <TextField label="Max tokens" type="number" min={1} step={1} {...bind('maxTokens')} />
        <TextField label="Times" type="number" min={1} max={10} step={1} {...bind('times')} />
      </div>
      <TextArea label="Other parameters (JSON)" rows={1} placeholder="None" {...bind('others')} />
      {variant.fault && <FaultNotice title="The call was not answered" error={variant.fault} />}
      {variant.runs.map((run, at) => (
        <RunView key={run.id} name={`${name}, answer ${formatCount(at + 1)}`} {...{ run, traceId, recorded }} />
      ))}
    </section>
  );
}
