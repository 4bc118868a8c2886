import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ScoringTarget } from '@spandrel/contract';
import { endedSpans, type JudgedSpan } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { ScoringRulesPort, ScoreStore, type GivenScore, type ScoreRow } from '@spandrel/scores';
import type { WriteTx } from '@spandrel/storage';
import {
  SpanCommitParticipants,
  TraceLookups,
  type SpanCommitParticipant,
  type TraceFacts,
  type TracingChange,
} from '@spandrel/tracing';
import type { ScoringRuleRow } from './scoring-rule.entity.js';
import { isSampled, readFilters, readOnScore, scoreIdOf } from './scoring-rule-resource.js';
import { ScoringRuleStore, type Counted } from './scoring-rule.store.js';
import { ScoringTaskStore, type NewTask } from './scoring-task.store.js';
import { ScoringWorker } from './scoring-worker.js';

type ActiveRule = ScoringRuleRow & { matches: (span: JudgedSpan) => boolean };
type EndedSpan = JudgedSpan & { id: string; traceId: string };

/**
 * Notes what scoring rules are to judge, in the transaction that makes it due: what a crash leaves undone is done after it
 * (docs/spec/online-scoring.md#when-something-is-judged).
 */
@Injectable()
export class NoteTasks implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'scoring-rules';
  /** Changes that made tasks; a transaction that is done again has new ones. */
  private readonly noted = new WeakSet<readonly TracingChange[]>();

  constructor(
    private readonly participants: SpanCommitParticipants,
    private readonly port: ScoringRulesPort,
    private readonly rules: ScoringRuleStore,
    private readonly tasks: ScoringTaskStore,
    private readonly traces: TraceLookups,
    private readonly scores: ScoreStore,
    private readonly worker: ScoringWorker,
  ) {}

  onModuleInit(): void {
    this.participants.register(this);
    this.port.onScores = (tx, scope, scores) => this.noteScores(tx, scope, scores);
  }

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    for (const { scope, spans } of endedSpans(changes)) {
      const rules = await this.rules.enabled(tx, scope, 'ended');
      if (rules.length === 0) continue;
      const now = Date.now();
      const facts = await this.factsOf(tx, scope, spans);
      const [spanTasks, wholeTasks]: [NewTask[], NewTask[]] = [[], []];
      const counted = new Map<string, Counted>();
      for (const rule of rules) {
        const { tasks, counts } = choose(rule, spans, facts, now);
        (rule.target === 'span' ? spanTasks : wholeTasks).push(...tasks);
        counted.set(rule.id, counts);
      }
      const made =
        (await this.tasks.add(tx, scope, spanTasks, { now, again: false })) +
        (await this.tasks.add(tx, scope, wholeTasks, { now, again: true }));
      this.rules.count(tx, scope, counted, now);
      if (made > 0) this.noted.add(changes);
    }
  }

  afterCommit(changes: readonly TracingChange[]): void {
    if (this.noted.has(changes)) this.worker.wake();
  }

  /**
   * Notes spans that ended earlier, but for what the rule has scored already, and what no score asks it to judge.
   * @param room tasks that may be made at most; `0` counts alone. @param seen targets that were counted before.
   */
  async noteEarlier(
    tx: WriteTx,
    scope: Scope,
    rule: ActiveRule,
    spans: readonly EndedSpan[],
    room: number,
    seen: Set<string>,
  ): Promise<{ matched: number; sampled: number }> {
    const now = Date.now();
    const facts = await this.factsOf(tx, scope, spans);
    const { tasks, counts } = choose(rule, spans, facts, 0);
    const ids = tasks.map(({ targetId }) => scoreIdOf(rule.id, targetId));
    const scored = new Set((await this.scores.findSomeForWrite(tx, scope, ids)).map(({ id }) => id));
    const asked = rule.trigger === 'score' ? await this.findAsked(tx, scope, rule, facts) : undefined;
    const left = tasks.filter(
      ({ targetId }) =>
        !scored.has(scoreIdOf(rule.id, targetId)) && asked?.has(targetId) !== false && !seen.has(targetId),
    );
    for (const { targetId } of left) seen.add(targetId);
    const due = left.slice(0, room).map((task) => ({ ...task, dueAt: now, isCounted: 0 }));
    const sampled =
      room === 0 ? left.length : await this.tasks.add(tx, scope, due, { now, again: false, isBackfill: true });
    // Traces and sessions are looked at in the sample alone.
    return { matched: rule.target === 'span' ? counts.matched! : sampled, sampled };
  }

  /** What of the traces, their spans and their sessions scores ask a rule to judge. */
  private async findAsked(tx: WriteTx, scope: Scope, rule: ScoringRuleRow, facts: ReadonlyMap<string, TraceFacts>) {
    const sessions = [...facts.values()].flatMap(({ sessionId }) => sessionId ?? []);
    const given = await this.scores.findGiven(tx, scope, readOnScore(rule)!.name, [...facts.keys()], sessions);
    return new Set(given.filter((score) => isAwaited(rule, score)).map((score) => targetOf(rule, score, facts)));
  }

  private async noteScores(tx: WriteTx, scope: Scope, scores: readonly ScoreRow[]): Promise<void> {
    const rules = await this.rules.enabled(tx, scope, 'score');
    if (rules.length === 0) return;
    const now = Date.now();
    const facts = await this.traces.findFacts(
      scope.projectId,
      scores.flatMap(({ traceId }) => traceId ?? []),
      tx,
    );
    let made = 0;
    for (const rule of rules) {
      const targets = new Map<string, NewTask>();
      for (const score of scores.filter((each) => isAwaited(rule, each))) {
        const id = targetOf(rule, score, facts);
        if (id === null || !isSampled(rule, rule.target === 'span' ? score.traceId! : id)) continue;
        targets.set(id, { ruleId: rule.id, targetId: id, dueAt: now, isCounted: 0 });
      }
      made += await this.tasks.add(tx, scope, [...targets.values()], { now, again: rule.target !== 'span' });
    }
    if (made > 0) tx.end.afterCommit(() => this.worker.wake());
  }

  private factsOf(tx: WriteTx, { projectId }: Scope, spans: readonly EndedSpan[]): Promise<Map<string, TraceFacts>> {
    return this.traces.findFacts(
      projectId,
      spans.map(({ traceId }) => traceId),
      tx,
    );
  }
}

