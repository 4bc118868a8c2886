import { describe, expect, it } from '@jest/globals';
import type { Logger } from '@spandrel/kernel';
import { CaptureWarning } from './call-recording.js';

describe('CaptureWarning', () => {
  it('writes one line a minute, with the number of calls since the last one', () => {
    const lines: unknown[] = [];
    const logger = { warn: (facts: unknown) => lines.push(facts) } as unknown as Logger;
    let now = 5;
    const warning = new CaptureWarning(logger, () => now);
    for (let call = 0; call < 1_000; call++) warning.notUnderstood(`first-${call}`);
    expect(lines).toEqual([{ calls: 1, span_id: 'first-0' }]);
    now += 60_000;
    warning.notUnderstood('later');
    warning.notUnderstood('again');
    expect(lines.slice(1)).toEqual([{ calls: 1_000, span_id: 'later' }]);
  });
});
