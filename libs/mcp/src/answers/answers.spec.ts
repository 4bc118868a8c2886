/** No answer is longer than what was asked for, whatever is in it. */
import { describe, expect, it } from '@jest/globals';
import type { SpanOutline, SpanResource, TimeSeriesAnswer, TraceListItem } from '@spandrel/contract';
import { Invalid } from '@spandrel/kernel';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { MAX_CHARS_MAX, MAX_CHARS_MIN } from '../arguments/argument-schema.js';
import { fitList, fitParts } from './fit.js';
import { fitOutline } from '../tools/get-trace.js';
import { fitSeries } from '../tools/get-analytics.js';
import { slim } from './slim.js';
import { fieldOf, fitPiece, fitSpan, SPAN_FIELDS } from '../tools/get-span.js';
import { wholeText } from './cut-text.js';

const maxChars = fc.oneof(
  fc.constantFrom(MAX_CHARS_MIN, 2_001, 20_000, MAX_CHARS_MAX),
  fc.integer({ min: MAX_CHARS_MIN, max: MAX_CHARS_MAX }),
);

/** Texts from a few characters to far more than an answer has; some are six times as long in JSON. */
const longText = fc
  .tuple(fc.constantFrom('a', '"', '\0', '😀', '\ud800', 'word '), fc.oneof(fc.nat(300), fc.nat(150_000)))
  .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length)));
const payload = fc.oneof(
  longText,
  longText.map((text) => ({ messages: [{ role: 'user', content: text }] })),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 3_000 }),
);
const id = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,128}$/);

const outcome = (answer: () => string): string => {
  try {
    return answer();
  } catch (error) {
    // What does not fit at all is refused in a sentence that names how much it takes.
    expect(error).toBeInstanceOf(Invalid);
    return (error as Error).message;
  }
};

const span = fc
  .record({
    id,
    trace_id: id,
    parent_id: fc.option(id),
    name: fc.string({ maxLength: 2_000, unit: anyCharacter }),
    input: payload,
    output: payload,
    error: fc.option(longText),
    metadata: fc.oneof(
      fc.constant({}),
      longText.map((text) => ({ text })),
    ),
    kind: longText.map((text) => ({ type: 'custom', text })),
  })
  .map((members): SpanResource => ({
    ...members,
    status: 'completed',
    started_at: '2026-11-20T09:00:00.000Z',
    ended_at: null,
  }));

