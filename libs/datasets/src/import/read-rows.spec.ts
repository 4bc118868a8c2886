import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { FileFault } from '@spandrel/uploads';
import { anyCharacter } from '../../../../test/support/any-character.js';
import type { FileFormat } from './file-format.js';
import { readRows } from './read-rows.js';
import { type SourceRow } from './source-row.js';

const LIMIT = 1_000;

/** Reads bytes that come in pieces of these sizes, over and over. */
async function read(bytes: Buffer | string, format: FileFormat, sizes: readonly number[] = [7]): Promise<SourceRow[]> {
  const whole = Buffer.from(bytes);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0, turn = 0; at < whole.length; turn++) {
      const size = sizes[turn % sizes.length]!;
      yield whole.subarray(at, at + size);
      at += size;
    }
  }
  const rows: SourceRow[] = [];
  for await (const some of readRows(chunks(), format, LIMIT)) rows.push(...some);
  return rows;
}

const fault = async (bytes: Buffer | string, format: FileFormat): Promise<[number, string]> => {
  const error = await read(bytes, format).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof FileFault)) throw new Error(`no FileFault: ${String(error)}`);
  return [error.line, error.message];
};

const anyCut = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const anyText = fc.string({ unit: anyCharacter });

/** JSON knows no -0. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('rows of JSON lines', () => {
  it('are the lines that are not empty, with their numbers', async () => {
    expect(await read('{"a":1}\r\n\n  \n{"b":2}\n{"c":3}', 'jsonl')).toEqual([
      { line: 1, json: '{"a":1}\r' },
      { line: 4, json: '{"b":2}' },
      { line: 5, json: '{"c":3}' },
    ]);
    for (const text of ['', ' \n\n', '\ufeff']) {
      expect(await fault(text, 'jsonl')).toEqual([1, expect.stringMatching(/^the file is empty; .*"input"/)]);
    }
  });

  it('are the same however the bytes are cut', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.json(), { minLength: 1 }), anyCut, async (values, sizes) => {
        const rows = await read(values.join('\n'), 'jsonl', sizes);
        expect(rows).toEqual(values.map((json, index) => ({ line: index + 1, json })));
      }),
    ));

  it('are at fault beyond the limit, in bytes, and those behind are read', async () => {
    const long = (length: number): string => `"${'é'.repeat(length)}"`;
    const fits = long((LIMIT - 2) / 2);
    expect(await read(`${long(LIMIT)}\n${long(LIMIT / 2)}\n${fits}\n1`, 'jsonl')).toEqual([
      { line: 1, fault: 'the row is larger than 1000 bytes' },
      { line: 2, fault: 'the row is larger than 1000 bytes' },
      { line: 3, json: fits },
      { line: 4, json: '1' },
    ]);
  });
});

describe('rows of a JSON array', () => {
  it('are its elements with the lines they begin in', async () => {
    const text = '\n [ {"a":"]}\\"[,"},\n\n [1,{"b":[2]}] ,3, "x\\\\" ]\n ';
    expect(await read(text, 'json', [1])).toEqual([
      { line: 2, json: '{"a":"]}\\"[,"}' },
      { line: 4, json: '[1,{"b":[2]}] ' },
      { line: 4, json: '3' },
      { line: 4, json: '"x\\\\" ' },
    ]);
    expect(await read('[ ]', 'json')).toEqual([]);
  });

  it('are the same however the text is cut and laid out', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), anyCut, async (values, indent, sizes) => {
        const rows = await read(JSON.stringify(values, null, indent), 'json', sizes);
        const found = rows.map((row) => ('json' in row ? (JSON.parse(row.json) as unknown) : undefined));
        const modest = values.map((value) => Buffer.byteLength(JSON.stringify(value, null, 2)) < LIMIT / 2);
        expect(found.map((value, i) => modest[i] && value)).toEqual(
          values.map((value, i) => modest[i] && asJson(value)),
        );
      }),
    ));

  it('are at fault beyond the limit, and those behind are read', async () => {
    expect(await read(`[{"a":[${'1,'.repeat(LIMIT)}1]}\n,2]`, 'json')).toEqual([
      { line: 1, fault: 'the row is larger than 1000 bytes' },
      { line: 2, json: '2' },
    ]);
  });

  it.each([
    ['{"a":1}', 1, /not a JSON array/],
    ['', 1, /^the file is empty; .*"input"/],
    ['\n\n', 1, /^the file is empty/],
    ['[1]\n,', 2, /more behind the end/],
    ['[1][2]', 1, /more behind the end/],
    ['[1,\n2', 2, /ends before its array/],
    ['["a', 1, /ends before its array/],
    ['[', 1, /ends before its array/],
    ['[1,\n,2]', 2, /element of the array is missing/],
    ['[1,]', 1, /element of the array is missing/],
    ['[,1]', 1, /element of the array is missing/],
  ])('are refused in %j, line %i', async (text, line, message) => {
    expect(await fault(text, 'json')).toEqual([line, expect.stringMatching(message)]);
  });
});

describe('rows of CSV', () => {
  it('are cells of known columns, empty ones absent', async () => {
    const text = ' Input ,EXPECTED_output,other,metadata\r\n"a ""b"",\r\nc",,x,{}\r\n\r\n1,say "hi",,\r\n';
    expect(await read(text, 'csv', [1])).toEqual([
      {
        ...{ line: 2, cells: { input: 'a "b",\r\nc', metadata: '{}' } },
        metadata: [{ column: 'other', key: 'other', cell: 'x' }],
      },
      { line: 5, cells: { input: '1', expected_output: 'say "hi"' } },
    ]);
    for (const end of ['\n', '\r', '\r\n']) {
      const cells = (input: string) => ({ input });
      expect(await read(`input${end}a${end}"b${end}"${end}c`, 'csv', [2])).toEqual([
        { line: 2, cells: cells('a') },
        { line: 3, cells: cells(`b${end}`) },
        { line: 5, cells: cells('c') },
      ]);
    }
  });

  it('have members of the metadata in columns of other names, those named metadata.NAME last', async () => {
    const text = 'metadata.Lang, Topic ,input,,Lang,METADATA.x,metadata.\nen,law,q,?,de,1,!\n,,q,,de,,\n';
    const topic = { column: ' Topic ', key: 'Topic', cell: 'law' };
    const lang = { column: 'Lang', key: 'Lang', cell: 'de' };
    expect(await read(text, 'csv')).toEqual([
      {
        ...{ line: 2, cells: { input: 'q' }, others: ['', 'metadata.'] },
        metadata: [
          ...[topic, lang, { column: 'metadata.Lang', key: 'Lang', cell: 'en' }],
          { column: 'METADATA.x', key: 'x', cell: '1' },
        ],
      },
      { line: 3, cells: { input: 'q' }, metadata: [lang] },
    ]);
  });

  it('are the same however the bytes are cut', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyText, anyText)), anyCut, async (records, sizes) => {
        const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
        const text = ['input,target', ...records.map((cells) => cells.map(quoted).join(','))].join('\n');
        const rows = await read(text, 'csv', sizes);
        expect(rows.map((row) => 'cells' in row && [row.cells.input ?? '', row.cells.target ?? ''])).toEqual(records);
      }),
    ));

  it('are at fault with more or fewer cells than the header', async () => {
    expect(await read('input,target\n1\n1,2,3\n1,2\n,,,\n,\n', 'csv')).toEqual([
      { line: 2, fault: 'the row has 1 cells, the header row has 2' },
      { line: 3, fault: 'the row has 3 cells, the header row has 2' },
      { line: 4, cells: { input: '1', target: '2' } },
      { line: 5, cells: {} },
      { line: 6, cells: {} },
    ]);
  });

  it.each([
    ['a header of other names', 'question,answer\n1,2', 1, /neither a column input nor a column messages/],
    [
      'semicolons',
      'input;anser\n1;2',
      1,
      /separated by semicolons: it has "input", "anser".*separated by commas.* input \(or messages\)/,
    ],
    ['tabs', 'Input\ttarget\n1\t2', 1, /separated by tabs: it has "Input", "target"; save/],
    ['a separator in the last of its names', 'a,b;c\n1,2', 1, /it has "a", "b;c"; expected are input/],
    [
      'a misspelt header',
      'inputs,targets\n1,2',
      1,
      /"inputs" \(did you mean input\?\), "targets" \(did you mean target/,
    ],
    ['nothing in it', '', 1, /^the file is empty; expected is a header row .*input \(or messages\)/],
    ['empty lines in it', '\n\n', 1, /^the file is empty/],
    ['a column named twice', 'input,Input\n1,2', 1, /column input twice/],
    ['another column named twice', 'input,topic, topic\n1,2,3', 1, /column topic twice/],
    ['a member of the metadata named twice', 'input,metadata.a,Metadata.a\n1,2,3', 1, /column metadata.a twice/],
    ['an open quote', 'input\n1\n"2\n3\n4', 3, /quote that is never closed/],
    ['a row beyond the limit', `input\n1\n"${'x\n'.repeat(LIMIT)}"\n`, 3, /larger than 1000 bytes/],
  ])('are refused with %s', async (_what, text, line, message) => {
    expect(await fault(text, 'csv')).toEqual([line, expect.stringMatching(message)]);
  });

  it('are none when there is nothing behind the header', async () => expect(await read('input\n', 'csv')).toEqual([]));
});

describe('the text of a file', () => {
  it('is UTF-8, with a byte order mark or without', async () => {
    for (const size of [1, 2, 3, 100]) {
      expect(await read('\ufeff"é😀\ufeff"', 'jsonl', [size])).toEqual([{ line: 1, json: '"é😀\ufeff"' }]);
      expect(await read('é', 'jsonl', [size])).toEqual([{ line: 1, json: 'é' }]);
    }
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeff[1]', 'utf16le'), 1, /UTF-16/],
    ['UTF-16, big-endian', Buffer.from('\ufeff[1]', 'utf16le').swap16(), 1, /UTF-16/],
    ['UTF-16 without a mark', Buffer.from('[1]', 'utf16le'), 1, /UTF-16/],
    ['UTF-16, big-endian, without a mark', Buffer.from('[1]', 'utf16le').swap16(), 1, /UTF-16/],
    ['Latin-1', Buffer.from('"a"\n"\xe9"\n', 'latin1'), 2, /not valid UTF-8/],
    ['a character cut off', Buffer.from('"a"\n\n"\xf0\x9f\x98', 'latin1'), 3, /not valid UTF-8/],
    ['a surrogate', Buffer.from('"\xed\xa0\x80"', 'latin1'), 1, /not valid UTF-8/],
    ['one byte', Buffer.from('\x80', 'latin1'), 1, /not valid UTF-8/],
  ])('is not %s', async (_what, bytes, line, message) => {
    expect(await fault(bytes, 'jsonl')).toEqual([line, expect.stringMatching(message)]);
  });

  it('is distinguished from other bytes, and the line named, however they are cut', () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyText), fc.uint8Array({ minLength: 1 }), anyCut, async (lines, bytes, sizes) => {
        const before = `x${lines.map((line) => line.replaceAll('\n', '')).join('\n')}`;
        const whole = Buffer.concat([Buffer.from(before), Buffer.from(bytes)]);
        const outcome = await read(whole, 'jsonl', sizes).then(
          () => undefined,
          (error: FileFault) => error.line,
        );
        if (whole[1] === 0) return;
        const firstBad = whole
          .toString('latin1')
          .split('\n')
          .findIndex((line) => {
            const own = Buffer.from(line, 'latin1');
            return !Buffer.from(own.toString('utf8')).equals(own);
          });
        expect(outcome).toBe(firstBad === -1 ? undefined : firstBad + 1);
      }),
    ));
});

describe('a CSV file of short lines', () => {
  it('is read in slices: others have their turn in between', async () => {
    let turns = 0;
    let isReading = true;
    const count = (): void => {
      turns++;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    expect(await read(`input\n${'a\n'.repeat(50_000)}`, 'csv', [65_536])).toHaveLength(50_000);
    clock.mockRestore();
    isReading = false;
    expect(turns).toBeGreaterThan(8);
  });
});
