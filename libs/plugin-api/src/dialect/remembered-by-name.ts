/** Beyond this many names, those that are new are worked out each time; so are names longer than any instrumentation's. */
const NAMES_MAX = 8_192;
const NAME_LENGTH_MAX = 128;

/**
 * What is worked out from a name, once for each: names of attributes are few and come again and again.
 * @param workOut pure; its result is given to every caller, who must not change it.
 */
export function rememberedByName<Result>(workOut: (name: string) => Result): (name: string) => Result {
  const known = new Map<string, Result>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const result = workOut(name);
    if (known.size < NAMES_MAX && name.length <= NAME_LENGTH_MAX) known.set(name, result);
    return result;
  };
}
