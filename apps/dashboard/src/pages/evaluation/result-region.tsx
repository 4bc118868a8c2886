import type { EvalItem } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ChoiceGroup } from '../../components/choice-group.js';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatCount } from '../../components/format/format-count.js';
import { formatDuration, formatDurationExactly } from '../../components/format/format-duration.js';
import type { Fact } from '../../features/facts/fact.js';
import { FactList } from '../../features/facts/fact-list.js';
import { DatapointActions } from '../../features/runs/datapoint-actions.js';
import { formatScore } from '../../features/runs/format-score.js';
import { RecordedInput } from '../../features/runs/recorded-input.js';
import { RowRegion } from '../../features/runs/row-region.js';
import { RunError } from '../../features/runs/run-error.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import { traceAddress } from '../../features/trace-link.js';
import { statusWord } from './run-facts.js';

interface ResultRegionProps {
  item: EvalItem;
  datasetId: string | undefined;
  onClose(): void;
}

/** One result of a run: what was expected and what came, with what was thought of it. */
export function ResultRegion({ item, datasetId, onClose }: ResultRegionProps) {
  const [mode, setMode] = useState<DiffMode>('words');
  const { input, expected, output, error, score_reason: reason, trace_id: trace } = item;
  return (
    <RowRegion
      title="Result"
      shown={item.datapoint_id}
      onClose={onClose}
      actions={
        <>
          {datasetId !== undefined && <DatapointActions datasetId={datasetId} id={item.datapoint_id} />}
          {trace !== null && <Link to={traceAddress(trace)}>Open trace</Link>}
        </>
      }
    >
      <FactList label="Result facts" facts={resultFacts(item)} />
      {error !== null && <RunError>{error}</RunError>}
      {reason !== null && (
        <p role="group" aria-label="Reason of the score" dir="auto">
          {reason}
        </p>
      )}
      <h3>Input</h3>
      <RecordedInput value={input} />
      <h3>Expected and output</h3>
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

function resultFacts(item: EvalItem): Fact[] {
  const { latency_ms: ms, judge_model: judge } = item;
  return [
    { name: 'Status', value: statusWord(item) },
    { name: 'Score', value: formatScore(item.score) },
    { name: 'Latency', value: formatDuration(ms), exact: formatDurationExactly(ms) },
    { name: 'Tokens', value: formatCount(item.tokens) },
    { name: 'Cost', value: formatCost(item.cost), exact: formatCostExactly(item.cost) },
    { name: 'Attempts', value: formatCount(item.attempts) },
    ...(judge === null ? [] : [{ name: 'Judge', value: judge }]),
  ];
}
