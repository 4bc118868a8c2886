import { describe, expect, it } from '@jest/globals';
import { Gauge, Registry } from '@prometheus-io/client';
import { metricsText } from './metrics.js';

describe('metricsText', () => {
  it('writes what is not known as the format of Prometheus has it', async () => {
    const registry = new Registry();
    const lag = new Gauge({ name: 'lag_seconds', help: 'Nan', registers: [registry] });
    lag.set(NaN);
    expect(await metricsText(registry)).toMatch(/^# HELP lag_seconds Nan\n# TYPE lag_seconds gauge\nlag_seconds NaN\n/);
  });
});
