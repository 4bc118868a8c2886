import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** What becomes of a call that names a cassette (docs/cassettes.md). */
export const CASSETTE_MODES = ['replay', 'record', 'hybrid'] as const;
export type CassetteMode = (typeof CASSETTE_MODES)[number];

export const CASSETTE_TIMINGS = ['none', 'recorded'] as const;
export type CassetteTiming = (typeof CASSETTE_TIMINGS)[number];

/** What users set about cassettes; `spandrel run` sets all of it. */
export class CassetteSettings extends defineSettings(
  {
    /** An absolute path. */
    dir: setting('gateway.cassette.dir', z.string().min(1).nullable(), {
      default: null,
      doc: 'The folder of the cassettes; null: there are none.',
      isPath: true,
      source: { variable: 'SPANDREL_CASSETTE_DIR' },
    }),
    mode: setting('gateway.cassette.mode', z.enum(CASSETTE_MODES), {
      default: 'replay',
      doc: 'replay, record or hybrid. replay: no call leaves, and one that is not on its cassette fails. record: all calls go out and make the cassette new. hybrid: what is there is replayed, the rest is recorded.',
      source: { variable: 'SPANDREL_CASSETTE_MODE' },
    }),
    timing: setting('gateway.cassette.timing', z.enum(CASSETTE_TIMINGS), {
      default: 'none',
      doc: 'Whether streams are replayed at once (none) or with the pauses that were recorded.',
      source: { variable: 'SPANDREL_CASSETTE_TIMING' },
    }),
    /** Set by `spandrel run`. */
    name: setting('gateway.cassette.name', z.string().nullable(), {
      default: null,
      doc: 'The cassette of calls that name none; nothing is recorded as a span while it is set. `spandrel run` sets it.',
      source: { variable: 'SPANDREL_CASSETTE_NAME' },
    }),
  },
  { 'gateway.cassette': 'Recorded calls as test doubles (docs/cassettes.md); in local mode alone.' },
) {}
