import { readFileSync } from 'node:fs';
import type { RecordedCallFixture } from './provider-fixtures.js';

/** Reads the recorded requests and answers that lie beside a plugin's tests. */
export interface FixtureFolder {
  /** A file parsed from JSON. */
  json(file: string): unknown;
  /** A file as text: a streamed answer. */
  text(file: string): string;
  /** A recorded call: a request file (JSON), and an answer file that is whole (`.json`) or streamed (any other). */
  call(files: CallFiles, expected: RecordedCallFixture['expected']): RecordedCallFixture;
}

export interface CallFiles {
  path: string;
  headers?: Record<string, string>;
  /** Name of the request's file without `.request.json`. */
  request: string;
  answer: string;
  breaksOff?: boolean;
}

/** @param folder URL of the folder: `new URL('./fixtures/', import.meta.url)`. */
export function fixturesIn(folder: URL): FixtureFolder {
  const text = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
  const json = (file: string): unknown => JSON.parse(text(file));
  return {
    text,
    json,
    call: ({ path, headers, request, answer, breaksOff }, expected) => ({
      name: `${path} (${answer})`,
      request: { path, ...(headers && { headers }), body: json(`${request}.request.json`) },
      answer: answer.endsWith('.json') ? { whole: json(answer) } : { streamed: text(answer) },
      expected,
      ...(breaksOff !== undefined && { breaksOff }),
    }),
  };
}
