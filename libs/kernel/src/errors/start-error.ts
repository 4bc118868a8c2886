/** The start is refused: one line a fault, fit to be printed as it is. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}
