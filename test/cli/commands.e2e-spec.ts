/** The command line on HTTP: what each command shows, and how it ends (docs/cli.md). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import stringWidth from 'string-width';
import type { DatasetResource, ImportResult, SpanResource, TraceListItem } from '@spandrel/contract';
import { Api } from '../support/api.ts';
import { freePort } from '../support/ports.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';
import { CommandLine } from './command-line.ts';
import { record, RECORDED } from './recorded.ts';

/** @returns whether a text has controls that a terminal obeys, but line feeds and the colours that are the command's own. */
const isObeyed = (text: string): boolean =>
  /\p{Cc}/u.test(text.replaceAll('\n', '').replaceAll(/\p{Cc}\[[\d;]*m/gu, ''));

let port: number;
let spandrel: Spandrel;
let api: Api;
let cli: CommandLine;
/** Answers everything as some other program would, and counts. */
let stranger: Server;
let asked = 0;
const strangerUrl = () => `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;

beforeAll(async () => {
  port = await freePort();
  stranger = createServer((_req, res) => {
    asked++;
    res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Nothing here</h1>');
  });
  await Promise.all([
    startSpandrel({ port }).then((started) => (spandrel = started)),
    new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening)),
  ]);
  api = new Api(spandrel.apiUrl);
  cli = new CommandLine({ SPANDREL_API_URL: spandrel.apiUrl });
  await record(api);
});

afterAll(async () => {
  stranger?.close();
  await spandrel?.stop();
});

describe('lists', () => {
  it('show a line an item, whole where no person sits', async () => {
    const { code, out, err } = await cli.run(['traces', 'list']);
    expect([code, err]).toEqual([0, '']);
    const [titles, first, second, ...rest] = out.split('\n');
    expect(titles).toMatch(/^ID +STARTED +STATUS +DURATION +SPANS +TOKENS +COST +NAME +MODELS$/);
    expect(first).toMatch(
      /^trace-other +2026-11-20T09:00:05\.000Z +completed +1\.00 s +1 +1,234 +\$0\.50 +東京タワーの高さは何メートルですか +gpt-4o-mini$/,
    );
    expect(second).toMatch(/^trace-support .* failed +4\.00 s +3 +1,234 +\$0\.0123 +support chat +gpt-4o$/);
    expect(rest).toEqual(['']);
  });

  it('answer in JSON as the API does, with every digit', async () => {
    const { body } = await api.get('/api/traces?status=failed');
    expect(await cli.json(['traces', 'list', '--status', 'failed'])).toEqual(body);
    const { out } = await cli.run(['spans', 'list', '--model', 'gpt-4o-mini', '--json']);
    expect(out).toContain('"exact":12345678901234567890.10');
  });

  it('take every filter of the API by its name', async () => {
    const names = async (...argv: string[]) =>
      (await cli.json<{ spans: SpanResource[] }>(['spans', 'list', ...argv])).spans.map(({ id }) => id);
    expect(await names('--tag', 'prod', '--kind', 'tool_call')).toEqual([RECORDED.tool]);
    expect(await names('--cost-min', '0.1')).toEqual(['span-other']);
    expect(await names('--since', '2026-11-20T09:00:05Z')).toEqual(['span-other']);
    expect(await names('--since', '1s')).toEqual([]);
    expect((await cli.run(['spans', 'list', '--since', '1s'])).err).toBe('no spans\n');
    const score = ['scores', 'add', 'cost', '--span-id', 'span-other', '--value', '-0.5', '--source', 'human'];
    expect(await cli.json([...score, '--label', 'dear'])).toMatchObject({ name: 'cost', value: -0.5, label: 'dear' });
    expect((await cli.run(['scores', 'add', 'cost', '--span-id', 'span-other', '--value', '1'])).out).toMatch(
      /cost .*1 .*code .*span-other/,
    );
    expect((await cli.run(['scores', 'add', 'cost', '--span-id', 'span-other', '--value', 'x'])).code).toBe(2);
    expect((await cli.run(['scores', 'list', '--max-value', '0'])).out.split('\n')[1]).toMatch(/-0.5 .*dear .*human/);
    expect(await names('--score', 'cost<0', '--score', 'cost:dear')).toEqual(['span-other']);
    for (const list of ['spans', 'traces']) {
      const [titles, row] = (await cli.run([list, 'list', '--score', 'cost:dear', '--include', 'scores'])).out.split(
        '\n',
      );
      expect([titles, row]).toEqual([expect.stringMatching(/ SCORES$/), expect.stringMatching(/ cost dear$/)]);
    }
    const other = ['traces', 'show', 'trace-other'];
    expect((await cli.run(['scores', 'add', 'tone', '--trace-id', 'trace-other', '--label', 'kind'])).code).toBe(0);
    expect((await cli.run(other)).out).toMatch(/^Scores +tone kind\n[^]*\n +scores: cost 1, cost dear \(-0\.5\)$/m);
    expect((await cli.run([...other, '--span', 'span-other'])).out).toMatch(/^Scores +cost 1, cost dear \(-0\.5\)$/m);
    const { out } = await cli.run(['sessions', 'list', '--user-id', 'ada']);
    expect(out.split('\n')[1]).toMatch(/^s1 .* 1 .* 3 .* 1 .*ada$/);
  });

  it('come page by page, or all of them in one document', async () => {
    const { out, err } = await cli.run(['spans', 'list', '--limit', '2', '--view', 'outline']);
    expect(out.trim().split('\n')).toHaveLength(3);
    const [, cursor] = /there are more spans: .* --cursor (\S+)\n/.exec(err) ?? [];
    expect((await cli.run(['spans', 'list', '--limit', '2', '--cursor', cursor!])).out.trim().split('\n')).toHaveLength(
      3,
    );
    const all = await cli.json<{ spans: SpanResource[] }>(['spans', 'list', '--limit', '1', '--all']);
    expect(all).toEqual({ spans: await api.spans(), count: 4, next_cursor: null });
    expect((await cli.run(['spans', 'list', '--limit', '1', '--all'])).out.trim().split('\n')).toHaveLength(5);
  });

  it('show the beginnings of texts where they are asked for', async () => {
    const { out } = await cli.run(['traces', 'list', '--session-id', 's1', '--preview', '5']);
    expect(out).toMatch(/ INPUT +OUTPUT\n.* quest +answe\n$/);
    const spans = await cli.run(['spans', 'list', '--kind', 'custom', '--preview', '20']);
    expect(spans.out).toMatch(/ question +answer\n$/);
  });

  it('fit a terminal, in colours, and nothing that was recorded gets to it', async () => {
    for (const columns of [50, 90, 140]) {
      const { out } = await cli.run(['spans', 'list'], { terminal: columns });
      expect(out).toContain('\u001b[');
      expect(isObeyed(out)).toBe(false);
      for (const line of out.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
    const plain = await cli.run(['spans', 'list'], { terminal: 300, env: { NO_COLOR: '1' } });
    expect(plain.out).not.toContain('\u001b');
    expect(plain.out).toContain(String.raw`quota is used up \x1b]0;owned\x07\x1b[2J\x9b31m`);
    const json = await cli.run(['spans', 'list', '--json'], { terminal: 80 });
    expect(isObeyed(json.out)).toBe(false);
    expect((JSON.parse(json.out) as { spans: SpanResource[] }).spans).toHaveLength(4);
  });
});

describe('traces show', () => {
  const show = (...argv: string[]) => cli.run(['traces', 'show', RECORDED.trace, ...argv]);

  it('draws the tree with kinds, durations, tokens, costs and errors', async () => {
    const { code, out } = await show();
    expect(code).toBe(0);
    expect(out).toMatch(/^Trace +trace-support\nName +support chat\nStatus +failed\n/);
    expect(out).toMatch(/^Spans +3, 1 failed$/m);
    const lines = out.slice(out.indexOf('\n\n') + 2).split('\n');
    expect(lines[1]).toMatch(/^answer +custom +completed +4\.00 s +span-root$/);
    expect(lines[2]).toMatch(/^├─ gpt-4o +llm_call gpt-4o +completed +2\.00 s +1,234 +\$0\.0123 +span-call$/);
    expect(lines[3]).toMatch(/^└─ search +tool_call +failed +1\.00 s +span-tool$/);
    expect(lines[4]).toBe(String.raw`      error: quota is used up \x1b]0;owned\x07\x1b[2J\x9b31m`);
  });

  it('shows beginnings of texts, less of the tree, and fits a terminal', async () => {
    const { out } = await show('--input', '--output');
    expect(out).toContain('│     input: How high?\n│     output: 333 m \\x1b]0;owned');
    const long = await cli.run(['traces', 'show', RECORDED.other, '--input']);
    expect(long.out).toContain('x'.repeat(2_000));
    expect(long.out).not.toContain('x'.repeat(2_001));
    expect(long.out).toContain('… of 5.0 KB; all of it with --span');
    expect((await show('--depth', '1')).out).toContain('… 2 more below level 1');
    const terminal = await cli.run(['traces', 'show', RECORDED.trace, '--output'], { terminal: 70 });
    expect(isObeyed(terminal.out)).toBe(false);
  });

  it('shows one span whole', async () => {
    const { out } = await cli.run(['traces', 'show', RECORDED.other, '--span', 'span-other', '--input']);
    expect(out).toMatch(/^Kind +llm_call\n +model|provider/m);
    expect(out).toMatch(/^ +exact +12345678901234567890\.10$/m);
    expect(out).toContain(`\nInput\n${'x'.repeat(5_000)}\n`);
    expect(await cli.json(['traces', 'show', RECORDED.trace, '--span', RECORDED.call])).toEqual(
      (await api.get(`/api/spans/${RECORDED.call}`)).body,
    );
    const wrong = await show('--span', 'span-other');
    expect([wrong.code, wrong.err]).toEqual([1, 'spandrel: span span-other is of trace trace-other\n']);
  });

  it('answers in JSON with the outline, and with texts where they are asked for', async () => {
    const path = `/api/traces/${RECORDED.trace}`;
    expect(await cli.json(['traces', 'show', RECORDED.trace])).toEqual((await api.get(`${path}?view=outline`)).body);
    expect(await cli.json(['traces', 'show', RECORDED.trace, '--input'])).toEqual((await api.get(path)).body);
  });
});

it('stats shows sums, or how they go over time', async () => {
  const { out } = await cli.run(['stats']);
  expect(out).toMatch(/^Traces +2\nSpans +4\nFailed +25\.0%\n/);
  expect(out).toMatch(/^gpt-4o-mini +1 +1,234 +\$0\.50\ngpt-4o +1 /m);
  expect(await cli.json(['stats'])).toEqual((await api.get('/api/analytics/summary')).body);
  const days = await cli.run(['stats', '--since', '2026-11-19', '--split-by', 'status', '--percentiles']);
  expect(days.out).toMatch(/^SINCE \(UTC\) +STATUS +SPANS .* P50 +P95 +P99$/m);
  expect(days.out).toMatch(/^2026-11-20 00:00 +completed +3 /m);
  const hours = { since: '2026-11-20', group_by: 'hour', top: 3 };
  expect(await cli.json(['stats', '--since', '2026-11-20', '--group-by', 'hour', '--top', '3'])).toEqual(
    (await api.post('/api/analytics', hours)).body,
  );
});

describe('bundle and open', () => {
  it('save a trace as one file, and take it in again', async () => {
    const file = join(tempDir(), 'incident.html');
    const saved = await cli.run(['bundle', RECORDED.trace, '-o', file]);
    expect([saved.code, saved.out, saved.err]).toEqual([0, '', `wrote 1 trace to ${file}; it opens in any browser\n`]);
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/);
    const taken = await cli.run(['open', file]);
    expect([taken.code, taken.err]).toEqual([0, '']);
    expect(taken.out).toMatch(/^imported 1 trace with \d+ spans and \d+ scores?, tagged "imported"\n/);
    expect(taken.out).toContain(`${spandrel.apiUrl}/traces/${RECORDED.trace}\n`);
    const again = await cli.json<{ trace_ids: string[] }>(['open', '-'], { stdin: readFileSync(file, 'utf8') });
    expect(again.trace_ids).toEqual([RECORDED.trace]);
  });

  it('are refused without a file of theirs, and without rules to mask by', async () => {
    const file = join(tempDir(), 'incident.html');
    const masked = await cli.run(['bundle', RECORDED.trace, '-o', file, '--mask']);
    expect([masked.code, masked.err]).toEqual([4, expect.stringContaining('the project has no masking rules')]);
    writeFileSync(file, '<p>');
    const other = await cli.run(['open', file]);
    expect([other.code, other.err]).toEqual([4, expect.stringContaining('no file of traces that Spandrel made')]);
    expect((await cli.run(['bundle', RECORDED.trace])).code).toBe(2);
  });
});

describe('prices', () => {
  /** A finished call as an export has it that was made before its model had a price. */
  const unpriced = (id: string, model: string) => ({
    ...{ id, trace_id: 'prices', name: 's', kind: { type: 'llm_call', model, input_tokens: 1_000_000 } },
    ...{ status: 'completed', started_at: '2026-11-20T09:00:05Z', ended_at: '2026-11-20T09:00:06Z' },
  });

  it('are listed, one by its name or those near to it, and written as a table that is good', async () => {
    const one = await cli.run(['prices', 'list', 'gpt-4o']);
    expect(one.out).toMatch(/^MODEL +INPUT\/M .*\ngpt-4o +\$2\.50 .* \$10\.00 .*\n$/);
    const near = await cli.json<{ prices: { model: string }[] }>(['prices', 'list', 'GPT-4o']);
    expect(near.prices.map(({ model }) => model)).toContain('gpt-4o-mini');
    expect(await cli.json(['prices', 'list', 'gpt-4o'])).toEqual((await api.get('/api/prices?model=gpt-4o')).body);
    const file = join(tempDir(), 'prices.json');
    const written = await cli.run(['prices', 'list', '-o', file]);
    expect([written.code, written.out, written.err]).toEqual([0, '', expect.stringContaining(file)]);
    expect(await cli.json(['prices', 'list', '-o', file])).toEqual({ file, models: expect.any(Number) });
    const checked = await cli.run(['prices', 'check', file]);
    expect([checked.code, checked.err]).toEqual([0, '']);
    expect(checked.out).toMatch(/: the prices of \d[\d,]* models can be taken\n$/);
  });

  it('are refused in a file with each fault and its place', async () => {
    const file = join(tempDir(), 'prices.json');
    writeFileSync(file, JSON.stringify({ models: { a: { input: 1, output: 2 }, b: { input: -1 }, c: { inptu: 1 } } }));
    const { code, out, err } = await cli.run(['prices', 'check', file]);
    expect([code, out]).toEqual([2, '']);
    for (const place of ['models.b.input', 'models.b.output', 'models.c.input']) expect(err).toContain(place);
    expect(err).not.toContain('models.a');
    writeFileSync(file, '{');
    expect((await cli.run(['prices', 'check', file])).code).toBe(2);
    expect((await cli.run(['prices', 'check', join(tempDir(), 'none.json')])).code).toBe(2);
  });

  it('are applied to recorded spans, which is said first where it is only tried', async () => {
    const spans = [unpriced('priced-1', 'gpt-4o'), unpriced('priced-2', 'gpt-4o'), unpriced('priced-3', 'of-nobody')];
    const imported = await api.post('/api/import/json', { version: 1, traces: [{ id: 'prices' }], spans });
    expect(imported.body).toMatchObject({ imported: { spans: 3 } });
    const apply = ['prices', 'apply', '--unpriced'];
    const tried = await cli.run([...apply, '--dry-run', '--model', 'gpt-4o']);
    expect([tried.code, tried.err]).toEqual([0, '']);
    expect(tried.out).toMatch(/^Looked at +2 spans\nWould change +2\n/);
    expect(await cli.json(apply)).toMatchObject({ examined: 3, changed: 2, unchanged: 1, before: 0, after: 5 });
    const again = await cli.run(['prices', 'apply', '--model', 'gpt-4o']);
    expect(again.out).toMatch(/^Looked at +3 spans\nChanged +0\nUnchanged +2\nCost was reported +1\n/);
    expect((await cli.run(['prices', 'apply', '--cursor', 'x'])).err).toContain('invalid_cursor');
    await api.delete('/api/traces/prices');
  });
});

describe('datasets', () => {
  const rows = [
    { input: 'What is 2 + 2?', expected_output: '4' },
    { input: { q: 'tab\tand\u2028more' }, expected_output: [1.5, null], metadata: { n: 1 } },
  ];
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');

  it('go out and in again through pipes', async () => {
    const made = await cli.run(['datasets', 'import', '-', '--dataset', 'sums'], { stdin: lines });
    expect([made.code, made.out]).toEqual([0, 'imported 2 datapoints into "sums"\n']);
    expect(made.err).toMatch(/^made the dataset "sums" \(\w+\)\n$/);
    const exported = await cli.run(['datasets', 'export', 'sums']);
    const read = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    expect(read(exported.out)).toEqual(rows);
    const again = await cli.json<ImportResult>(['datasets', 'import', '-', '--dataset', 'copy'], {
      stdin: exported.out,
    });
    expect(again.imported).toBe(2);
    expect((await cli.run(['datasets', 'export', 'copy'])).out).toBe(exported.out);
    const list = await cli.run(['datasets', 'list']);
    expect(list.out).toMatch(new RegExp(`^${again.dataset_id} +2 +\\d+ .* copy$`, 'm'));
    expect(await cli.json(['datasets', 'list'])).toEqual((await api.get('/api/datasets')).body);
  });

  it('take files of each format by name, and add to what is there', async () => {
    const folder = tempDir();
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const files = [
      file('a.csv', 'input,expected_output,note\nparis,france,x\n'),
      file('b.json', JSON.stringify(rows)),
      file('c.txt', lines),
    ];
    const csv = await cli.run(['datasets', 'import', files[0]!, '--dataset', 'files']);
    expect(csv.out).toBe('imported 1 datapoint into "files"\nmetadata: note\n');
    await cli.run(['datasets', 'import', files[1]!, '--dataset', 'files']);
    expect((await cli.run(['datasets', 'import', files[2]!, '--dataset', 'files'])).code).toBe(2);
    await cli.run(['datasets', 'import', files[2]!, '--dataset', 'files', '--format', 'jsonl']);
    const output = join(folder, 'out.csv');
    const { code, err } = await cli.run(['datasets', 'export', 'files', '-o', output]);
    expect([code, err]).toEqual([0, `wrote 5 datapoints of "files" to ${output}\n`]);
    expect(readFileSync(output, 'utf8').split('\n')[0]).toMatch(/^input,/);
    expect(await cli.json(['datasets', 'export', 'files', '-o', output])).toMatchObject({
      file: output,
      datapoints: 5,
    });
    expect((await cli.run(['datasets', 'export', 'files', '-o', join(folder, 'no/such.csv')])).code).toBe(1);
  });

  it('are refused with the lines that are wrong, or leave those out', async () => {
    const stdin = `${lines}{"output": 1}\n`;
    const refused = await cli.run(['datasets', 'import', '-', '--dataset', 'bad'], { stdin });
    expect(refused.code).toBe(4);
    expect(refused.err).toMatch(/spandrel: validation_failed \(400\): line 3/);
    const skipped = await cli.run(['datasets', 'import', '-', '--dataset', 'bad', '--on-error', 'skip'], { stdin });
    expect(skipped.out).toMatch(/^imported 2 datapoints into "bad"\nleft out 1 row:\n {2}line 3: /);
  });

  it('are not guessed where two have the name', async () => {
    await api.post('/api/datasets', { name: 'twice' });
    const { body } = await api.post<DatasetResource>('/api/datasets', { name: 'twice' });
    const { code, err } = await cli.run(['datasets', 'export', 'twice']);
    expect([code, err]).toEqual([1, expect.stringContaining(body.id)]);
    expect((await cli.run(['datasets', 'export', body.id])).code).toBe(0);
  });
});

describe('api', () => {
  it('calls any endpoint with parameters, bodies and files', async () => {
    const { out } = await cli.run(['api', 'get', '/api/traces', 'status=failed']);
    expect((JSON.parse(out) as { traces: TraceListItem[] }).traces.map(({ id }) => id)).toEqual([RECORDED.trace]);
    const made = await cli.run(['api', 'POST', '/api/traces', 'name=by hand', 'tags:=["a","b"]']);
    const { id } = JSON.parse(made.out) as TraceListItem;
    expect(JSON.parse(made.out)).toMatchObject({ name: 'by hand', tags: ['a', 'b'] });
    const patched = await cli.run(['api', 'PATCH', `/api/traces/${id}`, '-f', '-'], { stdin: '{"name":null}' });
    expect(JSON.parse(patched.out)).toMatchObject({ id, name: null });
    expect((await cli.run(['api', 'DELETE', `/api/traces/${id}`], { terminal: 80 })).out).toContain(
      '\n  "spans_deleted": 0',
    );
    const text = await cli.run(['api', 'GET', '/metrics']);
    expect(text.out).toContain('# TYPE ');
  });

  it('ends with the code of what the server refuses', async () => {
    const { code, out, err } = await cli.run(['api', 'GET', '/api/traces', 'statuss=failed']);
    expect([code, out]).toEqual([4, '']);
    expect(err).toMatch(/^spandrel: validation_failed \(400\): .*statuss/);
    const page = await cli.run(['api', 'GET', 'docs']);
    expect(page).toMatchObject({
      code: 4,
      out: '',
      err: 'spandrel: /docs: is a page; paths of the API begin with /api\n',
    });
  });
});

describe('how commands end', () => {
  it('with 2 when they are called wrongly, and nothing was sent', async () => {
    const before = asked;
    const url = ['--url', strangerUrl()];
    for (const argv of [
      ['traces'],
      ['traces', 'lst'],
      ['traces', 'list', '--colour'],
      ['traces', 'list', '--limit', '0'],
      ['traces', 'list', '--status', 'done'],
      ['traces', 'list', '--status'],
      ['traces', 'list', 'extra'],
      ['traces', 'show'],
      ['traces', 'show', 'x', '--depth', '0'],
      ['traces', 'tail', '--since', 'now'],
      ['stats', '--top', 'many'],
      ['datasets', 'import', 'no-such-file.csv', '--dataset', 'x'],
      ['datasets', 'import', '-'],
      ['datasets', 'export', 'x', '--format', 'xml'],
      ['prices', 'check'],
      ['prices', 'apply', '--since', 'whenever'],
      ['api', 'GET'],
      ['api', 'GET', 'https://elsewhere.example/'],
    ]) {
      const { code, out, err } = await cli.run(argv[1] === undefined ? argv : [...argv, ...url]);
      expect([argv.join(' '), code, out]).toEqual([argv.join(' '), 2, '']);
      expect(err).not.toBe('');
    }
    expect((await cli.run(['traces', 'list', '--url', 'nowhere'])).code).toBe(2);
    expect((await cli.run(['traces', 'list', ...url, '--key', 'two words'])).code).toBe(2);
    expect(asked).toBe(before);
  });

  it('with 3 when no Spandrel answers', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const ends = await Promise.all([
      cli.run(['stats', '--url', nobody]),
      cli.run(['traces', 'tail', '--url', nobody]),
      cli.run(['doctor', '--url', nobody]),
      cli.run(['traces', 'list', '--url', strangerUrl()]),
    ]);
    expect(ends.map(({ code }) => code)).toEqual([3, 3, 3, 3]);
    expect(ends[0]!.err).toContain(nobody);
    expect(ends[3]!.err).toContain('is not an answer of the API');
  });

  it('with 4 when the server refuses, whose code is printed', async () => {
    const { code, err } = await cli.run(['traces', 'show', 'no-such-trace']);
    expect([code, err]).toEqual([4, expect.stringMatching(/^spandrel: trace_not_found \(404\): /)]);
    expect((await cli.run(['datasets', 'export', 'no such'])).err).toContain('dataset_not_found');
  });

  it('with 0 for help, which names every flag', async () => {
    const { code, out } = await cli.run(['spans', 'list', '--help']);
    expect(code).toBe(0);
    for (const flag of ['--url', '--key', '--json', '--text-contains', '--all']) expect(out).toContain(flag);
  });
});

describe('doctor', () => {
  interface Report {
    ok: boolean;
    checks: { name: string; status: string; message: string; remedy?: string }[];
  }

  it('finds a server that works, records a span and removes it', async () => {
    const { checks, ok } = await cli.json<Report>(['doctor', '--write']);
    expect(ok).toBe(true);
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      ...['command ok', 'server ok', 'clock ok', 'credential ok', 'events ok', 'write ok', 'gateway ok', 'capture ok'],
    ]);
    expect((await api.traces('tag=spandrel-doctor')).length).toBe(0);
    const { out } = await cli.run(['doctor']);
    expect(out).toMatch(/^ok +gateway +forwards at http:\/\/127\.0\.0\.1:\d+ and reaches the API$/m);
    expect(out).toMatch(/^ok +capture +Full: /m);
  });

  it('says what to do about what does not work', async () => {
    const env = { SPANDREL_GATEWAY_URL: `http://127.0.0.1:${await freePort()}` };
    const { code, out } = await cli.run(['doctor'], { env });
    expect(code).toBe(1);
    expect(out).toMatch(/^fail +gateway +no gateway answers at .*\n +start it, or correct its address/m);
    const other = await cli.run(['doctor', '--gateway-url', strangerUrl()]);
    expect([other.code, other.out]).toEqual([1, expect.stringMatching(/^fail +gateway /m)]);
  });
});

