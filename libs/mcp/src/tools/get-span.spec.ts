import { describe, expect, it } from '@jest/globals';
import type { CallerApi } from '@spandrel/http';
import { getSpan } from './get-span.js';
import type { LastText } from './tool.js';

/** An API with one span, which counts how often it was read whole. */
function apiWith(span: { input: string; stamp: number }) {
  const asked = { whole: 0 };
  const api = {
    projectId: 'p',
    call: async ({ operation }: { operation: string }) => {
      if (operation === 'listSpans') return { spans: [{ id: 's', stamp: span.stamp }] };
      asked.whole++;
      return { id: 's', input: span.input };
    },
  } as unknown as CallerApi;
  return { api, asked };
}

describe('get_span', () => {
  it('reads a text once for its pieces, and again when the span has changed', async () => {
    const span = { input: 'abcdef', stamp: 1 };
    const { api, asked } = apiWith(span);
    const lastText: LastText = {};
    const piece = async (offset: number, projectId = 'p'): Promise<string> => {
      const context = { api: { ...api, projectId } as CallerApi, maxChars: 2_000, lastText, empty: [] };
      return JSON.parse(await getSpan.answer({ span_id: 's', field: 'input', offset, chars: 3 }, context)).text;
    };
    expect([await piece(0), await piece(3), asked.whole]).toEqual(['abc', 'def', 1]);
    Object.assign(span, { input: 'uvwxyz', stamp: 2 });
    expect([await piece(3), asked.whole]).toEqual(['xyz', 2]);
    // Another project never gets what this one has read.
    expect([await piece(0, 'q'), asked.whole]).toEqual(['uvw', 3]);
  });
});
