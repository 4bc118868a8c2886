import { describe, expect, it } from '@jest/globals';
import type { DatapointKind, DatapointResource } from '@spandrel/contract';
import { checkedFetch } from '../support/checked-fetch.ts';
import { until } from '../support/spandrel.ts';
import { uploadForm, uploadRaw } from '../support/upload.ts';
import type { DatasetsServer } from './datasets-server.ts';

const JSONL = 'application/x-ndjson';
const rows = (count: number): string => Array.from({ length: count }, (_, input) => `{"input":${input}}\n`).join('');
const use = (column: string, member: string, rows: number) => ({ column, member, rows });
const generic = (members: object) => ({
  Generic: { expected_output: null, actual_output: null, score: null, metadata: null, ...members },
});

export function datasetImports(server: () => DatasetsServer): void {
  const kinds = async (id: string): Promise<DatapointKind[]> => (await server().datapoints(id)).map(({ kind }) => kind);

  describe('an import', () => {
    it('takes JSON lines, a JSON array or CSV, as a form or as they are', async () => {
      const messages = [{ role: 'user', content: 'hi' }];
      const expected = [
        generic({ input: { a: 1 }, expected_output: 'x', metadata: { m: 1 } }),
        { LlmConversation: { messages, expected: 'ho', metadata: null } },
      ];
      const source = [
        { input: { a: 1 }, target: 'x', metadata: { m: 1 }, other: 2 },
        { messages, expected_output: 'ho' },
      ];
      const jsonl = source.map((row) => JSON.stringify(row)).join('\r\n');
      const json = JSON.stringify(source, null, 2);
      const csv = `Input,Target,METADATA,messages\n"{""a"":1}",x,"{""m"":1}",\n,ho,,"${JSON.stringify(messages).replaceAll('"', '""')}"`;
      const [jsonColumns, csvColumns] = [
        {
          columns_used: [
            use('input', 'input', 1),
            use('target', 'expected_output', 1),
            use('metadata', 'metadata', 1),
            use('messages', 'messages', 1),
            use('expected_output', 'expected', 1),
          ],
          columns_ignored: [{ column: 'other', rows: 1 }],
          without_expected_count: 0,
        },
        {
          columns_used: [
            use('input', 'input', 1),
            use('target', 'expected_output', 1),
            use('target', 'expected', 1),
            use('metadata', 'metadata', 1),
            use('messages', 'messages', 1),
          ],
          columns_ignored: [],
          without_expected_count: 0,
        },
      ];
      const octets = 'application/octet-stream';
      for (const [name, type, content] of [
        ['a.JSONL', octets, jsonl],
        ['a.ndjson', 'text/plain', jsonl],
        ['a.b.json', octets, json],
        ['a.csv', octets, `\ufeff${csv}`],
        ['blob', 'text/csv; charset=utf-8', csv],
        ['lines.txt', 'application/jsonl', `\ufeff${jsonl}\n\n`],
      ] as const) {
        const id = await server().create();
        const answer = await uploadForm(server().url, id, [{ name, type, content }]);
        const target = name.endsWith('csv') || type.startsWith('text/csv') ? csvColumns : jsonColumns;
        expect([name, answer]).toEqual([name, { status: 201, body: { imported: 2, dataset_id: id, ...target } }]);
        expect(await kinds(id)).toEqual(expected);
      }
      for (const [type, query, content] of [
        [JSONL, '', jsonl],
        ['application/ndjson', '', jsonl],
        ['application/x-jsonlines', '', jsonl],
        ['Application/JSON; charset=utf-8', '', json],
        ['text/csv', '', csv],
        ['application/x-www-form-urlencoded', 'filename=a.csv', csv],
      ] as const) {
        const id = await server().create();
        const answer = await uploadRaw(server().url, id, type, content, { query });
        const target = content === csv ? csvColumns : jsonColumns;
        expect([type, answer]).toEqual([type, { status: 201, body: { imported: 2, dataset_id: id, ...target } }]);
        expect(await kinds(id)).toEqual(expected);
      }
      const id = await server().create();
      const headers = { 'content-disposition': 'attachment; filename="a \\"b\\".csv"' };
      expect((await uploadRaw(server().url, id, octets, csv, { headers })).status).toBe(201);
      expect(await server().datapoints(id)).toMatchObject([{ source: 'file_upload', source_span_id: null }, {}]);
    });

    it('is one change of the dataset, seen as a whole or not at all, announced once a datapoint', async () => {
      const { api, url } = server();
      const id = await server().create();
      const { body: first } = await api.post<DatapointResource>(`/api/datasets/${id}/datapoints`, {
        kind: { Generic: { input: 'first' } },
      });
      const COUNT = 4_000;
      let done = false;
      const importing = uploadRaw(url, id, JSONL, rows(COUNT)).finally(() => (done = true));
      const counts = new Set<number>();
      const lists = new Set<number>();
      while (!done) {
        const { body } = await api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${id}/datapoints?limit=5`);
        lists.add(body.datapoints.length);
        counts.add((await server().dataset(id)).datapoint_count);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      expect(await importing).toMatchObject({ status: 201, body: { imported: COUNT, without_expected_count: COUNT } });
      expect([...counts].every((count) => count === 1 || count === COUNT + 1)).toBe(true);
      expect([...lists].every((length) => length === 1 || length === 5)).toBe(true);
      expect(counts.has(1)).toBe(true);
      expect(await server().dataset(id)).toMatchObject({ version: 2, datapoint_count: COUNT + 1 });
      const all = await server().datapoints(id);
      expect(all.map(({ kind }) => (kind as { Generic: { input: unknown } }).Generic.input)).toEqual([
        'first',
        ...Array.from({ length: COUNT }, (_, input) => input),
      ]);
      const reported = () =>
        server()
          .eventsOf(id)
          .filter(({ type }) => type === 'datapoint_created');
      await until(() => reported().length >= COUNT + 1, 30_000);
      expect(reported()).toEqual(all.map((datapoint) => ({ type: 'datapoint_created', datapoint })));
      expect(reported()[0]).toMatchObject({ datapoint: { id: first.id } });
    });

    it('rejects the file for one bad row, naming its line, and leaves nothing', async () => {
      const id = await server().create();
      const answer = await uploadRaw(server().url, id, JSONL, `${rows(3_000)}\n{"inputs":1}\n${rows(5)}`);
      const message = 'the row has neither input nor messages: it has "inputs" (did you mean input?)';
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', detail: `line 3002: ${message}`, errors: [{ path: 'line 3002', message }] },
      });
      expect(await server().dataset(id)).toMatchObject({ version: 0, datapoint_count: 0 });
      await until(async () => (await server().rowsOf(id)).imports === 0);
      expect(await server().rowsOf(id)).toEqual({ datapoints: 0, imports: 0 });
      expect(server().eventsOf(id)).toHaveLength(1);
    });

    it('leaves bad rows out when asked to', async () => {
      const id = await server().create();
      const csv = 'input,score\n1,0.5\n2\n3,x,y\n,1\n4,\n';
      const answer = await uploadRaw(server().url, id, 'text/csv', csv, { query: 'on_error=skip' });
      expect(answer).toEqual({
        status: 201,
        body: {
          imported: 2,
          dataset_id: id,
          columns_used: [use('input', 'input', 2), use('score', 'score', 1)],
          columns_ignored: [],
          without_expected_count: 2,
          hint: '2 rows have no expected value, which Exact match and Contains need: expected values are read from expected_output, expected, target or output',
          skipped: [
            { line: 3, message: 'the row has 1 cells, the header row has 2' },
            { line: 4, message: 'the row has 3 cells, the header row has 2' },
            { line: 5, message: 'the row has neither input nor messages: it has "score"' },
          ],
          skipped_count: 3,
        },
      });
      expect(await kinds(id)).toEqual([generic({ input: 1, score: 0.5 }), generic({ input: 4 })]);
      const many = await uploadRaw(server().url, id, JSONL, '7\n'.repeat(1_500), { query: 'on_error=skip' });
      expect(many.body).toMatchObject({ imported: 0, skipped_count: 1_500 });
      expect(many.body.skipped).toHaveLength(1_000);
      expect((await uploadRaw(server().url, id, JSONL, '', { query: 'on_error=perhaps' })).status).toBe(400);
    });

    it('keeps numbers as they are written, in answers, exports and imports of these', async () => {
      const { url } = server();
      const cells = [
        ...['3.10', '1.50', '00501', '12345678901234567890', '1e5', '-0', '0x1F', '+49', 'true', 'TRUE', 'NaN'],
        ...['"""quoted"""', '"1.0"', '0.1234567890123456789'],
      ];
      const shown = [
        ...['3.10', '1.50', '"00501"', '12345678901234567890', '1e5', '-0', '"0x1F"', '"+49"', 'true', '"TRUE"'],
        ...['"NaN"', String.raw`"\"quoted\""`, '1.0', '0.1234567890123456789'],
      ];
      const csv = ['input,expected_output', ...cells.map((cell) => `q,${cell}`)].join('\n');
      const jsonl = shown.map((json) => `{"input":"q","expected_output":${json}}`).join('\n');
      const textOf = async (id: string, path: string): Promise<string> =>
        (await checkedFetch(`${url}/api/datasets/${id}/${path}`)).text();
      const expectShown = async (id: string): Promise<void> => {
        const text = await textOf(id, 'datapoints');
        expect(
          text
            .matchAll(/"expected_output":(.*?),"actual_output"/g)
            .map(([, json]) => json)
            .toArray(),
        ).toEqual(shown);
      };
      for (const [type, content] of [
        ['text/csv', csv],
        [JSONL, `\ufeff${jsonl}\n\n`],
        ['application/json', `[${jsonl.replaceAll('\n', ',')}]`],
      ] as const) {
        const id = await server().create();
        expect(await uploadRaw(url, id, type, content)).toMatchObject({
          status: 201,
          body: { imported: cells.length },
        });
        await expectShown(id);
        expect(await textOf(id, 'export?format=jsonl')).toBe(`${jsonl}\n`);
        const again = await server().create();
        await uploadRaw(url, again, JSONL, await textOf(id, 'export?format=jsonl'));
        await expectShown(again);
      }
    });

    it('keeps numbers of a datapoint that is made or changed as they are written', async () => {
      const { api, url } = server();
      const id = await server().create();
      const kindOf = (number: string): string => `{"kind":{"Generic":{"input":{"version":${number}}}}}`;
      const { body } = await api.post<DatapointResource>(`/api/datasets/${id}/datapoints`, kindOf('3.10'));
      const read = async () => (await checkedFetch(`${url}/api/datasets/${id}/datapoints/${body.id}`)).text();
      expect(await read()).toContain('"input":{"version":3.10}');
      await api.send('PUT', `/api/datasets/${id}/datapoints/${body.id}`, kindOf('1E5'));
      expect(await read()).toContain('"input":{"version":1E5}');
    });

    it('passes over empty rows, and counts them', async () => {
      for (const [type, content, empty] of [
        ['text/csv', 'input,expected_output,,\r\nQ,A,,\r\n,,,\r\n', 1],
        ['text/csv', 'input,expected_output\n\n,\nQ,A\n"",""\n,,,\n', 3],
        [JSONL, '{}\n{"input":"Q","expected_output":"A"}\n\n{ }\n', 2],
        ['application/json', '[{},{"input":"Q","expected_output":"A"}]', 1],
      ] as const) {
        for (const query of ['', 'on_error=skip']) {
          const id = await server().create();
          const { status, body } = await uploadRaw(server().url, id, type, content, { query });
          expect([status, body.imported, body.skipped_empty_rows]).toEqual([201, 1, empty]);
          expect(body.skipped).toEqual(query === '' ? undefined : []);
          expect(await kinds(id)).toEqual([generic({ input: 'Q', expected_output: 'A' })]);
        }
      }
      const id = await server().create();
      const none = await uploadRaw(server().url, id, 'text/csv', 'input\n""\n');
      expect(none).toMatchObject({ status: 201, body: { imported: 0 } });
    });

    it('of no rows changes nothing', async () => {
      const id = await server().create();
      for (const [type, content] of [
        ['application/json', '[]'],
        ['text/csv', 'input\n'],
      ] as const) {
        const answer = await uploadRaw(server().url, id, type, content);
        expect(answer).toEqual({
          status: 201,
          body: { imported: 0, dataset_id: id, columns_used: [], columns_ignored: [], without_expected_count: 0 },
        });
      }
      expect(await server().dataset(id)).toMatchObject({ version: 0, datapoint_count: 0 });
      expect(await server().rowsOf(id)).toEqual({ datapoints: 0, imports: 0 });
    });

    it('names what it ignored, and says what an expected value is called', async () => {
      for (const [type, content, isKept] of [
        ['text/csv', 'input,answer\n2+2,4\n', true],
        ['application/json', '[{"input":"2+2","answer":"4"}]', false],
        [JSONL, '{"input":"2+2","answer":"4"}', false],
      ] as const) {
        const id = await server().create();
        expect(await uploadRaw(server().url, id, type, content)).toEqual({
          status: 201,
          body: {
            imported: 1,
            dataset_id: id,
            columns_used: [use('input', 'input', 1), ...(isKept ? [use('answer', 'metadata.answer', 1)] : [])],
            columns_ignored: isKept ? [] : [{ column: 'answer', rows: 1 }],
            without_expected_count: 1,
            hint: `1 row has no expected value, which Exact match and Contains need: expected values are read from expected_output, expected, target or output; ${isKept ? 'kept as metadata' : 'ignored'}: "answer"`,
          },
        });
      }
    });

    it.each([
      ['text/csv', '', /^line 1: the file is empty; expected is a header row with the columns input/],
      [JSONL, '\n\n', /^line 1: the file is empty; expected is a JSON object a line/],
      ['application/json', '', /^line 1: the file is empty; expected is a JSON array of objects/],
      ['text/csv', 'input;answer\n2+2;4\n', /^line 1: the header row seems to be separated by semicolons/],
      ['text/csv', 'input\tanswer\n2+2\t4\n', /^line 1: the header row seems to be separated by tabs/],
      ['text/csv', 'imput,answer\n2+2,4\n', /"imput" \(did you mean input\?\), "answer"; expected are input/],
      [JSONL, '{"q":"2+2","imput":"4"}', /neither input nor messages: it has "q", "imput" \(did you mean input\?\)/],
      ['application/json', '{"input":1}', /not a JSON array of objects, \[\{"input"/],
      ['application/json', '["2+2"]', /^line 1: the row is a text, not a JSON object like \{"input"/],
    ])('of %s %j imports nothing and shows what was expected', async (type, content, detail) => {
      const id = await server().create();
      for (const query of type === 'application/json' ? [''] : ['', 'on_error=skip']) {
        const { status, body } = await uploadRaw(server().url, id, type, content, { query });
        expect([status, body.code, body.detail]).toEqual([400, 'validation_failed', expect.stringMatching(detail)]);
      }
      expect(await server().dataset(id)).toMatchObject({ version: 0, datapoint_count: 0 });
    });

    it.each([
      ['', 'application/x-www-form-urlencoded', /came without a name and with the media type "application\/x-www-form/],
      ['filename=a.xlsx', 'application/octet-stream', /came as "a\.xlsx" .*; save the spreadsheet as CSV; name it/],
      ['filename=a.tsv', 'text/plain', /; save the file separated by commas, as \.csv; name it/],
      ['filename=a.cvs', 'text/plain', /; did you mean \.csv\? name it \.jsonl/],
    ])('of a file of another kind (%s, %s) is 415 and says how it came', async (query, type, detail) => {
      const id = await server().create();
      const { status, body } = await uploadRaw(server().url, id, type, 'input\n1\n', { query });
      expect([status, body.code, body.detail]).toEqual([415, 'unsupported_media_type', expect.stringMatching(detail)]);
    });

    it('ends with the dataset', async () => {
      const id = await server().create();
      const importing = uploadRaw(server().url, id, JSONL, rows(60_000));
      await until(async () => (await server().rowsOf(id)).imports === 1);
      expect((await server().api.delete(`/api/datasets/${id}`)).status).toBe(200);
      expect(await importing).toMatchObject({ status: 404, body: { code: 'dataset_not_found' } });
      expect(await server().rowsOf(id)).toEqual({ datapoints: 0, imports: 0 });
    });

    it('says how far it is when asked to, and what came of it at the end', async () => {
      const { url } = server();
      const lines = async (id: string, content: string, query = '') => {
        const answer = await checkedFetch(`${url}/api/datasets/${id}/import?${query}`, {
          method: 'POST',
          headers: { 'content-type': JSONL, accept: 'application/x-ndjson' },
          body: content,
        });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${JSONL}; charset=utf-8`]);
        const text = await answer.text();
        const all = text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        const reported = all.slice(0, -1).map((line) => line['rows'] as number);
        expect(text.endsWith('\n') && reported.length > 0).toBe(true);
        expect(reported).toEqual(reported.toSorted((a, b) => a - b));
        return { last: all.at(-1)!, requestId: answer.headers.get('x-request-id'), reported };
      };
      const [id, plain] = [await server().create(), await server().create()];
      const usual = await uploadRaw(url, plain, JSONL, `${rows(5_000)}7\n`, { query: 'on_error=skip' });
      const { last, reported } = await lines(id, `${rows(5_000)}7\n`, 'on_error=skip');
      expect(last).toEqual({ status: 201, body: { ...usual.body, dataset_id: id } });
      expect(reported.at(-1)).toBeLessThanOrEqual(5_001);
      expect(await server().dataset(id)).toMatchObject({ version: 1, datapoint_count: 5_000 });
      const refused = await lines(id, `${rows(3)}7\n`);
      expect(refused.last).toEqual({
        status: 400,
        body: expect.objectContaining({
          ...{ status: 400, code: 'validation_failed', request_id: refused.requestId },
          errors: [expect.objectContaining({ path: 'line 4' })],
        }),
      });
      expect(await server().dataset(id)).toMatchObject({ version: 1, datapoint_count: 5_000 });
      const headers = { accept: 'application/x-ndjson' };
      expect(await uploadRaw(url, 'nope', JSONL, rows(1), { headers })).toMatchObject({
        ...{ status: 404, body: { code: 'dataset_not_found' } },
      });
      expect((await uploadRaw(url, id, 'text/plain', 'x', { headers })).status).toBe(415);
    });

    it.each([undefined, 'application/x-ndjson'])('ends with the client that accepts %s', async (accept) => {
      const id = await server().create();
      const client = new AbortController();
      const importing = uploadRaw(server().url, id, JSONL, rows(60_000), {
        signal: client.signal,
        ...(accept !== undefined && { headers: { accept } }),
      });
      await until(async () => (await server().rowsOf(id)).imports === 1);
      client.abort();
      await expect(importing).rejects.toThrow('aborted');
      await until(async () => (await server().rowsOf(id)).imports === 0);
      expect(await server().rowsOf(id)).toEqual({ datapoints: 0, imports: 0 });
      expect(await server().dataset(id)).toMatchObject({ version: 0, datapoint_count: 0 });
    });

    it('of several at once into one dataset, beside other changes, loses nothing', async () => {
      const { api, url } = server();
      const id = await server().create();
      const answers = await Promise.all([
        uploadRaw(url, id, JSONL, rows(2_000)),
        uploadRaw(url, id, JSONL, rows(1_000)),
        uploadRaw(url, id, JSONL, `${rows(1_500)}7`),
        ...Array.from({ length: 10 }, (_, input) =>
          api.post(`/api/datasets/${id}/datapoints`, { kind: { Generic: { input } } }),
        ),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 400, ...Array<number>(10).fill(201)]);
      expect(await server().dataset(id)).toMatchObject({ version: 12, datapoint_count: 3_010 });
      const all = await server().datapoints(id);
      expect(all).toHaveLength(3_010);
      expect(all.map((datapoint) => datapoint.id)).toEqual(all.map((datapoint) => datapoint.id).toSorted());
      await until(async () => (await server().rowsOf(id)).datapoints === 3_010);
    });

    it('brings datapoints that change like others', async () => {
      const { api, url } = server();
      const id = await server().create();
      await uploadRaw(url, id, JSONL, rows(3));
      const [first, second] = await server().datapoints(id);
      const path = `/api/datasets/${id}/datapoints`;
      await api.send('PUT', `${path}/${first!.id}`, { kind: { Generic: { input: 'new' } } });
      await api.delete(`${path}/${second!.id}`);
      expect(await kinds(id)).toEqual([generic({ input: 'new' }), generic({ input: 2 })]);
      expect(await server().dataset(id)).toMatchObject({ version: 3, datapoint_count: 2 });
    });
  });

  describe('an export', () => {
    const odd = [
      generic({ input: 'text, "quoted"\nand broken\r\n', expected_output: { a: [1, null] }, metadata: { k: 'v' } }),
      generic({ input: null }),
      generic({ input: [true], expected_output: '', actual_output: 'a', score: 0.25 }),
      generic({ input: '=1+1', expected_output: '@x', actual_output: '\tt' }),
      {
        LlmConversation: {
          messages: [{ role: 'user', content: [{ type: 'text', text: 'é😀' }] }],
          expected: null,
          metadata: {},
        },
      },
      { LlmConversation: { messages: [{ role: 'user', content: null, x: 1 }], expected: '-1', metadata: null } },
    ];
    const filled = async (): Promise<string> => {
      const id = await server().create('My: "set" / ünï');
      for (const kind of odd) await server().api.post(`/api/datasets/${id}/datapoints`, { kind });
      return id;
    };

    it.each([
      ['jsonl', 'application/x-ndjson'],
      ['json', 'application/json'],
    ])('as %s comes back by an import as it was', async (format, type) => {
      const id = await filled();
      const answer = await checkedFetch(`${server().url}/api/datasets/${id}/export?format=${format}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain(type);
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="My-set-n.${format}"`);
      const content = await answer.text();
      const copy = await server().create();
      expect((await uploadRaw(server().url, copy, type, content)).body).toMatchObject({ imported: odd.length });
      expect(await kinds(copy)).toEqual(odd);
      const again = await checkedFetch(`${server().url}/api/datasets/${copy}/export?format=${format}`);
      expect(await again.text()).toBe(content);
    });

    it('as CSV has no cell that is a formula', async () => {
      const id = await filled();
      const answer = await checkedFetch(`${server().url}/api/datasets/${id}/export?format=csv`);
      expect(answer.headers.get('content-type')).toContain('text/csv');
      const content = await answer.text();
      expect(content).toBe(
        [
          'input,expected_output,actual_output,score,metadata,messages',
          '"text, ""quoted""\nand broken\r\n","{""a"":[1,null]}",,,"{""k"":""v""}",',
          'null,,,,,',
          '[true],,a,0.25,,',
          "'=1+1,'@x,'\tt,,,",
          ',,,,{},"[{""role"":""user"",""content"":[{""type"":""text"",""text"":""é😀""}]}]"',
          ',\'-1,,,,"[{""role"":""user"",""content"":null,""x"":1}]"',
          '',
        ].join('\n'),
      );
      const copy = await server().create();
      expect((await uploadRaw(server().url, copy, 'text/csv', content)).body).toMatchObject({ imported: odd.length });
      const neutralised = [
        odd[0],
        odd[1],
        generic({ input: [true], actual_output: 'a', score: 0.25 }),
        generic({ input: "'=1+1", expected_output: "'@x", actual_output: "'\tt" }),
        odd[4],
        { LlmConversation: { messages: [{ role: 'user', content: null, x: 1 }], expected: "'-1", metadata: null } },
      ];
      expect(await kinds(copy)).toEqual(neutralised);
    });

    it('of more than is read at once, or of nothing, is whole', async () => {
      const id = await server().create('…');
      const empty = async (format: string): Promise<string> =>
        (await checkedFetch(`${server().url}/api/datasets/${id}/export?format=${format}`)).text();
      expect([await empty('jsonl'), JSON.parse(await empty('json')), await empty('csv')]).toEqual([
        '',
        [],
        'input,expected_output,actual_output,score,metadata,messages\n',
      ]);
      await uploadRaw(server().url, id, JSONL, rows(2_500));
      const answer = await checkedFetch(`${server().url}/api/datasets/${id}/export`);
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.jsonl"`);
      expect(await answer.text()).toBe(rows(2_500));
      expect((await checkedFetch(`${server().url}/api/datasets/${id}/export?format=xml`)).status).toBe(400);
    });
  });
}