describe('traces tail', () => {
  const end = async (id: string, more: object = {}) => {
    const { status } = await api.post('/api/ingest', {
      traces: [{ id: `t-${id}`, session_id: id.startsWith('mine') ? 'mine' : 'theirs' }],
      spans: [{ id, trace_id: `t-${id}`, name: id, output: 'text', ended_at: new Date().toISOString(), ...more }],
    });
    expect(status).toBe(200);
  };

  it('shows what ends, as it ends, and goes on behind a restart of the server without a gap', async () => {
    const llm = (model: string) => ({ kind: { type: 'llm_call', model } });
    const all = cli.start(['traces', 'tail', '--json']);
    const failed = cli.start(['traces', 'tail', '--failed'], { terminal: 200 });
    const model = cli.start(['traces', 'tail', '--model', 'm1']);
    const session = cli.start(['traces', 'tail', '--session', 'mine']);
    const tails = [all, failed, model, session];
    await until(() => failed.err() !== '');
    // The others say nothing before something comes.
    let probes = 0;
    await until(async () => {
      await end(`probe-${++probes}`);
      await end(`mine-probe-${probes}`, llm('m1'));
      return all.out() !== '' && model.out() !== '' && session.out() !== '';
    });
    await end('mine-failed', { error: 'broken \u001b[2J' });
    await end('other-m1', llm('m1'));
    await until(() => failed.out().includes('broken') && model.out().includes('other-m1'));

    await spandrel.stop();
    await until(() => tails.every((tail) => tail.err().includes('the connection was lost')));
    spandrel = await startSpandrel({ port, dataDir: spandrel.dataDir });
    await end('mine-later', llm('m1'));
    await until(() => [all, model, session].every((tail) => tail.out().includes('mine-later')), 30_000);
    for (const tail of tails) tail.interrupt();
    const ended = await Promise.all(tails.map(({ finished }) => finished));
    expect(ended.map(({ code }) => code)).toEqual([130, 130, 130, 130]);

    const events = ended[0]!.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; span: SpanResource });
    const ids = events.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
    for (const id of ['mine-failed', 'other-m1', 'mine-later']) {
      expect(events.filter(({ span }) => span.id === id)).toHaveLength(1);
    }
    expect(events.every(({ span }) => !('output' in span))).toBe(true);
    const [, ofFailed, ofModel, ofSession] = ended.map(({ out }) => out);
    expect(isObeyed(ofFailed!)).toBe(false);
    expect(ofFailed!.split('\n')[1]).toContain(String.raw`broken \x1b[2J`);
    expect(ofFailed!.trim().split('\n')).toHaveLength(2);
    expect(ofModel).not.toContain('mine-failed');
    expect(ofSession).toContain('mine-failed');
    expect(ofSession).not.toMatch(/ probe| other-m1/);

    const again = cli.start(['traces', 'tail', '--since', String(ids.at(-2)), '--json', '--view', 'full']);
    await until(() => again.out().includes('mine-later'));
    again.interrupt();
    expect(JSON.parse((await again.finished).out)).toMatchObject({ id: ids.at(-1), span: { output: 'text' } });
  });
});
