/** Work on what outsiders send grows with its length and no faster (docs/reliability.md#hostile-bodies): four times as much takes about four times as long. */
import { expect, it } from '@jest/globals';
import { requestHeaders } from '../../apps/gateway/src/forward/forward-headers.js';
import { parseBase } from '../../apps/gateway/src/target/provider-table.js';
import { KeyRedaction } from '../../libs/connections/src/keys/key-redaction.js';
import { whyAllFailed } from '../../libs/evals/src/finish-run.js';
import { MessageStream } from '../../plugins/providers/anthropic/message-answer.js';
import { growth } from '../support/growth.js';

const stream = (member: string) => (length: number) => () => {
  const reader = new MessageStream();
  for (let n = 0; n < length; n++) reader.push({ event: 'message_delta', data: `{"${member}":{"k${n}":1}}` });
  reader.answer();
};
const redaction = (key: string, text: (length: number) => string) => (length: number) => {
  const given = text(length);
  return () => new KeyRedaction(key).redact(given);
};

it.each<[string, number, (length: number) => () => unknown]>([
  [
    'names in Connection',
    250,
    (length) => {
      const headers = Array.from({ length }, (_, n) => [`x${n}`, 'v']).flat();
      const named = Array.from({ length: 8 * length }, (_, n) => `y${n}`).join();
      return () => requestHeaders(headers, named, 'h', new Set());
    },
  ],
  ['slashes of X-Forward-URL', 16_000, (length) => () => parseBase(`http://a/${'/'.repeat(length)}a`, false)],
  ['members of the deltas of a stream', 2_000, stream('delta')],
  ['members of the usages of a stream', 2_000, stream('usage')],
  ['masked keys without their ends', 20_000, redaction('sk-abcdefghijklmnop', (length) => 'sk-***'.repeat(length))],
  ['what is like a key', 100_000, redaction(`${'ab'.repeat(250)}c`, (length) => 'ab'.repeat(length))],
  ['the error of an item', 20_000, (length) => () => whyAllFailed(1, [{ error: 'A-'.repeat(length), count: 1 }])],
])('%s take linear time', (_what, length, prepare) => {
  expect(growth(prepare, length, 4, 10)).toBeLessThan(10);
});
