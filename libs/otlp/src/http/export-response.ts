import type { Rejection } from '../write/rejections.js';
import type { OtlpEncoding } from './otlp-protocol.js';
import { ProtobufMessage } from './protobuf-message.js';

/** What the partial success of a signal calls its count in JSON. */
export type RejectedName = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints';

/** Bytes that the message of a partial success may have. */
const MESSAGE_BYTES_MAX = 4_096;

/**
 * The answer to an export that was taken, as a whole or in part: empty, or with the count of what was left out and why.
 * @param name what is counted.
 */
export function exportResponse(rejected: readonly Rejection[], name: RejectedName, encoding: OtlpEncoding): Buffer {
  const count = rejectedCount(rejected);
  if (count === 0) return Buffer.from(encoding === 'json' ? '{}' : '');
  const errorMessage = rejectionMessage(rejected);
  if (encoding === 'json') {
    return Buffer.from(JSON.stringify({ partialSuccess: { [name]: String(count), errorMessage } }));
  }
  return new ProtobufMessage().message(1, new ProtobufMessage().integer(1, count).text(2, errorMessage)).end();
}

export const rejectedCount = (rejected: readonly Rejection[]): number =>
  rejected.reduce((sum, { count }) => sum + count, 0);

/** Each reason with its count and the first span that it is about, in 4 KiB at most. */
export function rejectionMessage(rejected: readonly Rejection[]): string {
  let message = '';
  for (const { reason, count, firstSpanId } of rejected) {
    const first = firstSpanId === '' ? '' : `, first span ${firstSpanId.slice(0, SHOWN_MAX)}`;
    const next = `${message === '' ? '' : '; '}${shown(reason)} (${count}${first})`;
    if (Buffer.byteLength(message + next) > MESSAGE_BYTES_MAX - MORE.length) return message + MORE;
    message += next;
  }
  return message;
}

const MORE = '; ...';

const SHOWN_MAX = 200;

const shown = (reason: string): string => (reason.length > SHOWN_MAX ? `${reason.slice(0, SHOWN_MAX)}...` : reason);
