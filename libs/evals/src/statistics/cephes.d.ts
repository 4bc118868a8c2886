/** The functions in use; the package has types, and its `exports` hide them. Docs: https://www.netlib.org/cephes/doubldoc.html. */
declare module 'cephes' {
  /** Resolves once the others may be called. */
  export const compiled: Promise<void>;
  export function stdtr(degreesOfFreedom: number, t: number): number;
  export function stdtri(degreesOfFreedom: number, share: number): number;
  export function bdtr(successes: number, trials: number, p: number): number;
}
