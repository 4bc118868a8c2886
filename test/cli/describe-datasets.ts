import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { DatasetResource, ImportResult } from '@spandrel/contract';
import type { Api } from '../support/api.ts';
import { tempDir } from '../support/spandrel.ts';
import type { CommandLine } from './command-line.ts';

/** `spandrel datasets …` on a server. @param lab called within the tests. */
export const describeDatasets = (lab: () => { api: Api; cli: CommandLine }): void =>
  describe('datasets', () => {
    const rows = [
      { input: 'What is 2 + 2?', expected_output: '4' },
      { input: { q: 'tab\tand\u2028more' }, expected_output: [1.5, null], metadata: { n: 1 } },
    ];
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');

    it('go out and in again through pipes', async () => {
      const made = await lab().cli.run(['datasets', 'import', '-', '--dataset', 'sums'], { stdin: lines });
      expect([made.code, made.out]).toEqual([0, 'imported 2 datapoints into "sums"\n']);
      expect(made.err).toMatch(/^made the dataset "sums" \(\w+\)\n$/);
      const exported = await lab().cli.run(['datasets', 'export', 'sums']);
      const read = (text: string) =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown);
      expect(read(exported.out)).toEqual(rows);
      const again = await lab().cli.json<ImportResult>(['datasets', 'import', '-', '--dataset', 'copy'], {
        stdin: exported.out,
      });
      expect(again.imported).toBe(2);
      expect((await lab().cli.run(['datasets', 'export', 'copy'])).out).toBe(exported.out);
      const list = await lab().cli.run(['datasets', 'list']);
      expect(list.out).toMatch(new RegExp(`^${again.dataset_id} +2 +\\d+ .* copy$`, 'm'));
      expect(await lab().cli.json(['datasets', 'list'])).toEqual((await lab().api.get('/api/datasets')).body);
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
      const csv = await lab().cli.run(['datasets', 'import', files[0]!, '--dataset', 'files']);
      expect(csv.out).toBe('imported 1 datapoint into "files"\nignored columns: note\n');
      await lab().cli.run(['datasets', 'import', files[1]!, '--dataset', 'files']);
      expect((await lab().cli.run(['datasets', 'import', files[2]!, '--dataset', 'files'])).code).toBe(2);
      await lab().cli.run(['datasets', 'import', files[2]!, '--dataset', 'files', '--format', 'jsonl']);
      const output = join(folder, 'out.csv');
      const { code, err } = await lab().cli.run(['datasets', 'export', 'files', '-o', output]);
      expect([code, err]).toEqual([0, `wrote 5 datapoints of "files" to ${output}\n`]);
      expect(readFileSync(output, 'utf8').split('\n')[0]).toMatch(/^input,/);
      expect((await lab().cli.run(['datasets', 'export', 'files', '-o', join(folder, 'no/such.csv')])).code).toBe(1);
    });

    it('are refused with the lines that are wrong, or leave those out', async () => {
      const stdin = `${lines}{"output": 1}\n`;
      const refused = await lab().cli.run(['datasets', 'import', '-', '--dataset', 'bad'], { stdin });
      expect(refused.code).toBe(4);
      expect(refused.err).toMatch(/spandrel: validation_failed \(400\): line 3/);
      const skipped = await lab().cli.run(['datasets', 'import', '-', '--dataset', 'bad', '--on-error', 'skip'], {
        stdin,
      });
      expect(skipped.out).toMatch(/^imported 2 datapoints into "bad"\nleft out 1 row:\n {2}line 3: /);
    });

    it('are not guessed where two have the name', async () => {
      const { api } = lab();
      await api.post('/api/datasets', { name: 'twice' });
      const { body } = await api.post<DatasetResource>('/api/datasets', { name: 'twice' });
      const { code, err } = await lab().cli.run(['datasets', 'export', 'twice']);
      expect([code, err]).toEqual([1, expect.stringContaining(body.id)]);
      expect((await lab().cli.run(['datasets', 'export', body.id])).code).toBe(0);
    });
  });
