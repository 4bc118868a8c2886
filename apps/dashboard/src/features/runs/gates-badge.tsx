import type { EvalRunSummary } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { Badge } from '../../components/badge.js';
import { describeGates } from '../gates/gate-words.js';

/** Whether the gates of a run hold: `Passed, all hold`, `Not passed, 1 of 2 hold`. */
export function GatesBadge({ run: { gates, passed } }: { run: Pick<EvalRunSummary, 'gates' | 'passed'> }) {
  const words = describeGates(gates);
  if (words === null) return <>{NONE}</>;
  if (passed === null) return <Badge>{words}</Badge>;
  return <Badge tone={passed ? 'ok' : 'failed'}>{passed ? 'Passed' : `Not passed, ${words.toLowerCase()}`}</Badge>;
}
