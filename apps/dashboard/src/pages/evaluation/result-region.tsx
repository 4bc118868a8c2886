import type { EvalItem, EvalRunResource } from '@spandrel/contract';
import { formatCount, formatScore } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ChoiceGroup } from '../../components/choice-group.js';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatDuration, formatDurationExactly } from '../../components/format/format-duration.js';
import type { Fact } from '../../features/facts/fact.js';
import { FactList } from '../../features/facts/fact-list.js';
import { DatapointActions } from '../../features/runs/datapoint-actions.js';
import { RecordedInput } from '../../features/runs/recorded-input.js';
import { RowRegion } from '../../features/runs/row-region.js';
import { RunError } from '../../features/runs/run-error.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import { traceAddress } from '../../features/trace-link.js';
import { describePasses, passesOf } from './passes.js';
import { statusWord } from './run-facts.js';
import { SamplesList } from './samples-list.js';
import { ScorerList } from './scorer-list.js';
import { useSamples } from './use-run.js';

interface ResultRegionProps {
  item: EvalItem;
  runId: string;
  /** Left out while it is awaited. */
  run: EvalRunResource | undefined;
  onClose(): void;
}

/** One result of a run: what was expected and what came, with what was thought of it. */
export function ResultRegion({ item, runId, run, onClose }: ResultRegionProps) {
  const [mode, setMode] = useState<DiffMode>('words');
  const { input, expected, output, error, score_reason: reason, trace_id: trace } = item;
  const samples = useSamples(runId, item);
  const isOfSeveral = Object.keys(item.scores).length > 1;
  return (
    <RowRegion
      title="Result"
      shown={item.datapoint_id}
      onClose={onClose}
      actions={
        <>
          {run !== undefined && <DatapointActions datasetId={run.dataset_id} id={item.datapoint_id} />}
          {trace !== null && <Link to={traceAddress(trace)}>Open trace</Link>}
        </>
      }
    >
      <FactList label="Result facts" facts={resultFacts(item, run?.pass_score ?? 1)} />
      {error !== null && <RunError>{error}</RunError>}
      {isOfSeveral && <ScorerList scores={item.scores} />}
      {!isOfSeveral && samples === null && reason !== null && (
        <p role="group" aria-label="Reason of the score" dir="auto">
          {reason}
        </p>
      )}
      {samples !== null && <SamplesList samples={samples} />}
      <h3>Input</h3>
      <RecordedInput value={input} />
      <h3>{samples === null ? 'Expected and output' : 'Expected and the first output'}</h3>
      {expected !== null && output !== null ? (
        <ChoiceGroup<DiffMode> label="Diff" choices={DIFF_MODES} value={mode} onChange={setMode} />
      ) : (
        <p>{withoutText(item)}</p>
      )}
      <DiffView beforeName="Expected" afterName="Output" before={expected} after={output} mode={mode} />
    </RowRegion>
  );
}

/** Why there are no two texts to compare. */
function withoutText({ expected, output, status }: EvalItem): string {
  if (expected === null)
    return output === null ? 'Nothing is expected, and there is no output.' : 'Nothing is expected.';
  return status === 'pending' || status === 'running' ? 'There is no output yet.' : 'There is no output.';
}

function resultFacts(item: EvalItem, passScore: number): Fact[] {
  const { latency_ms: ms, judge_model: judge, metadata } = item;
  const passes = passesOf(item, passScore);
  return [
    { name: 'Status', value: statusWord(item) },
    { name: 'Score', value: formatScore(item.score), exact: String(item.score ?? '') },
    ...(passes === null ? [] : [{ name: 'Passed', value: describePasses(passes) }]),
    { name: 'Latency', value: formatDuration(ms), exact: formatDurationExactly(ms) },
    { name: 'Tokens', value: formatCount(item.tokens) },
    { name: 'Cost', value: formatCost(item.cost), exact: formatCostExactly(item.cost) },
    { name: 'Attempts', value: formatCount(item.attempts) },
    ...(judge === null ? [] : [{ name: 'Judge', value: judge }]),
    ...(metadata === null ? [] : [{ name: 'Metadata', value: JSON.stringify(metadata) }]),
  ];
}
