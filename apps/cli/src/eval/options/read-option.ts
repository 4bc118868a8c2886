import { UsageFault } from '../../client/exit-codes.js';

/** Gathers the values of an option that may come often, for commander. */
export const collected = (value: string, before: string[] = []): string[] => [...before, value];

/** Reads the value of an option. @throws UsageFault that names the option, for whatever `read` throws. */
export function readOption<Value>(name: string, text: string, read: (text: string) => Value): Value {
  try {
    return read(text);
  } catch (error) {
    throw new UsageFault(`${name}: ${(error as Error).message}`);
  }
}

/** Reads a number. @throws UsageFault */
export const readNumber = (name: string, text: string | undefined): number | undefined =>
  text === undefined
    ? undefined
    : readOption(name, text, () => {
        const number = Number(text);
        if (text.trim() === '' || !Number.isFinite(number)) throw new Error(`must be a number, not "${text}"`);
        return number;
      });
