/**
 * What the fake provider is to do, by name, each with an argument if it takes one: `error-429`, `slow:200`. Several are
 * joined with `+`: `tools+gzip+slow-stream:10`. Named by the header `x-fake`, by what was said last if that begins with
 * `fake:<scenario>`, by the model `fake:<scenario>`, or by such a system message. `times:<n>` keeps to the first n calls that say the same to the same model;
 * `held` waits until the test releases it.
 */
export type Scenario = ReadonlyMap<string, string>;

export function readScenario(header: string | undefined, model: unknown, said = '', system?: unknown): Scenario {
  const named = header ?? namedIn(said) ?? namedIn(model) ?? namedIn(system) ?? '';
  const parts = named.split('+').filter((part) => part !== '');
  return new Map(
    parts.map((part) => {
      const [name = '', argument = ''] = part.trim().split(':');
      return [name, argument];
    }),
  );
}

/** `fake:<scenario>`, up to the first blank. */
const namedIn = (text: unknown): string | undefined =>
  typeof text === 'string' ? /^fake:(\S*)/.exec(text)?.[1] : undefined;

/** The number a scenario was given, else the default. */
export function numberOf(scenario: Scenario, name: string, otherwise: number): number {
  const given = scenario.get(name);
  return given === undefined || given === '' ? otherwise : Number(given);
}

/** The status of `error-<status>`; `undefined` when the scenario is no error. */
export function errorStatusOf(scenario: Scenario): number | undefined {
  const name = [...scenario.keys()].find((key) => /^error-\d{3}$/.test(key));
  return name === undefined ? undefined : Number(name.slice('error-'.length));
}
