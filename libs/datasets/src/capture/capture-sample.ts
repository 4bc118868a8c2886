import { hash } from 'node:crypto';

const BYTES = 6;
const RANGE = 2 ** (8 * BYTES);

/**
 * Whether a rule's sample takes a span: the same answer whenever it is asked, and a sample of a higher rate holds every
 * span of a lower one (docs/spec/capture-rules.md#the-sample).
 * @param sampleRate 0 takes none, 1 all.
 */
export function isSampled(ruleId: string, spanId: string, sampleRate: number): boolean {
  if (sampleRate <= 0 || sampleRate >= 1) return sampleRate >= 1;
  return hash('sha256', `${ruleId}:${spanId}`, 'buffer').readUIntBE(0, BYTES) / RANGE < sampleRate;
}
