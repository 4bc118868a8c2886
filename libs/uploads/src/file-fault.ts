/** A file that cannot be read on: there is no saying where the next row begins. `message` is fit for the caller. */
export class FileFault extends Error {
  override readonly name = 'FileFault';

  /** @param line the line of the file at which reading stopped, from 1 on. */
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}
