import { DomainError, Invalid } from '@spandrel/kernel';

/** Keeps what all bodies being decoded at once take within a bound (setting `otlp.decode_bytes`). */
export class DecodeBudget {
  private taken = 0;

  constructor(private readonly bytesMax: number) {}

  /** Bytes held at the moment. */
  get bytes(): number {
    return this.taken;
  }

  /** Begins a body, which takes bytes as they come and are read, and gives them all back at its end. */
  open(): BodyBudget {
    let own = 0;
    return {
      take: (bytes) => {
        if (own + bytes > this.bytesMax) throw tooLarge(this.bytesMax);
        if (this.taken + bytes > this.bytesMax) throw full();
        this.taken += bytes;
        own += bytes;
      },
      close: () => {
        this.taken -= own;
        own = 0;
      },
    };
  }
}

/** What one body holds. */
export interface BodyBudget {
  /**
   * @throws DomainError `unavailable` when all bodies together would take too much; Invalid `payload_too_large` when this
   * one alone would, which no waiting changes.
   */
  take(bytes: number): void;
  close(): void;
}

const tooLarge = (bytesMax: number): Invalid =>
  new Invalid(
    'payload_too_large',
    `reading the export would take more than ${bytesMax} bytes (otlp.decode_bytes); let the exporter send smaller batches`,
  );

const full = (): DomainError =>
  new DomainError('unavailable', 'too many exports are being read at once; send this one again', {
    retryAfterSeconds: 1,
  });
