import { formatCounted } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { workerAddress } from '../../live/script-policy.js';
import { connectWorker, OF_WORKER } from '../worker-calls.js';
import type { DiffCalls } from './diff.worker.js';
// oxlint-disable-next-line import/default -- Vite gives the address of the built worker
import workerUrl from './diff.worker.js?worker&url';
import type { MessageReading } from '../messages/message.js';
import { MessageText } from '../messages/message-view.js';
import { areAlike, foldSame, type DiffPart, type FoldedLines } from './diff-parts.js';
import styles from './diff-view.module.css';

const callDiff = connectWorker<DiffCalls>(workerAddress(workerUrl), 'diff');

/** `alike`: words of texts that are alike, the second text of others. */
export type DiffMode = 'words' | 'lines' | 'side' | 'alike';

export const DIFF_MODES: readonly { value: DiffMode; label: string }[] = [
  { value: 'side', label: 'Side by side' },
  { value: 'words', label: 'Words' },
  { value: 'lines', label: 'Lines' },
];

interface DiffViewProps {
  /** What the first text is: `Expected`. */
  beforeName: string;
  afterName: string;
  /** `null` where there is no such text: then the other one is shown as it is. */
  before: string | null;
  after: string | null;
  mode: DiffMode;
}

/** The difference of two texts: what went as `del`, what came as `ins`. */
export function DiffView({ beforeName, afterName, before, after, mode }: DiffViewProps) {
  if (before !== null && after !== null) return <Difference {...{ beforeName, afterName, before, after, mode }} />;
  const [name, text] = after === null ? [beforeName, before] : [afterName, after];
  return text === null ? null : <Rendered name={name} text={text} />;
}

interface DifferenceProps extends DiffViewProps {
  before: string;
  after: string;
}

function Difference({ before, after, mode, ...names }: DifferenceProps) {
  const given = { before, after, unit: mode === 'lines' ? 'lines' : 'words' } as const;
  const { data: parts } = useQuery({
    queryKey: ['difference', given],
    queryFn: () => callDiff('compare', given),
    ...OF_WORKER,
  });
  if (parts === undefined) return <div className={styles.text} aria-busy="true" />;
  // Where nothing differs, there is nothing to mark.
  const isMarked = before !== after && areAlike(parts);
  if (mode === 'alike' && !isMarked) return <Rendered name={names.afterName} text={after} />;
  if (mode === 'side' && !isMarked) {
    return (
      <div className={styles.beside}>
        <Rendered name={names.beforeName} text={before} />
        <Rendered name={names.afterName} text={after} />
      </div>
    );
  }
  return <KnownDifference {...names} parts={parts} isSideBySide={mode === 'side'} />;
}

interface KnownDifferenceProps {
  beforeName: string;
  afterName: string;
  parts: readonly DiffPart[];
  isSideBySide: boolean;
}

/** What is opened on one side is open on the other one, so that lines stay beside each other. */
function KnownDifference({ beforeName, afterName, parts, isSideBySide }: KnownDifferenceProps) {
  const folded = useMemo(() => foldSame(parts), [parts]);
  const [opened, setOpened] = useState<ReadonlySet<unknown>>(new Set());
  const toggle = (part: FoldedLines): void => {
    const after = new Set(opened);
    if (!after.delete(part)) after.add(part);
    setOpened(after);
  };
  const folds = { opened, onToggle: toggle };
  if (!isSideBySide) return <Side name="Difference" parts={folded} {...folds} />;
  return (
    <div className={styles.beside}>
      <Side name={beforeName} parts={folded.filter(({ kind }) => kind !== 'added')} {...folds} isNamed />
      <Side name={afterName} parts={folded.filter(({ kind }) => kind !== 'removed')} {...folds} isNamed />
    </div>
  );
}

const RENDERED: MessageReading = { format: 'rendered', wraps: true, sought: '' };

/** A text by itself, as markdown: so answers are written, and in a text without any the line breaks are kept. */
function Rendered({ name, text }: { name: string; text: string }) {
  return (
    <NamedText name={name} isNamed>
      <MessageText text={text} label={name} reading={RENDERED} />
    </NamedText>
  );
}

interface SideProps {
  name: string;
  parts: readonly (DiffPart | FoldedLines)[];
  opened?: ReadonlySet<unknown>;
  onToggle?(part: FoldedLines): void;
  isNamed?: boolean;
}

function Side({ name, parts, opened, onToggle, isNamed = false }: SideProps) {
  return (
    <NamedText name={name} isNamed={isNamed}>
      {parts.map((part, at) =>
        part.kind === 'folded' ? (
          // oxlint-disable-next-line react/no-array-index-key -- parts have no other name than their place
          <Fold key={at} folded={part} isOpen={opened?.has(part) === true} onToggle={() => onToggle?.(part)} />
        ) : (
          // oxlint-disable-next-line react/no-array-index-key
          <Part key={at} part={part} />
        ),
      )}
    </NamedText>
  );
}

function NamedText({ name, isNamed, children }: { name: string; isNamed: boolean; children: ReactNode }) {
  return (
    <div className={styles.side}>
      {isNamed && (
        <h4 className={styles.name} dir="auto">
          {name}
        </h4>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
      <div role="group" aria-label={`Text of ${name}`} tabIndex={0} className={styles.text} dir="auto">
        {children}
      </div>
    </div>
  );
}

function Part({ part: { kind, text } }: { part: DiffPart }) {
  if (kind === 'same') return text;
  const Mark = kind === 'added' ? 'ins' : 'del';
  return (
    <Mark>
      <span className="visually-hidden">{kind === 'added' ? ' added: ' : ' removed: '}</span>
      {text}
      <span className="visually-hidden"> end </span>
    </Mark>
  );
}

interface FoldProps {
  folded: FoldedLines;
  isOpen: boolean;
  onToggle(): void;
}

/** Lines in which nothing changed: a button that says how many, and the lines once it was pressed. */
function Fold({ folded: { text, lines }, isOpen, onToggle }: FoldProps) {
  const what = formatCounted(lines, 'unchanged line');
  return (
    <>
      <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={onToggle}>
        {isOpen ? `Fold ${what}` : `… ${what}`}
      </button>
      {isOpen && text}
    </>
  );
}
