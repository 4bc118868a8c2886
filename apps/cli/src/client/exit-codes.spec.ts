import { describe, expect, it } from '@jest/globals';
import { SpandrelError } from '@spandrel/sdk';
import { CommandFailure, ExitCode, fail, UsageFault } from './exit-codes.js';

const error = (status: number, code: string, more: object = {}) =>
  new SpandrelError({ status, code, detail: 'what happened', ...more });

describe('how a command ends', () => {
  it('is 3 when no Spandrel answered, whatever else did', () => {
    expect(fail(error(0, 'unreachable')).exitCode).toBe(ExitCode.unreachable);
    expect(fail(error(502, 'unexpected_answer')).exitCode).toBe(ExitCode.unreachable);
  });

  it('is 4 when the server refused, with its code', () => {
    const { exitCode, lines } = fail(error(404, 'trace_not_found'));
    expect([exitCode, ...lines]).toEqual([ExitCode.refused, 'trace_not_found (404): what happened']);
    expect(fail(error(401, 'unauthenticated')).lines[1]).toContain('SPANDREL_API_KEY');
    expect(fail(error(503, 'unavailable', { requestId: 'r1' })).lines[0]).toBe(
      'unavailable (503; request r1): what happened',
    );
  });

  it('names each fault of several', () => {
    const errors = ['name', 'tags'].map((path) => ({ path, message: 'is wrong' }));
    expect(fail(error(400, 'validation_failed', { errors })).lines.slice(1)).toEqual([
      '  name: is wrong',
      '  tags: is wrong',
    ]);
  });

  it('is what a failure says, and 1 for all else', () => {
    expect(fail(new UsageFault('a\nb'))).toEqual({ exitCode: ExitCode.usage, lines: ['a', 'b'] });
    expect(fail(new CommandFailure('gate', ExitCode.gate)).exitCode).toBe(10);
    expect(fail(new TypeError('oops'))).toEqual({ exitCode: ExitCode.unforeseen, lines: ['oops'] });
  });
});
