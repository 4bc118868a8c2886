/** What is called for the result of a function. No method throws but `run`, which throws what its work throws. */
export interface Watch {
  /** Makes a step of a generator. */
  run<Result>(step: () => Result): Result;
  /** A generator or stream gave an item. */
  item?(item: unknown): void;
  /** It gave all that it will: a value, or what a generator returned after its items. */
  ended?(value: unknown): void;
  failed?(error: unknown): void;
}
