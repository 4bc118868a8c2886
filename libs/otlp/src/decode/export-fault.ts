/** An export that cannot be read at all, as opposed to single spans of it that cannot be kept. */
export class ExportFault extends Error {
  /** @param kind `malformed`: answered with 400; `too_large`: with 413. */
  constructor(
    readonly kind: 'malformed' | 'too_large',
    message: string,
  ) {
    super(message);
  }
}