/** How long a span is kept in mind whose trace has not got the tag that the rule wants, in ms: it may come with a later span. */
const TAG_MS = 30_000;

/** What of spans that ended a rule is to judge. Filters of whole traces and sessions are looked at when these are quiet. */
function choose(
  rule: ActiveRule,
  spans: readonly EndedSpan[],
  facts: ReadonlyMap<string, TraceFacts>,
  now: number,
): { tasks: NewTask[]; counts: Counted } {
  const { id: ruleId, target, quietMs } = rule;
  const ids = spans.flatMap(({ traceId }) => (target === 'session' ? (facts.get(traceId)?.sessionId ?? []) : traceId));
  const sampled = new Set([...new Set(ids)].filter((id) => isSampled(rule, id)));
  if (target !== 'span') {
    const tasks = [...sampled].map((targetId) => ({ ruleId, targetId, dueAt: now + quietMs, isCounted: 0 }));
    return { tasks, counts: { matched: 0 } };
  }
  const { tag, exclude_tag: excluded } = readFilters(rule);
  const counts = { matched: 0, sampled: 0 };
  const tasks: NewTask[] = [];
  for (const span of spans.filter(rule.matches)) {
    const tags = facts.get(span.traceId)?.tags ?? [];
    if (tags.some((each) => excluded.includes(each))) continue;
    const isTagged = typeof tag !== 'string' || tags.includes(tag);
    const isTaken = sampled.has(span.traceId);
    if (isTagged) counts.matched++;
    if (isTagged && isTaken) counts.sampled++;
    if (isTaken)
      tasks.push({ ruleId, targetId: span.id, dueAt: isTagged ? now : now + TAG_MS, isCounted: Number(isTagged) });
  }
  return { tasks, counts };
}

/** What a score has a rule judge; `null`: nothing of the kind that it judges. */
function targetOf(
  rule: ScoringRuleRow,
  { spanId, traceId, sessionId }: Pick<ScoreRow, 'spanId' | 'traceId' | 'sessionId'>,
  facts: ReadonlyMap<string, TraceFacts>,
): string | null {
  const session = sessionId ?? facts.get(traceId ?? '')?.sessionId ?? null;
  return { span: spanId, trace: traceId, session }[rule.target as ScoringTarget];
}

/** Whether a score is the one that has a rule judge; a rule of an other target finds none in it. */
function isAwaited(rule: ScoringRuleRow, score: GivenScore): boolean {
  const { name, source, value, label } = readOnScore(rule)!;
  const holds = <T>(wanted: T | null | undefined, given: T | null): boolean =>
    (wanted ?? null) === null || wanted === given;
  return (
    score.name === name && holds<string>(source, score.source) && holds(value, score.value) && holds(label, score.label)
  );
}
