import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What users set about evaluations. */
export class EvalsSettings extends defineSettings({
  concurrency: setting('evals.concurrency', z.number().int().min(1).max(1_000), {
    default: 4,
    doc: 'Samples of one run that are called at once: tries of its datapoints.',
  }),
  callsMax: setting('evals.calls_max', z.number().int().min(1), {
    default: 256,
    doc: 'Model calls of all runs together at once; more wait their turn.',
  }),
  trace: setting('evals.trace', z.boolean(), {
    default: false,
    doc: 'Runs whose config does not say record the calls of each item as a trace (tag eval), which counts in the sums.',
  }),
  externalIdleMs: setting('evals.external_idle', settingValue.seconds(1, 31_536_000), {
    default: 86_400,
    doc: 'External runs that get no result for so many seconds are cancelled.',
  }),
  paused: setting('evals.paused', z.boolean(), {
    default: false,
    doc: 'The server works on no runs: it begins none and takes none over. Those that are started wait, pending, for a server\nwithout it. For restored copies of a database, whose old runs would go on otherwise.',
    source: { variable: 'SPANDREL_EVALS_PAUSED', kind: 'boolean' },
  }),
}) {}
