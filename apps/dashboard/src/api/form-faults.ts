import type { FieldError } from '@spandrel/contract';
import { SpandrelError } from '@spandrel/sdk/api';

/** What a form itself finds wrong with a member, before anything is sent. */
export class FormFault extends Error {
  override readonly name = 'FormFault';
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

/** What is wrong with the members of a form, by their paths. */
export class FieldFaults {
  private readonly faults: readonly FieldError[];

  /** @param error what came of sending the form. */
  constructor(error: Error | null) {
    if (error instanceof FormFault) this.faults = [{ path: error.path, message: error.message }];
    else this.faults = error instanceof SpandrelError ? error.errors.map(withDots) : [];
  }

  /** What is wrong at a path or below it: `pattern: must be …`. @param path with places in lists as `gates.0.k`. */
  at(path: string): string | undefined {
    const words = this.faults
      .filter((fault) => isWithin(fault.path, path))
      .map((fault) => (fault.path === path ? fault.message : `${fault.path.slice(path.length + 1)}: ${fault.message}`));
    return words.length === 0 ? undefined : words.join('; ');
  }

  /** Whether each fault has a field that says it. @param paths those that have one. */
  areAllAt(paths: readonly string[]): boolean {
    return this.faults.length > 0 && this.faults.every((fault) => paths.some((path) => isWithin(fault.path, path)));
  }
}

/** Places in lists come as `gates[0].k` and as `gates.0.k`. */
const withDots = ({ path, message }: FieldError): FieldError => ({
  path: path.replaceAll(/\[(\d+)\]/g, '.$1'),
  message,
});

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);
