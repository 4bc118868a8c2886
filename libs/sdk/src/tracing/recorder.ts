import type { Delivery } from '../delivery/delivery.js';
import type { Recording } from '../recording/recording.js';

export interface Recorder {
  readonly recording: Recording;
  readonly delivery: Pick<Delivery, 'started' | 'ended' | 'traced' | 'keep'>;
  /** Does something that must not break the application: what it throws is reported and goes no further. */
  guard(action: () => void): void;
}
