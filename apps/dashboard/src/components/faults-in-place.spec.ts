import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const SOURCES = 'apps/dashboard/src';

/** What is announced there is not the answer to a request: what a field does not take, or which sign-in is refused. */
const WITHOUT_REQUEST = [
  ...['components/field.tsx', 'features/filters/filter-dialog.tsx', 'features/scores/score-field.tsx'],
  ...['pages/events/events-page.tsx', 'pages/sign-in/sign-in-page.tsx'],
];

/** The parts that show the code of an error, the id of its request and `Copy`. */
const SHOWN_WHOLE = /QueryFault|FaultNotice|notifyError|title=|failed=|failed:/;

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx'))
  .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(SOURCES, file), 'utf8') }));

describe('errors in place of what they keep from being shown', () => {
  it('have their code, the id of their request and Copy, wherever they are', () => {
    const others = files.filter(({ text }) => text.includes('role="alert"')).map(({ file }) => file);
    expect(others.toSorted()).toEqual([...WITHOUT_REQUEST, 'components/page-parts.tsx'].toSorted());
  });

  it('are shown by the parts that have these', () => {
    const bare = files.flatMap(({ file, text }) => {
      const lines = text.split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
      return lines.flatMap((line, at) =>
        /could not be (loaded|read|shown|changed|deleted|added|saved)/.test(line) &&
        !SHOWN_WHOLE.test(lines.slice(Math.max(0, at - 2), at + 1).join('\n'))
          ? [`${file}: ${line.trim()}`]
          : [],
      );
    });
    expect(bare).toEqual([]);
  });
});
