import { Injectable } from '@nestjs/common';
import {
  getOrMake,
  type AgreementOfScores,
  type AgreementQuery,
  type QueueProgress,
  type ScoreDefinition,
  type ScoreLevel,
} from '@spandrel/contract';
import { inTurns, type Scope } from '@spandrel/kernel';
import { estimateMean, scoreDefinition, ScoreDefinitionStore, wilson } from '@spandrel/scores';
import {
  fromJsonText,
  integer,
  nullable,
  number,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type RowOfShape,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { measureAgreement, type Unit } from './agreement.js';
import { QUEUE_STATUS } from './queue-item.entity.js';

/** Reviews that one question looks at, the newest first. */
const REVIEWS_MAX = 100_000;

const WORK = shapeOf({
  ...{ status: integer(), skipped: integer(), reviewer: nullable(text()), ms: nullable(integer()) },
  ...{ gold: nullable(text()), answers: text(), form: text(), ciWidth: nullable(number()) },
});
const ANSWERS = shapeOf({ unit: text(), rater: text(), answers: text(), adjudicates: integer() });

type Answer = readonly [name: string, value: number | null, label: string | null];

/** How a dataset is reviewed, and how far its reviewers agree (docs/spec/queue.md#progress-and-agreement). */
@Injectable()
export class ReviewStore {
  constructor(
    private readonly storage: Storage,
    private readonly definitions: ScoreDefinitionStore,
  ) {}

  async progress(scope: Scope, datasetId: string): Promise<QueueProgress> {
    const { projectId } = scope;
    const rows = await this.storage.readLong(
      WORK.query`select q.status as status, q.skipped as skipped, q.claimed_by as reviewer,
          q.completed_at - q.claimed_at as ms, q.gold as gold, q.answers as answers,
          q.form as form, q.ci_width as "ciWidth" from queue_item q where q.project_id = ${projectId} and q.dataset_id = ${datasetId}
        order by q.id desc limit ${REVIEWS_MAX}`,
      scope,
    );
    const count = (status: number, of = rows): number => of.filter((row) => row.status === status).length;
    const byReviewer = Map.groupBy(
      rows.filter(({ reviewer }) => reviewer !== null),
      ({ reviewer }) => reviewer!,
    );
    const bounded = new Map(
      rows.flatMap(({ form, ciWidth }) => (ciWidth === null ? [] : [[`${ciWidth} ${form}`, { form, ciWidth }]])),
    );
    const estimates: Estimate[] = [];
    for (const [, of] of bounded) estimates.push(...(await this.estimates(scope, datasetId, of)));
    return {
      pending: count(QUEUE_STATUS.pending),
      claimed: count(QUEUE_STATUS.claimed),
      completed: count(QUEUE_STATUS.completed),
      skipped: rows.filter(({ skipped }) => skipped === 1).length,
      reviewers: [...byReviewer].toSorted(inOrder).map(([reviewer, own]) => ({
        reviewer,
        claimed: count(QUEUE_STATUS.claimed, own),
        completed: count(QUEUE_STATUS.completed, own),
        median_seconds: medianSeconds(own),
        ...accuracyOf(own),
      })),
      median_seconds: medianSeconds(rows),
      ...(estimates.length > 0 && { estimates }),
    };
  }

  /**
   * The mean of each score of a form over what was reviewed with it and chosen by chance, with its interval.
   * @param of the form, as JSON, and how wide intervals may be. @param tx in which it is read, if any.
   */
  async estimates(
    scope: Scope,
    datasetId: string,
    { form, ciWidth }: { form: string; ciWidth: number },
    tx?: WriteTx,
  ): Promise<Estimate[]> {
    const where = sql`${ESTIMATED} and q.form = ${form} and q.ci_width = ${ciWidth}`;
    const byName = await this.answers(scope, datasetId, where, tx);
    const definitions = await this.definitions.findAll(scope, [...byName.keys()]);
    return (fromJsonText(form) as string[]).map((name) => {
      const found = definitions.get(name);
      const definition = found && scoreDefinition(found);
      const means = [...(byName.get(name)?.values() ?? [])].flatMap((answers) => {
        const values = [...answers.values()].flatMap((answer) => valueOf(answer, definition) ?? []);
        return values.length === 0 ? [] : [values.reduce((sum, value) => sum + value, 0) / values.length];
      });
      return { name, ci_width: ciWidth, units: means.length, ...estimateMean(means) };
    });
  }

  /** The newest review of a datapoint by each rater counts; skipped ones do not. */
  async agreement(
    scope: Scope,
    datasetId: string,
    { name, level, since }: AgreementQuery,
  ): Promise<AgreementOfScores[]> {
    const byName = await this.answers(scope, datasetId, sql`q.completed_at >= ${since ?? 0} and ${RATED}`);
    if (name !== undefined) for (const other of byName.keys()) if (other !== name) byName.delete(other);
    const definitions = await this.definitions.findAll(scope, [...byName.keys()]);
    const measured: AgreementOfScores[] = [];
    for (const [score, units] of [...byName].toSorted(inOrder)) {
      const found = definitions.get(score);
      const scale = scaleOf([...units.values()], found && scoreDefinition(found), level);
      const ranked = [...units.values()].map((unit) => rankedUnit(unit, scale));
      const coefficients = await inTurns(measureAgreement(ranked, scale.level, scale.values));
      measured.push({ name: score, level: scale.level, ...coefficients });
    }
    return measured;
  }

  /**
   * What the majority of reviewers say of each datapoint: whether it passes, by its id; ties are left out, and what was chosen
   * for a reason (docs/spec/queue.md#judge-agreement). @returns by the names of scores.
   */
  async verdicts(scope: Scope, datasetId: string): Promise<ReadonlyMap<string, ReadonlyMap<string, boolean>>> {
    const byName = await this.answers(scope, datasetId, ESTIMATED);
    const definitions = await this.definitions.findAll(scope, [...byName.keys()]);
    const verdicts = new Map<string, Map<string, boolean>>();
    for (const [name, units] of byName) {
      const found = definitions.get(name);
      const definition = found && scoreDefinition(found);
      for (const [unit, answers] of units) {
        const votes = [...answers.values()].map((answer) => passes(answer, definition));
        const [passed, failed] = [true, false].map((vote) => votes.filter((one) => one === vote).length);
        if (passed !== failed) getOrMake(verdicts, name, () => new Map()).set(unit, passed! > failed!);
      }
    }
    return verdicts;
  }

  /** The newest answers of each rater, by the names of scores, then by what was reviewed; skipped ones do not count. */
  private async answers(
    scope: Scope,
    datasetId: string,
    where: Sql,
    tx?: WriteTx,
  ): Promise<Map<string, Map<string, Map<string, Answer>>>> {
    const query = ANSWERS.query`select q.datapoint_id as unit, q.claimed_by as rater, q.answers as answers,
          q.adjudicates as adjudicates from queue_item q
        where q.project_id = ${scope.projectId} and q.dataset_id = ${datasetId} and q.status = ${QUEUE_STATUS.completed}
          and q.skipped = 0 and q.answers <> '[]' and ${where}
        order by q.completed_at desc, q.id desc limit ${REVIEWS_MAX}`;
    const rows = tx ? await tx.all(query) : await this.storage.readLong(query, scope);
    const byName = new Map<string, Map<string, Map<string, Answer>>>();
    for (const { unit, rater, answers, adjudicates } of rows.toReversed()) {
      for (const answer of fromJsonText(answers) as Answer[]) {
        if (answer[1] === null && answer[2] === null) continue;
        const units = getOrMake(byName, answer[0], () => new Map());
        const ofUnit = getOrMake(units, unit, () => new Map());
        // An adjudication is the answer of the group.
        if (adjudicates === 1) ofUnit.clear();
        ofUnit.set(rater, answer);
      }
    }
    return byName;
  }
}

/** Items that nobody chose for a reason, and whose answers everybody may read: a mean of few says what each of them is. */
const ESTIMATED = rawSql(`(q.selected_by is null or q.selected_by = 'random') and q.gold is null
  and (q.group_id is null or q.blind = 0 or not exists (select 1 from queue_item o
    where o.project_id = q.project_id and o.group_id = q.group_id and o.status <> ${QUEUE_STATUS.completed}))`);

/** Items that say how far reviewers agree. */
const RATED = rawSql(`q.adjudicates = 0 and q.gold is null and coalesce(q.selected_by, '') <> 'uncertain'`);

type Estimate = NonNullable<QueueProgress['estimates']>[number];

/** The number that an answer is: its value, or that of its category; 1 and 0 of the labels `pass` and `fail`. */
function valueOf([, given, label]: Answer, definition: ScoreDefinition | undefined): number | undefined {
  const value = given ?? definition?.categories.find((category) => category.label === label)?.value;
  return value ?? ({ pass: 1, fail: 0 } as const)[label as 'pass' | 'fail'];
}

/**
 * Whether an answer says that something is good: its value, or that of its category, lies in the upper half of what the
 * definition allows, 0 to 1 where it does not say. `undefined` for an answer without a value, but the labels `pass` and `fail`.
 */
function passes([, given, label]: Answer, definition: ScoreDefinition | undefined): boolean | undefined {
  const value = given ?? definition?.categories.find((category) => category.label === label)?.value ?? null;
  if (value === null) return label === 'pass' ? true : label === 'fail' ? false : undefined;
  const [min, max] = endsOf(definition);
  return value >= (min + max) / 2;
}

/** The lowest and the highest value that a definition allows: of its categories where these have some; 0 and 1 where it does not say. */
export function endsOf(definition: ScoreDefinition | undefined): [min: number, max: number] {
  const values = definition?.categories.flatMap(({ value }) => value ?? []) ?? [];
  if (values.length > 0) return [Math.min(...values), Math.max(...values)];
  return [definition?.min ?? 0, definition?.max ?? 1];
}

const inOrder = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** How often a reviewer gave the answers that are known; nothing where none was asked for. */
function accuracyOf(own: readonly RowOfShape<typeof WORK>[]): Pick<QueueProgress['reviewers'][number], 'gold'> {
  const known = own.filter(({ gold, skipped, status }) => gold && skipped === 0 && status === QUEUE_STATUS.completed);
  if (known.length === 0) return {};
  const isCorrect = ({ gold, answers }: (typeof known)[number]): boolean => {
    const given = new Set((fromJsonText(answers) as Answer[]).map((answer) => JSON.stringify(answer)));
    return (fromJsonText(gold!) as Answer[]).every((answer) => given.has(JSON.stringify(answer)));
  };
  const correct = known.filter(isCorrect).length;
  const accuracy = { rate: correct / known.length, ci: wilson(correct, known.length) };
  return { gold: { answered: known.length, correct, accuracy } };
}

function medianSeconds(rows: readonly { ms: number | null }[]): number | null {
  const seconds = rows.flatMap(({ ms }) => (ms === null ? [] : [ms / 1_000])).toSorted((a, b) => a - b);
  if (seconds.length === 0) return null;
  const middle = Math.floor(seconds.length / 2);
  return seconds.length % 2 === 1 ? seconds[middle]! : (seconds[middle - 1]! + seconds[middle]!) / 2;
}

/** The answers that were given, in their order, and what each counts as. */
interface Scale {
  level: ScoreLevel;
  answers: readonly (string | number)[];
  values: readonly number[];
}

/** Labels in the order of their definition, numbers by size. */
function scaleOf(
  units: readonly ReadonlyMap<string, Answer>[],
  definition: ScoreDefinition | undefined,
  level: ScoreLevel | undefined,
): Scale {
  const given = new Set(units.flatMap((unit) => [...unit.values()].map(said)));
  const known = definition?.categories ?? [];
  const labels = [...given].filter((answer) => typeof answer === 'string');
  const place = (label: string): number => {
    const at = known.findIndex((category) => category.label === label);
    return at === -1 ? known.length : at;
  };
  const answers = [
    ...[...given].filter((answer) => typeof answer === 'number').toSorted((a, b) => a - b),
    ...labels.toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1)),
  ];
  const values = answers.map((answer, at) =>
    typeof answer === 'number' ? answer : (known[place(answer)]?.value ?? at),
  );
  return { level: level ?? definition?.level ?? (labels.length > 0 ? 'nominal' : 'interval'), answers, values };
}

/** The label, or where there is none the value. */
const said = ([, value, label]: Answer): string | number => label ?? value!;

const rankedUnit = (unit: ReadonlyMap<string, Answer>, { answers }: Scale): Unit =>
  new Map([...unit].map(([rater, answer]) => [rater, answers.indexOf(said(answer))]));
