import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ImportBundleResult, Problem, ScoreResource, SpanResource, TraceResource } from '@spandrel/contract';
import { TransferSettings } from '@spandrel/transfer';
import { changedBundle, madeBundle, openBundle } from './bundle-parts.ts';
import type { TransferServer } from './transfer-server.ts';

const HOSTILE = `</script><script>alert(1)</script><!-- \u2028\u2029 ]]> &amp;`;

/** Traces as one file, out and in again (docs/replay.md#one-file). */
export function bundles(server: () => TransferServer): void {
  let from = '';
  let file = '';

  const download = async (project: string, id: string, query = '') => {
    const answer = await fetch(`${server().url}/api/traces/${id}/bundle?${query}`, {
      headers: { 'x-test-project': project },
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const send = async (project: string, body: string, type = 'text/html') => {
    const answer = await fetch(`${server().url}/api/import/bundle`, {
      ...{ method: 'POST', headers: { 'x-test-project': project, 'content-type': type }, body },
    });
    return { status: answer.status, body: (await answer.json()) as ImportBundleResult & Problem };
  };
  const call = <Body>(project: string, method: string, path: string, body?: unknown): Promise<Body> =>
    server().call<Body>(project, method, path, body);
  const shown = async (project: string, id: string) => {
    const { trace, spans } = await call<{ trace: TraceResource; spans: SpanResource[] }>(
      ...([project, 'GET', `/api/traces/${id}`] as const),
    );
    const { scores } = await call<{ scores: ScoreResource[] }>(project, 'GET', `/api/scores?trace_id=${id}`);
    return { trace, spans, scores };
  };
  const record = async (project: string, id: string): Promise<void> => {
    await call(project, 'POST', '/api/traces', { id, name: HOSTILE, tags: ['prod'], metadata: { HOSTILE } });
    const kind = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 10, output_tokens: 5 };
    await call(project, 'POST', '/api/spans', {
      ...{ id: `${id}-call`, trace_id: id, name: 'call', kind, input: [{ role: 'user', content: HOSTILE }] },
      metadata: { seed: 1 },
    });
    await call(project, 'POST', `/api/spans/${id}-call/complete`, { output: { text: 'Noon.' } });
    await call(project, 'POST', '/api/spans', {
      id: `${id}-tool`,
      trace_id: id,
      parent_id: `${id}-call`,
      name: 'tool',
    });
    await call(project, 'POST', `/api/spans/${id}-tool/fail`, { error: HOSTILE });
    await call(project, 'POST', '/api/scores', { name: 'tone', value: 0.5, span_id: `${id}-call`, comment: HOSTILE });
  };

  describe('a trace as one file', () => {
    beforeAll(async () => {
      from = server().project();
      await record(from, 'one');
      await record(from, 'two');
      const { status, text, headers } = await download(from, 'one');
      expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="trace-one.html"']);
      file = text;
    });

    it('holds the trace with its texts and scores, each part with its digest', async () => {
      const { manifest, parts } = openBundle(file);
      expect(manifest).toMatchObject({ format: 1, masked: false, traces: [{ id: 'one', name: HOSTILE }] });
      expect(manifest.parts.map(({ name }) => name)).toEqual(['trace-0', 'export', 'datapoints']);
      const { spans, scores } = await shown(from, 'one');
      const exported = JSON.parse(parts['export']!) as { spans: (SpanResource & { cost: object })[] };
      expect(exported.spans.map(({ cost: _cost, ...span }) => span)).toEqual(spans);
      expect(exported.spans[0]!.cost).toMatchObject({ total: expect.any(Number) });
      expect(JSON.parse(parts['trace-0']!)).toMatchObject({ count: 2, spans: [{ id: 'one-call' }, {}], scores });
    });

    it('cannot be broken out of by what was recorded', () => {
      const elements = file.match(/<\/?script\b/g)!;
      // Each part, the manifest, the scripts of the page itself: all in pairs.
      expect(elements).toHaveLength(2 * (3 + 1 + 3 + 1));
      expect(file).not.toContain('<script>alert');
      expect(file).toMatch(
        /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/,
      );
    });

    it('comes back on an empty server as it was, with the tag imported, twice the same', async () => {
      const to = server().project();
      const { status, body } = await send(to, file);
      expect([status, body.detail, body.rejected]).toEqual([200, undefined, []]);
      expect(body).toMatchObject({ trace_ids: ['one'], imported: { traces: 1, spans: 2, scores: 1 } });
      const before = await shown(from, 'one');
      const expected = { ...before, trace: { ...before.trace, tags: ['imported', 'prod'] } };
      expect(await shown(to, 'one')).toEqual(expected);
      expect((await send(to, file)).status).toBe(200);
      expect(await shown(to, 'one')).toEqual(expected);
      const again = openBundle((await download(to, 'one')).text);
      expect(JSON.parse(again.parts['export']!).spans).toEqual(JSON.parse(openBundle(file).parts['export']!).spans);
    });

    it('holds several traces, in the order that they were asked for', async () => {
      const { text } = await download(from, 'two', 'with=one&with=two');
      const { manifest, parts } = openBundle(text);
      expect(manifest.traces.map(({ id }) => id)).toEqual(['two', 'one']);
      expect(JSON.parse(parts['trace-1']!)).toMatchObject({ trace: { id: 'one' } });
      const to = server().project();
      expect((await send(to, text)).body).toMatchObject({
        trace_ids: ['two', 'one'],
        imported: { traces: 2, spans: 4 },
      });
    });

    it('has the datapoints that were made from its spans', async () => {
      const { id } = await call<{ id: string }>(from, 'POST', '/api/datasets', { name: 'set' });
      await call(from, 'POST', `/api/datasets/${id}/export-spans`, { span_ids: ['one-call'] });
      const { parts } = openBundle((await download(from, 'one')).text);
      expect(JSON.parse(parts['datapoints']!)).toMatchObject([
        { dataset_id: id, dataset_name: 'set', trace_id: 'one', source_span_id: 'one-call' },
      ]);
      expect(openBundle((await download(from, 'two')).text).parts['datapoints']).toBe('[]');
    });

    it('holds all scores of a trace, however many there are', async () => {
      const project = server().project();
      await record(project, 'much');
      const ids = Array.from({ length: 2_001 }, (_, n) => `score-${n}`);
      const scores = ids.map((id, n) => ({ id, name: 'tone', value: n, trace_id: 'much' }));
      await call(project, 'POST', '/api/ingest', { scores });
      const { parts } = openBundle((await download(project, 'much')).text);
      const exported = JSON.parse(parts['export']!) as { scores: ScoreResource[] };
      expect(new Set(exported.scores.map(({ id }) => id)).size).toBe(ids.length + 1);
    });

    it('is refused where there is no such trace, there are no rules to mask by, or it is too large', async () => {
      expect((await download(from, 'gone')).status).toBe(404);
      expect((await download(from, 'one', 'with=gone')).status).toBe(404);
      expect(JSON.parse((await download(from, 'one', 'mask=true')).text)).toMatchObject({
        ...{ status: 400, code: 'validation_failed', errors: [{ path: 'mask' }] },
      });
      const settings = server().app.get(TransferSettings);
      const max = settings.bundleBytes;
      settings.bundleBytes = 100;
      const { text } = await download(from, 'one');
      settings.bundleBytes = max;
      expect(JSON.parse(text)).toMatchObject({ status: 422, code: 'range_too_large' });
      expect(JSON.parse(text).detail).toMatch(
        /^the texts of the trace are \d+ bytes, more than 100 \(limits\.bundle_bytes\)/,
      );
    });

    it('is masked by the rules that the project has now', async () => {
      const api = server().api;
      const { body: local } = await api.get<{ project_id: string }>('/api/masking');
      await api.post('/api/traces', { id: 'masked', name: 'of anna@example.com' });
      await api.post('/api/spans', {
        id: 'm',
        trace_id: 'masked',
        name: 's',
        input: 'anna@example.com',
        metadata: { n: 1 },
      });
      await api.post('/api/spans/m/complete', { output: 'Dear anna@example.com' });
      await api.post('/api/scores', { name: 'tone', value: 1, span_id: 'm', comment: 'said anna@example.com' });
      const masking = `/api/projects/${local.project_id}/masking`;
      const { status } = await api.send('PUT', masking, { rules: [{ masker: 'email' }] });
      expect(status).toBe(200);
      const answer = await fetch(`${server().url}/api/traces/masked/bundle?mask=true`);
      const { manifest, parts } = openBundle(await answer.text());
      await api.send('PUT', masking, { rules: [] });
      expect(manifest).toMatchObject({ masked: true, traces: [{ name: expect.stringMatching(/^of \[/) }] });
      expect(Object.values(parts).join('')).not.toContain('anna@example.com');
      expect(JSON.parse(parts['export']!).spans[0].output).toMatch(/^Dear \[/);
    });

    it.each(['trace-0', 'export', 'datapoints'])('is refused when its part %s was changed', async (part) => {
      const { status, body } = await send(server().project(), changedBundle(file, part));
      expect([status, body.code, body.errors?.[0]?.path]).toEqual([400, 'validation_failed', `parts.${part}`]);
      expect(body.detail).toContain(`the part "${part}" was changed after the file was made`);
    });

    it.each([
      [
        'of a newer version',
        madeBundle('{}', { format: 2, version: '9.9.9' }),
        400,
        /9\.9\.9 in format 2; .* update it/,
      ],
      ['without a part', madeBundle('{}', { parts: [] }), 400, /"export" was changed/],
      ['with a part too few', file.replace(/data-part="export"/, 'data-part="x"'), 400, /no file of traces/],
      ['that is another page', '<!doctype html><p>Hello', 400, /no file of traces .*: it has no manifest/],
      ['with a manifest that is none', '<script type="text/plain" data-manifest>{"a"</script>', 400, /cannot be read/],
      ['with a manifest without end', `<script type="text/plain" data-manifest>${'['.repeat(2e6)}`, 400, /too long/],
      ['that is no export', madeBundle('{"version":1,"spans":[{"id":1}]}'), 400, /spans\[0\]/],
      ['that is nested without end', madeBundle(`{"version":1,"spans":[${'['.repeat(1e6)}`), 400, /./],
      ['that grows without end', madeBundle(' '.repeat(9 * 1024 * 1024)), 413, /larger than 8388608 bytes/],
    ])('is refused when it is one %s', async (_which, html, expected, message) => {
      const { status, body } = await send(server().project(), html);
      expect([status, body.detail]).toEqual([expected, expect.stringMatching(message)]);
    });

    it('brings traces alone, whatever else stands in it', async () => {
      const to = server().project();
      const trace = { id: 't', started_at: '2026-01-01T00:00:00Z' };
      const more = { views: [{ id: 'v' }], datasets: [{ id: 'd', name: 'set' }] };
      const content = JSON.stringify({ version: 1, traces: [trace], datasets: [] });
      expect((await send(to, madeBundle(content))).body.imported).toMatchObject({ traces: 1, datasets: 0 });
      const project = await server().export(server().project());
      expect(JSON.parse(project)).toMatchObject({ datasets: [] });
      expect((await send(to, madeBundle(JSON.stringify({ version: 1, ...more })))).status).toBe(400);
    });

    it('is taken as HTML alone', async () => {
      expect((await send(server().project(), file, 'application/json')).body.code).toBe('unsupported_media_type');
    });
  });
}
