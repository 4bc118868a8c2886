import { describe, expect, it } from '@jest/globals';
import { droppedScopes } from './span-record.js';

describe('otlp.drop_scopes', () => {
  it('names scopes, or how their names begin', () => {
    const isDropped = droppedScopes(['http', '@opentelemetry/instrumentation-*']);
    expect(['http', '@opentelemetry/instrumentation-fs'].map(isDropped)).toEqual([true, true]);
    expect(['https', '', '@opentelemetry/api'].map(isDropped)).toEqual([false, false, false]);
  });

  it('names none by default, and all by a star', () => {
    expect(droppedScopes([])('a')).toBe(false);
    expect(droppedScopes(['*'])('a')).toBe(true);
  });
});
