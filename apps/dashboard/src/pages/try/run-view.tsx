import { formatCount } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { formatCost, formatCostExactly, formatDuration } from '../../components/format.js';
import { DialogButton } from '../../components/lazy-part.js';
import { FaultNotice } from '../../components/page-parts.js';
import { AddToDataset } from '../../features/add-to-dataset/add-selected.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { jsonText, type Message, type MessageReading } from '../../features/messages/message.js';
import { MessageList } from '../../features/messages/message-view.js';
import { useSpanPayload } from '../../features/payload/use-span-payload.js';
import { DiffView } from '../../features/text-diff/diff-view.js';
import { traceAddress } from '../../features/addresses.js';
import type { RunFacts, ShownRun } from './variants.js';
import styles from './try-page.module.css';

const READING: MessageReading = { format: 'rendered', wraps: true, sought: '' };

interface RunViewProps {
  name: string;
  run: ShownRun;
  traceId: string;
  /** The recorded answer whose difference is shown; `null` for none. */
  recorded: string | null;
}

/** One answer: what was said, what it took, and what can be made of it. */
export function RunView({ name, run, traceId, recorded }: RunViewProps) {
  const { state, text, error, facts } = run;
  const compares = recorded !== null && state === 'done' && text !== '';
  return (
    <article aria-label={name} aria-busy={state === 'running'} className={styles.run}>
      {compares ? (
        <DiffView beforeName="Recorded" afterName={name} before={recorded} after={text} mode="alike" />
      ) : (
        (text !== '' || state !== 'failed') && <MessageList messages={[messageOf(run)]} reading={READING} />
      )}
      {compares && run.toolCalls.length > 0 && (
        <MessageList messages={[messageOf({ ...run, text: '' })]} reading={READING} />
      )}
      {error !== '' && <FaultNotice title="The call failed" error={new Error(error)} />}
      {facts !== null && <FactList label={`Facts of ${name}`} facts={factsOf(facts)} />}
      {state !== 'running' && (
        <div className={styles.actions}>
          <Link to={traceAddress(traceId)} search={{ span: run.id } as never}>
            Open span
          </Link>
          {state === 'done' && (
            <>
              <Link to="/evaluations/new" search={{ span: run.id }}>
                Evaluate
              </Link>
              <DialogButton writes dialog={(close) => <AddRun spanId={run.id} onClose={close} />}>
                Add to dataset
              </DialogButton>
            </>
          )}
        </div>
      )}
    </article>
  );
}

function AddRun({ spanId, onClose }: { spanId: string; onClose(): void }) {
  const { payload } = useSpanPayload(spanId, '');
  return <AddToDataset spanId={spanId} payload={payload} onClose={onClose} />;
}

function messageOf({ text, reasoning, toolCalls }: Pick<ShownRun, 'text' | 'reasoning' | 'toolCalls'>): Message {
  return {
    ...{ role: 'assistant', name: null, isAnswer: true },
    parts: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...toolCalls.map(({ name, id = null, arguments: given }) => ({
        ...{ type: 'tool-call' as const, name, id },
        arguments: given === undefined ? '' : typeof given === 'string' ? given : jsonText(given),
      })),
    ],
  };
}

function factsOf(facts: RunFacts): Fact[] {
  const {
    input_tokens: tokensIn,
    output_tokens: tokensOut,
    cost,
    latency_ms: ms,
    time_to_first_token_ms: first,
  } = facts;
  return [
    ...(tokensIn === null ? [] : [{ name: 'Tokens in', value: formatCount(tokensIn) }]),
    ...(tokensOut === null ? [] : [{ name: 'Tokens out', value: formatCount(tokensOut) }]),
    ...(cost === null ? [] : [{ name: 'Cost', value: formatCost(cost), exact: formatCostExactly(cost) }]),
    { name: 'Duration', value: formatDuration(ms) },
    ...(first === null ? [] : [{ name: 'Time to first token', value: formatDuration(first) }]),
  ];
}
