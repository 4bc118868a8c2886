import { describe, expect, it } from '@jest/globals';
import { mainLine, type LineSpan } from './find-talks.js';

type Given = [id: string, parent: string | null, name: string, kind?: string];

/** Spans in the order of their starts; without a kind a call of a model. */
function lineOf(spans: readonly Given[]): string[] {
  const rows = spans.map(([id, parentId, name, kind], startedAt): LineSpan => ({
    ...{ id, parentId, name, startedAt, kindType: kind === undefined ? 'llm_call' : 'custom' },
    kind: JSON.stringify(kind === undefined ? { type: 'llm_call' } : { type: 'custom', kind }),
  }));
  const calls = rows.filter(({ kindType }) => kindType === 'llm_call').toReversed();
  return mainLine(calls, new Map(rows.map((row) => [row.id, row]))).map(({ id }) => id);
}

describe('the main line of a trace', () => {
  it.each<[string, Given[], string[]]>([
    [
      'of the OpenAI Agents SDK is without its guardrails',
      [
        ['root', null, 'Agent workflow', 'custom'],
        ['in', 'root', 'Relevance Guardrail', 'guardrail'],
        ['in-agent', 'in', 'Relevance check', 'agent'],
        ['in-call', 'in-agent', 'response'],
        ['agent', 'root', 'Support', 'agent'],
        ['first', 'agent', 'response'],
        ['tool', 'agent', 'lookup', 'tool'],
        ['second', 'agent', 'response'],
        ['out', 'root', 'check_output', 'guardrail'],
        ['out-call', 'out', 'response'],
      ],
      ['first', 'second'],
    ],
    [
      'of LangGraph is without the node that grades',
      [
        ['root', null, 'LangGraph', 'chain'],
        ['agent', 'root', 'agent', 'chain'],
        ['asked', 'agent', 'ChatOpenAI'],
        ['node', 'root', 'hallucination_grader', 'chain'],
        ['sequence', 'node', 'RunnableSequence', 'chain'],
        ['graded', 'sequence', 'ChatOpenAI'],
      ],
      ['asked'],
    ],
    [
      'of LlamaIndex is without its evaluator',
      [
        ['root', null, 'RetrieverQueryEngine.query', 'chain'],
        ['answer', 'root', 'OpenAI.chat'],
        ['evaluate', null, 'FaithfulnessEvaluator.aevaluate', 'evaluator'],
        ['judged', 'evaluate', 'OpenAI.achat'],
      ],
      ['answer'],
    ],
    [
      'of an open telemetry trace is without the judge and the title',
      [
        ['answer', 'gone', 'chat gpt-4o'],
        ['judge', 'gone', 'llm_judge: helpfulness'],
        ['title', 'gone', 'generateTitle'],
      ],
      ['answer'],
    ],
    [
      'of a trace that is an evaluation is all of it',
      [
        ['root', null, 'evaluate-answer', 'custom'],
        ['draft', 'root', 'chat'],
        ['final', 'root', 'chat'],
      ],
      ['draft', 'final'],
    ],
    [
      'of judges alone is theirs',
      [
        ['a', null, 'judge a'],
        ['b', null, 'judge b'],
      ],
      ['a', 'b'],
    ],
  ])('%s', (_what, spans, expected) => {
    expect(lineOf(spans)).toEqual(expected);
  });
});
