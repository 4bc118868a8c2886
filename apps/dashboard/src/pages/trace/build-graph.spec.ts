import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { buildGraph, GRAPH_NODES_MAX, stepInGraph } from './build-graph.js';
import { anySpans, spanOf } from './fixtures/spans.js';
import { layOutTimes } from './span-times.js';
import { buildSpanTree } from './span-tree.js';
import type { TraceSpan } from '../../features/trace-span.js';

const graphOf = (spans: readonly TraceSpan[]) => {
  const tree = buildSpanTree(spans);
  return buildGraph(tree, layOutTimes(tree, 0));
};
const written = (spans: readonly TraceSpan[]) => {
  const { nodes, edges } = graphOf(spans);
  return {
    nodes: nodes.map(({ type, name, places, column }) => `${column} ${type} ${name} ×${places.length}`),
    edges: edges.map(({ from, to, count }) => `${nodes[from]!.name} → ${nodes[to]!.name} ×${count}`),
  };
};

const agent = (id: string, parent: string | null, from: number, to: number, name: string) =>
  spanOf(id, parent, from, to, { kind: { type: 'custom', kind: 'agent', name } });
const call = (id: string, parent: string | null, from: number, cost: number | null, more = {}) =>
  spanOf(id, parent, from, from + 1, {
    ...{ kind: { type: 'llm_call', model: 'gpt' }, metadata: cost === null ? {} : { cost } },
    ...more,
  });
const tool = (id: string, parent: string | null, from: number, name: string) =>
  spanOf(id, parent, from, from + 1, { kind: { type: 'tool_call', name } });

describe('buildGraph', () => {
  const nested = [
    agent('root', null, 0, 100, 'planner'),
    call('1', 'root', 1, 0.5),
    tool('2', 'root', 3, 'search'),
    call('3', 'root', 5, 0.25),
    agent('sub', 'root', 10, 40, 'writer'),
    call('4', 'sub', 11, 1),
    agent('again', 'sub', 20, 30, 'writer'),
    call('5', 'again', 21, null, { status: { failed: { error: 'no' } } }),
  ];

  it('has nested agents, what they called and how often, in the order of first use', () => {
    expect(written(nested)).toEqual({
      nodes: ['0 agent planner ×1', '1 llm_call gpt ×4', '1 tool_call search ×1', '1 agent writer ×2'],
      edges: [
        ...['planner → gpt ×2', 'planner → search ×1', 'planner → writer ×1'],
        ...['writer → gpt ×2', 'writer → writer ×1'],
      ],
    });
  });

  it('sums costs with all below, and the time of an agent within itself once', () => {
    const sums = graphOf(nested).nodes.map(({ name, cost, time, errors }) => [name, cost, time, errors]);
    expect(sums).toEqual([
      ['planner', 1.75, 100, 0],
      ['gpt', 1.75, 4, 1],
      ['search', null, 1, 0],
      ['writer', 1, 30, 0],
    ]);
  });

  it('leads from one to the next where spans have no parents', () => {
    const flat = [call('1', null, 0, null), tool('2', null, 2, 'search'), call('3', null, 4, null)];
    expect(written([...flat, call('4', null, 6, null)])).toEqual({
      nodes: ['0 llm_call gpt ×3', '1 tool_call search ×1'],
      edges: ['gpt → search ×1', 'search → gpt ×1'],
    });
  });

  it('has steps where there is no agent, and spans without a name', () => {
    const spans = [spanOf('a', null, 0, 9), spanOf('b', 'a', 1, 2, { name: '' }), tool('c', 'a', 3, '')];
    expect(written(spans).nodes).toEqual(['0 custom a ×1', '1 custom Untitled span ×1', '1 tool_call c ×1']);
    expect(graphOf([])).toMatchObject({ nodes: [], edges: [], more: 0 });
  });

  it('shows so many nodes of ten thousand spans, and counts the others', () => {
    const spans = Array.from({ length: 10_000 }, (_, n) =>
      spanOf(`s${n}`, n === 0 ? null : `s${n - (n % 10)}`, n, n + 1, { name: n % 10 === 0 ? `step ${n}` : 'call' }),
    );
    const graph = graphOf(spans);
    expect(graph.nodes).toHaveLength(GRAPH_NODES_MAX);
    expect(graph.more).toBe(1_001 - GRAPH_NODES_MAX);
    expect(graph.nodes.find(({ name }) => name === 'call')!.places).toHaveLength(9_000);
  });

  it('has every span in a node and every node within reach of the keys, whatever the parents', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const graph = graphOf(spans);
        expect(graph.nodes.flatMap(({ places }) => places).toSorted((a, b) => a - b)).toEqual(
          spans.map((_, place) => place),
        );
        const reached = new Set(spans.length > 0 ? [0] : []);
        for (const at of reached)
          for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'])
            reached.add(stepInGraph(graph, at, key));
        expect(reached.size).toBe(graph.nodes.length);
      }),
    );
  });
});
