import { expect, it } from '@jest/globals';
import { newSpanId, newTraceId } from './ids.js';

it('ids are hex digits of the length that traceparent carries, no two alike', () => {
  const spans = Array.from({ length: 5_000 }, newSpanId);
  const traces = Array.from({ length: 5_000 }, newTraceId);
  expect(spans.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
  expect(traces.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
  expect(new Set([...spans, ...traces]).size).toBe(10_000);
});
