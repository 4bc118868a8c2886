import { describe, expect, it } from '@jest/globals';
import { importJson } from './import-json.ts';
import { datapoint, dataset, span, trace } from './items.ts';
import type { TransferServer } from './transfer-server.ts';

/** What is refused before anything of it is written, whatever the database. */
export function refusedImports(server: () => TransferServer): void {
  const isEmpty = async (project: string): Promise<boolean> => {
    const file = JSON.parse(await server().export(project)) as Record<string, unknown[]>;
    return ['traces', 'spans', 'datasets', 'datapoints'].every((collection) => file[collection]!.length === 0);
  };

  describe('an import', () => {
    it.each<[what: string, file: string, code: string, detail: RegExp]>([
      ['nothing', '', 'malformed_json', /^line 1: .*not the JSON object/],
      ['a list', '[]', 'malformed_json', /^line 1: .*not the JSON object/],
      ['no version', '{"traces":[]}', 'validation_failed', /^version: is required/],
      ['another version', '{"version":2,"traces":[{"id":"t"}]}', 'validation_failed', /^version: must be 1/],
      ['a broken version', '{"version":1]}', 'malformed_json', /^version: not valid JSON/],
      ['a list that is none', '{"version":1,"spans":{}}', 'validation_failed', /^spans: must be a list/],
      ['a list twice', '{"version":1,"spans":[],"spans":[]}', 'malformed_json', /^line 1.* twice/],
      [
        'half a file',
        '{"version":1,\n"traces":[\n{"id":"t"},\n{"id"',
        'malformed_json',
        /^line 4, at traces\[1\]: .*ends/,
      ],
      ['more than a file', '{"version":1,"traces":[{"id":"t"}]}{}', 'malformed_json', /more behind the end/],
      ['an item that is no JSON', '{"version":1,"traces":[{"id":"t"},{"id":t}]}', 'malformed_json', /^traces\[1\]: /],
      ['an item that is no object', '{"version":1,"traces":[7]}', 'validation_failed', /^traces\[0\]: /],
      ['a bad trace', '{"version":1,"traces":[{"id":"t"},{"id":"no id"}]}', 'validation_failed', /^traces\[1\]\.id: /],
      ['depth', `{"version":1,"traces":[${'['.repeat(300)}`, 'malformed_json', /ends before/],
      [
        'an item too deep',
        `{"version":1,"traces":[${'['.repeat(300)}${']'.repeat(300)}]}`,
        'malformed_json',
        /^traces\[0\]: JSON nests deeper/,
      ],
      ...[
        [{ spans: [span('a'), span('b', { kind: { type: 'llm_call' } })] }, /^spans\[1\]\.kind\.model: /],
        [{ spans: [span('a', { ended_at: '2025-01-01T00:00:00Z' })] }, /^spans\[0\]\.ended_at: must not lie before/],
        [
          { spans: [span('a', { status: 'running' })] },
          /^spans\[0\]\.status: contradicts the other members: a running span/,
        ],
        [{ datasets: [dataset('d', { version: -1 })] }, /^datasets\[0\]\.version: /],
        [{ datasets: [dataset('d', { created_at: 'yesterday' })] }, /^datasets\[0\]\.created_at: /],
        [{ datasets: [dataset('d')], datapoints: [datapoint('p', { kind: {} })] }, /^datapoints\[0\]\.kind: /],
        [{ datasets: [dataset('d')], datapoints: [datapoint('p', { source: 'x' })] }, /^datapoints\[0\]\.source: /],
      ].map(
        ([members, detail]) =>
          [
            `${String(detail)}`,
            JSON.stringify({ version: 1, traces: [trace('t')], ...(members as object) }),
            'validation_failed',
            detail as RegExp,
          ] as [string, string, string, RegExp],
      ),
    ])('of %s imports nothing and says where', async (_what, file, code, detail) => {
      const project = server().project();
      const answer = await server().import(project, file);
      expect([answer.status, answer.body.code]).toEqual([400, code]);
      expect(answer.body.detail).toMatch(detail);
      expect(await isEmpty(project)).toBe(true);
    });

    it('of bytes that are no UTF-8 imports nothing', async () => {
      const project = server().project();
      const bytes = Buffer.concat([
        Buffer.from('{"version":1,"traces":[{"id":"t","name":"'),
        Buffer.from([0xff]),
        Buffer.from('"}]}'),
      ]);
      const answer = await server().import(project, new Uint8Array(bytes));
      expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
      expect(await isEmpty(project)).toBe(true);
    });

    it('beyond the limit is 413, whether or not it says so first', async () => {
      const project = server().project();
      const large = new Uint8Array(server().importBytes + 1).fill(0x20);
      large.set(new TextEncoder().encode('{"version":1}'));
      const headers = { 'x-test-project': project };
      const stream = new Blob([large]).stream();
      for (const answer of [
        await server().import(project, large),
        await importJson(server().url, stream, { headers }),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
      }
      expect((await server().import(project, large.subarray(0, server().importBytes))).status).toBe(200);
    });

    it('of another media type is 415, a compressed one too', async () => {
      const { url } = server();
      for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
        expect((await importJson(url, '{"version":1}', { headers })).status).toBe(415);
      }
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { body } = await importJson(url, '{"version":1}', { headers });
      expect(body.detail).toBe(
        'the file came without a name and with the media type "application/x-www-form-urlencoded"; it must be the JSON of an export: name it .json or send it as application/json',
      );
    });
  });
}
