import { serialise } from './json-writer.js';

/** What a mask is given a value of. */
export interface MaskPlace {
  readonly field: 'input' | 'output' | 'metadata' | 'error';
  /** What it belongs to. */
  readonly of: 'span' | 'trace';
  /** The name of that span or trace. */
  readonly name: string;
}

/**
 * Gives what is recorded in the place of a value, which is the caller's own and must not be changed. One that throws drops
 * the value.
 */
export type Mask = (value: unknown, where: MaskPlace) => unknown;

/** What about a span or trace was not recorded as it was; goes into its metadata. */
export interface Faults {
  truncated?: true;
  mask_failed?: MaskPlace['field'][];
  kind_refused?: string;
}

/** Makes values JSON as they are to be sent. No method throws. */
export class Recording {
  constructor(
    private readonly payloadBytes: number,
    private readonly mask: Mask | undefined,
    private readonly masksSecrets: boolean,
    /** Takes a sentence for a person. */
    readonly report: (about: string, sentence: string) => void,
  ) {}

  /** @returns its JSON, `undefined` when there is nothing to send; what was left out is noted in `faults`. */
  payload(value: unknown, where: MaskPlace, faults: Faults): string | undefined {
    return this.unmasked(this.masked(value, where, faults), faults);
  }

  /** The JSON of a value that no mask is asked about. */
  unmasked(value: unknown, faults: Faults): string | undefined {
    const { json, isTruncated } = serialise(value, this.payloadBytes, this.masksSecrets);
    if (isTruncated) faults.truncated = true;
    return json;
  }

  /** @returns the value behind the mask; `undefined` when the mask throws. */
  masked(value: unknown, where: MaskPlace, faults: Faults): unknown {
    if (this.mask === undefined || value === undefined) return value;
    try {
      return this.mask(value, where);
    } catch {
      (faults.mask_failed ??= []).push(where.field);
      // What was thrown may hold the value.
      this.report(
        'mask',
        `the mask threw: a value is not recorded (${where.field} of the ${where.of} "${where.name}")`,
      );
      return undefined;
    }
  }

  /** @returns the JSON of an object: what is none becomes its member `value`. `undefined` when it would be empty. */
  metadata(value: unknown, where: MaskPlace, faults: Faults): string | undefined {
    const json = this.payload(value, where, faults);
    const members = json === undefined || json.startsWith('{') ? (json ?? '{}') : `{"value":${json}}`;
    if (Object.keys(faults).length === 0) return json === undefined ? undefined : members;
    const noted = JSON.stringify(faults);
    return members === '{}' ? noted : `${members.slice(0, -1)},${noted.slice(1)}`;
  }
}