describe('a span', () => {
  it('fits with the beginnings of its fields and the calls that read on', async () => {
    await fc.assert(
      fc.asyncProperty(span, maxChars, async (read, chars) => {
        const text = await fitSpan(read, chars);
        expect(text.length).toBeLessThanOrEqual(chars);
        const shown = JSON.parse(text) as Record<string, never>;
        for (const field of SPAN_FIELDS) {
          const value = fieldOf(read, field);
          const cut = shown[`${field}_cut`] as { text: string; total_chars: number; read_on: unknown } | undefined;
          if (value === undefined) expect([shown[field], cut]).toEqual([undefined, undefined]);
          else if (cut === undefined) expect(shown[field]).toEqual(JSON.parse(JSON.stringify(value)));
          else {
            const whole = wholeText(value).text;
            expect(whole.startsWith(cut.text)).toBe(true);
            expect(cut.total_chars).toBe(whole.length);
            expect(cut.read_on).toEqual({
              tool: 'get_span',
              arguments: { span_id: read.id, field, offset: cut.text.length },
            });
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is read whole, piece by piece', () => {
    fc.assert(
      fc.property(
        span,
        fc.constantFrom('input', 'output', 'error'),
        fc.constantFrom(2_000, 19_999),
        (read, field, chars) => {
          let together = '';
          for (let offset: number | null = 0; offset !== null;) {
            const text = fitPiece(wholeText(fieldOf(read, field)), {
              spanId: read.id,
              field,
              offset,
              chars: undefined,
              maxChars: chars,
            });
            expect(text.length).toBeLessThanOrEqual(chars);
            const piece = JSON.parse(text) as { text: string; next_offset: number | null };
            together += piece.text;
            offset = piece.next_offset;
          }
          expect(together).toBe(wholeText(fieldOf(read, field)).text);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('a list', () => {
  const item = fc.record({
    id,
    session_id: fc.option(fc.string({ maxLength: 128, unit: anyCharacter })),
    name: longText,
    tags: fc.array(longText, { maxLength: 30 }),
    nothing: fc.constant(null),
  });

  it('fits, and its cursor goes on behind the last item that is shown', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 30 }),
        fc.integer({ min: 1, max: 100 }),
        maxChars,
        async (items, limit, chars) => {
          const seen: string[] = [];
          for (let cursor: number | null = 0; cursor !== null;) {
            const from: number = cursor;
            const read = async (most: number) => {
              const end = Math.min(from + most, items.length);
              return { items: items.slice(from, end), nextCursor: end < items.length ? String(end) : null };
            };
            const text = await fitList({ name: 'items', limit, maxChars: chars, read });
            expect(text.length).toBeLessThanOrEqual(chars);
            const page = JSON.parse(text) as { items: { id: string }[]; next_cursor: string | null };
            expect(page.items.length > 0 || items.length === 0).toBe(true);
            seen.push(...page.items.map((shown) => shown.id));
            cursor = page.next_cursor === null ? null : Number(page.next_cursor);
          }
          expect(seen).toEqual(items.map((each) => each.id));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('of which not even one item fits is refused with what it takes', async () => {
    const read = async () => ({
      items: [Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}_id`, 'x'.repeat(100)]))],
      nextCursor: null,
    });
    await expect(fitList({ name: 'items', limit: 1, maxChars: 2_000, read })).rejects.toThrow(
      'max_chars must be at least 3352 for this answer',
    );
    expect(await fitList({ name: 'items', limit: 1, maxChars: 3_352, read })).toHaveLength(3_352);
  });
});

describe('the outline of a trace', () => {
  const spans = fc.array(
    fc.record({ parent: fc.nat(200), name: longText, error: fc.option(longText), failed: fc.boolean() }),
    { maxLength: 300 },
  );

  it('fits, with whole levels from the top', () => {
    fc.assert(
      fc.property(spans, longText, fc.option(fc.nat(5), { nil: undefined }), maxChars, (drawn, name, depth, chars) => {
        const outlines = drawn.map(({ parent, failed, ...members }, at): SpanOutline => ({
          id: `s${at}`,
          trace_id: 't',
          parent_id: parent < at ? `s${parent}` : parent === at ? `s${at}` : null,
          kind: { type: 'custom' },
          status: failed ? { failed: { error: 'x' } } : 'completed',
          started_at: '2026-11-20T09:00:00.000Z',
          ended_at: null,
          metadata: { duration_ms: 1 },
          ...{ input_bytes: 0, output_bytes: 0, input_preview: null, output_preview: null },
          ...members,
        }));
        const trace = {
          id: 't',
          name,
          tags: [],
          metadata: {},
          span_count: outlines.length,
        } as unknown as TraceListItem;
        const text = fitOutline({ trace, spans: outlines, depth, ranked: false, maxChars: chars });
        expect(text.length).toBeLessThanOrEqual(chars);
        const shown = JSON.parse(text) as { spans: { id: string; depth: number }[]; left_out?: number };
        expect(shown.spans.length + (shown.left_out ?? 0)).toBe(outlines.length);
        const deepest = Math.max(0, ...shown.spans.map((each) => each.depth));
        if (depth !== undefined) expect(deepest).toBeLessThanOrEqual(depth);
        expect(new Set(shown.spans.map((each) => each.id)).size).toBe(shown.spans.length);
      }),
      { numRuns: 60 },
    );
  });

  it('has each span behind its parent, once, also where spans are one another’s parents', () => {
    const outline = (spanId: string, parent_id: string | null): SpanOutline =>
      ({ id: spanId, parent_id, kind: { type: 'custom' }, status: 'running', metadata: {} }) as unknown as SpanOutline;
    const spans = [
      outline('a', null),
      outline('b', 'gone'),
      outline('c', 'a'),
      outline('d', 'e'),
      outline('e', 'd'),
      outline('f', 'c'),
    ];
    const trace = { id: 't', metadata: {}, span_count: 6 } as unknown as TraceListItem;
    const { spans: shown } = JSON.parse(
      fitOutline({ trace, spans, depth: undefined, ranked: false, maxChars: 2_000 }),
    ) as {
      spans: { id: string; depth: number }[];
    };
    expect(shown.map(({ id: spanId, depth }) => `${spanId}${depth}`)).toEqual(['a0', 'c1', 'f2', 'b0', 'd0', 'e1']);
  });
});

describe('an answer of several parts', () => {
  it('fits, and names what it leaves out', () => {
    fc.assert(
      fc.property(longText, fc.array(payload, { maxLength: 5 }), maxChars, (first, others, chars) => {
        const parts = others.map((value, at) => ({ name: `part${at}`, value }));
        const text = outcome(() => fitParts([{ name: 'first', value: { first } }, ...parts], chars));
        expect(text.length).toBeLessThanOrEqual(chars);
        const { left_out = {}, ...shown } = JSON.parse(text) as { left_out?: object };
        expect([...Object.keys(shown), ...Object.keys(left_out)].toSorted()).toEqual([
          'first',
          ...parts.map(({ name }) => name),
        ]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a time series', () => {
  type Bucket = TimeSeriesAnswer['buckets'][number];
  const PARTS = { input_tokens: 4, output_tokens: 6, cached_input_tokens: 0, finished_count: 2 };
  const sums = { span_count: 2, cost: 0.1, unpriced_count: 0, tokens: 10, avg_latency_ms: 1, error_count: 1, ...PARTS };

  it('fits: its newest buckets, and what all of them come to', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(20), maxChars, (count, models, chars) => {
        const series = Array.from({ length: models }, (_, at) => ({
          key: `model-${at}-${'x'.repeat(at * 20)}`,
          ...sums,
        }));
        const buckets: Bucket[] = Array.from({ length: count }, (_, at) => ({
          timestamp: new Date(at * 86_400_000).toISOString(),
          ...sums,
          series,
        }));
        const totals = { ...sums, span_count: count * 2, series };
        const score = {
          name: 'tone',
          count: 2,
          mean: 0.5,
          min: 0,
          max: 1,
          labels: { kind: 1, ['y'.repeat(models)]: 1 },
        };
        const scores = buckets.map(({ timestamp }) => ({ timestamp, ...score }));
        const scored = fitSeries({ buckets, totals }, chars, scores);
        expect(scored.length).toBeLessThanOrEqual(chars);
        const { scores: newest, scores_left_out: older = 0 } = JSON.parse(scored) as {
          scores: typeof scores;
          scores_left_out?: number;
        };
        expect(newest.length + older).toBe(count);
        expect(newest.at(-1)?.timestamp).toBe(newest.length > 0 ? scores.at(-1)!.timestamp : undefined);
        const text = fitSeries({ buckets, totals }, chars);
        expect(text.length).toBeLessThanOrEqual(chars);
        const shown = JSON.parse(text) as { total: typeof sums; buckets: Bucket[]; buckets_left_out?: number };
        expect(shown.total).toMatchObject({ span_count: count * 2, error_count: 1, tokens: 10 });
        expect(shown.buckets.length + (shown.buckets_left_out ?? 0)).toBe(count);
        expect(shown.buckets.at(-1)?.timestamp).toBe(shown.buckets.length > 0 ? buckets.at(-1)!.timestamp : undefined);
      }),
      { numRuns: 40 },
    );
  });

  it('has the sums of each model, and null for a cost that nobody knows', () => {
    const series = [
      { key: 'a', ...sums },
      { key: 'b', ...sums, cost: null, unpriced_count: 2 },
    ];
    const { models } = JSON.parse(fitSeries({ buckets: [], totals: { ...sums, series } }, 2_000)) as {
      models: object[];
    };
    expect(models).toEqual([
      { model: 'a', ...(slim(sums) as object) },
      { model: 'b', ...(slim({ ...sums, cost: null, unpriced_count: 2 }) as object) },
    ]);
  });
});
