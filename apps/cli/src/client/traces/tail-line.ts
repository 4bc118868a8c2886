import type { SpanOutline, SpanResource } from '@spandrel/contract';
import { oneLine } from '../output/clean-text.js';
import { cutText, padText } from '../output/cut-text.js';
import type { Output } from '../output/output.js';
import { statusStyle } from '../output/status-style.js';
import { costText, countText, durationText, timeText } from '../output/units.js';
import { amountsOf, kindText, statusOf } from '../spans/span-facts.js';

const KIND_COLUMNS = 24;

/** @returns the line of a span that ended, and one of its error. */
export function tailLines(
  span: SpanOutline | SpanResource,
  { isTerminal, width, paint }: Pick<Output, 'isTerminal' | 'width' | 'paint'>,
): string[] {
  const status = statusOf(span);
  const { durationMs, tokens, cost } = amountsOf(span);
  const at = timeText(span.ended_at, isTerminal);
  const kind = oneLine(kindText(span));
  const facts = [
    // The day is today, as a rule.
    isTerminal ? at.slice(-8) : at,
    paint(padText(status, 9), statusStyle(status)),
    padText(durationText(durationMs), 9, 'right'),
    padText(countText(tokens), 7, 'right'),
    padText(costText(cost), 9, 'right'),
    paint(span.trace_id, 'dim'),
    padText(isTerminal ? cutText(kind, KIND_COLUMNS) : kind, KIND_COLUMNS),
  ].join('  ');
  // What stands before is as wide as its parts and the gaps between them.
  const before = (isTerminal ? 8 : at.length) + 9 + 9 + 7 + 9 + span.trace_id.length + KIND_COLUMNS + 7 * 2;
  const name = oneLine(span.name);
  const line = `${facts}  ${width === undefined ? name : cutText(name, Math.max(12, width - before))}`.trimEnd();
  if (span.error === null) return [line];
  const error = `  ${oneLine(span.error)}`;
  return [line, paint(width === undefined ? error : cutText(error, width), 'red')];
}
