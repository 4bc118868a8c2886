import { positionIn, rawSql, sql, type Sql } from '@spandrel/storage';

/** Longest number that JSON has, with what ends it. */
const NUMBER_LENGTH_MAX = 32;

/** Between what is said of two scorers; JSON text has none. */
const BETWEEN = '\n';

/**
 * What the column `s.scores` says of each scorer, in few characters: their reasons may be long, and neither leave the database nor
 * are parsed. The text begins with `{"name":{"score":` for each scorer, since the service writes it, and the place of that is where
 * the score is; a text inside a reason has its quotes escaped. A scorer that is not found so has the whole text instead.
 */
export const saidOf = (names: readonly string[]): Sql =>
  names.map(saidOfOne).reduce((before, one) => sql`${before} || ${BETWEEN} || ${one}`);

function saidOfOne(name: string): Sql {
  const head = headOf(name);
  const place = positionIn('s.scores', head);
  return sql`case when ${place} = 0 then s.scores
    else substr(s.scores, ${place} + ${rawSql(String([...head].length))}, ${rawSql(String(NUMBER_LENGTH_MAX))}) end`;
}

const headOf = (name: string): string => `${JSON.stringify(name)}:{"score":`;

/**
 * The scores that a row tells by {@link saidOf}.
 * @param names of the scorers, as they were given to it.
 */
export function scoresSaid(said: string, names: readonly string[]): (number | null)[] {
  const texts = said.split(BETWEEN);
  return names.map((name, index) => {
    const text = texts[index]!;
    return text.startsWith('{') ? scoreIn(text, name) : numberAtStart(text);
  });
}

function scoreIn(scores: string, name: string): number | null {
  const all = JSON.parse(scores) as Record<string, { score?: number | null } | undefined>;
  return (Object.hasOwn(all, name) ? all[name]?.score : null) ?? null;
}

function numberAtStart(text: string): number | null {
  const value = text.slice(0, text.search(/[,}]/));
  return value === 'null' ? null : Number(value);
}
