/** How messages are shown. */
export interface MessageReading {
  format: 'rendered' | 'text' | 'json';
  wraps: boolean;
  /** Marked wherever it is; `''` for nothing. */
  sought: string;
}
