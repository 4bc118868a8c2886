import { z } from 'zod';
import { httpUrlSchema } from './connections.js';
import { listAnswer, paging } from './lists.js';
import { boundedList } from './values/bounded.js';
import { countSchema, settingNumber } from './values/numbers.js';
import { clientIdSchema, keySchema, labelSchema } from './values/text.js';
import { restoredTimes, storedTimes, timestampTextSchema } from './values/timestamp.js';

/** What an alert measures of spans, of scores, and of scoring rules (docs/spec/alerts.md#measures). */
export const SPAN_MEASURES = ['cost', 'tokens', 'calls', 'error_rate', 'latency_p95', 'unpriced'] as const;
export const SCORE_MEASURES = ['score_mean', 'score_pass_rate'] as const;
export const ALERT_MEASURES = [...SPAN_MEASURES, ...SCORE_MEASURES, 'scoring_stalled'] as const;
export type AlertMeasure = (typeof ALERT_MEASURES)[number];
const measureSchema = z.enum(ALERT_MEASURES).meta({ id: 'AlertMeasure' });
export const isScoreMeasure = (measure: AlertMeasure): boolean =>
  SCORE_MEASURES.some((ofScores) => ofScores === measure);

export const ALERT_GROUPS = ['none', 'user', 'model', 'tag', 'session'] as const;
export const ALERT_STATES = ['ok', 'firing', 'no_data'] as const;
export type AlertState = (typeof ALERT_STATES)[number];
export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;

/** How many alerts and channels a project has at most, and channels an alert. */
export const ALERTS_MAX = 100;
export const ALERT_CHANNELS_MAX = 50;
const CHANNELS_OF_ALERT_MAX = 20;

/** Groups that an alert reads at most, those that cost most, and that it has as firing or about to, the furthest first. */
export const ALERT_GROUPS_READ_MAX = 1_000;
export const ALERT_GROUPS_KEPT_MAX = 100;

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,6})([smhd])$/;
const WINDOW_MS_MIN = 5 * UNIT_MS.m;
const DURATION_MS_MAX = 30 * UNIT_MS.d;

/** Milliseconds of a duration as alerts write it: `90s`, `5m`, `12h`, `30d`. `NaN` for anything else. */
export function durationMs(duration: string): number {
  const [, count, unit] = DURATION.exec(duration) ?? [];
  return count === undefined ? NaN : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

const durationSchema = (minMs: number, message: string) =>
  z
    .string()
    .regex(DURATION, 'must be a whole number and s, m, h or d, such as 5m')
    .refine((text) => !(durationMs(text) < minMs) && !(durationMs(text) > DURATION_MS_MAX), message);

const waitSchema = durationSchema(0, 'must be at most 30d').nullish();

const filtersSchema = z
  .strictObject({
    model: keySchema.nullish(),
    provider: keySchema.nullish().describe('Not of scores.'),
    tag: keySchema.nullish().describe('A tag of the trace.'),
    user: keySchema.nullish().describe("The trace's `user_id`."),
    session: keySchema.nullish().describe("The trace's `session_id`."),
    name: keySchema.nullish().describe('The name of the trace.'),
    score_name: keySchema.min(1).nullish().describe('The scores that are measured; of scores alone, which need it.'),
  })
  .meta({ id: 'AlertFilters', description: 'All given must hold.' });

const OPS = z.enum(['>', '<']);
const conditionSchema = z
  .union([
    z.strictObject({ op: OPS, value: settingNumber(z.number()) }),
    z.strictObject({
      change: OPS.describe('`>`: it rose by more, `<`: it fell by more.'),
      percent: settingNumber(z.number().min(0)),
      against: z.enum(['previous', 'same_hour_last_week']),
    }),
  ])
  .meta({ id: 'AlertCondition' });
export type AlertCondition = z.output<typeof conditionSchema>;

const ruleMembers = {
  name: labelSchema,
  enabled: z.boolean().nullish().describe('`true` when left out.'),
  measure: measureSchema,
  filters: filtersSchema.nullish(),
  group_by: z.enum(ALERT_GROUPS).nullish().describe('`none` when left out.'),
  window: durationSchema(WINDOW_MS_MIN, 'must be from 5m to 30d').describe('`5m` to `30d`, up to now.'),
  condition: conditionSchema,
  min_count: countSchema.nullish().describe('Below so many spans, calls or scores there is no data.'),
  for: waitSchema.describe('How long the condition must hold before the alert fires, such as `10m`.'),
  cooldown: waitSchema.describe('For so long after a firing was sent no other of the same group is.'),
  channel_ids: boundedList(clientIdSchema, CHANNELS_OF_ALERT_MAX).nullish(),
  severity: z.enum(ALERT_SEVERITIES).nullish().describe('`warning` when left out.'),
};

const NOT_OF_RULES = 'is not for scoring_stalled, which has no filters, no groups and a plain limit';

type RuleMembers = z.output<z.ZodObject<typeof ruleMembers>>;

/** What is wrong with an alert that none of its members shows by itself, as paths and messages. */
export function alertFaults({
  measure,
  filters,
  group_by: groupBy,
  condition,
}: Pick<RuleMembers, 'measure' | 'filters' | 'group_by' | 'condition'>) {
  const { score_name: scoreName, provider } = filters ?? {};
  const fault = (member: string, message: string) => [{ path: ['filters', member], message }];
  if (measure === 'scoring_stalled') {
    const [given] = Object.entries(filters ?? {}).find(([, value]) => value != null) ?? [];
    const wrong = { group_by: (groupBy ?? 'none') !== 'none', condition: !('op' in condition) };
    return [
      ...(given === undefined ? [] : fault(given, NOT_OF_RULES)),
      ...Object.entries(wrong).flatMap(([member, isWrong]) =>
        isWrong ? [{ path: [member], message: NOT_OF_RULES }] : [],
      ),
    ];
  }
  if (!isScoreMeasure(measure)) return scoreName ? fault('score_name', `is for scores, not for ${measure}`) : [];
  if (!scoreName) return fault('score_name', `is needed for ${measure}`);
  return provider ? fault('provider', 'is not known of scores; choose a model') : [];
}

/** `POST /api/alerts`. */
export const createAlertSchema = z
  .object(ruleMembers)
  .superRefine((alert, context) => {
    for (const fault of alertFaults(alert)) context.addIssue({ code: 'custom', ...fault });
  })
  .meta({ id: 'CreateAlert' });
export type CreateAlert = z.output<typeof createAlertSchema>;

/** `PUT /api/alerts/:id`: only members given change. */
export const updateAlertSchema = z
  .object(ruleMembers)
  .partial()
  .meta({ id: 'UpdateAlert', description: 'Only members given change; `filters` and `condition` are replaced whole.' });
export type UpdateAlert = z.output<typeof updateAlertSchema>;

const measured = z.number().nullable().describe('What was measured; `null` without data.');

const alertGroupSchema = z.object({
  key: z.string().nullable().describe('User, model, tag or session; `null` without `group_by`.'),
  value: measured,
  count: countSchema.describe('Spans, calls or scores behind it.'),
  compared: z.number().nullable().describe('What it is compared with, for a change; `null` without that.'),
  change_percent: z.number().nullable(),
  holds: z.boolean().nullable().describe('Whether the condition holds; `null` without data.'),
});
export type AlertGroup = z.output<typeof alertGroupSchema>;

/** How an alert was evaluated (docs/spec/alerts.md#explaining-an-evaluation). */
export const alertEvaluationSchema = z
  .object({
    at: timestampTextSchema,
    since: timestampTextSchema.describe('Start of the window.'),
    until: timestampTextSchema.describe('End of the window.'),
    compared_since: timestampTextSchema.nullable().describe('Start of the window it is compared with, for a change.'),
    source: z
      .enum(['rollups', 'spans', 'scores', 'scoring_rules'])
      .describe('What was read: sums that are kept, or all of the window.'),
    decision: z.enum(ALERT_STATES).nullable().describe('`null`: it failed, and the state stayed.'),
    reason: z.string().describe('The decision in a sentence, or the error.'),
    groups: z.array(alertGroupSchema).describe('The first 20, those for which the condition holds first.'),
    group_count: countSchema,
  })
  .meta({ id: 'AlertEvaluation' });
export type AlertEvaluation = z.output<typeof alertEvaluationSchema>;

const storedRule = {
  name: z.string(),
  enabled: z.boolean(),
  measure: measureSchema,
  filters: filtersSchema,
  group_by: z.enum(ALERT_GROUPS),
  window: z.string(),
  condition: conditionSchema,
  min_count: countSchema,
  for: z.string().nullable(),
  cooldown: z.string().nullable(),
  channel_ids: z.array(z.string()),
  severity: z.enum(ALERT_SEVERITIES),
};

export const alertSchema = z
  .object({
    id: z.string(),
    ...storedRule,
    state: z.enum(ALERT_STATES).describe('`no_data` until it was evaluated, and while it is off.'),
    state_since: timestampTextSchema,
    last_value: measured.describe('What was measured last; of several groups the furthest; `null` without data.'),
    firing: z
      .array(z.object({ key: z.string().nullable(), value: measured, since: timestampTextSchema }))
      .describe('What fires now: `key` is the user, model, tag or session, `null` without `group_by`.'),
    explain: alertEvaluationSchema.nullable().describe('The last evaluation; `null` before the first.'),
    ...storedTimes,
  })
  .meta({ id: 'Alert' });
export type AlertResource = z.output<typeof alertSchema>;
export type AlertRule = Omit<z.output<z.ZodObject<typeof storedRule>>, 'name' | 'enabled'>;

export const alertListSchema = listAnswer('AlertList', 'alerts', alertSchema);

/** Moments of a series of an alert, and groups that it has at most. */
export const ALERT_SERIES_MOMENTS = 48;
export const ALERT_SERIES_KEYS_MAX = 8;

/** Answer of `GET /api/alerts/:id/series` (docs/spec/alerts.md#what-it-would-have-measured). */
export const alertSeriesSchema = z
  .object({
    step_ms: countSchema.describe('Milliseconds between two moments: the window, a day at most.'),
    moments: z.array(timestampTextSchema).describe('Oldest first; the last is now.'),
    series: z
      .array(
        z.object({
          key: alertGroupSchema.shape.key,
          values: z.array(measured).describe('What is measured at each moment, of the window before it.'),
          change_percents: z.array(alertGroupSchema.shape.change_percent),
        }),
      )
      .describe(`The groups that went furthest, ${ALERT_SERIES_KEYS_MAX} at most.`),
  })
  .meta({ id: 'AlertSeries' });
export type AlertSeries = z.output<typeof alertSeriesSchema>;

const alertChangeSchema = z
  .object({
    id: z.string(),
    at: timestampTextSchema,
    key: z.string().nullable(),
    from: z.enum(ALERT_STATES),
    to: z.enum(ALERT_STATES),
    value: measured,
  })
  .meta({ id: 'AlertChange' });
export type AlertChange = z.output<typeof alertChangeSchema>;
export const alertHistorySchema = listAnswer('AlertHistory', 'changes', alertChangeSchema);

export const ALERT_CHANNEL_KINDS = ['webhook', 'slack', 'teams', 'email'] as const;
export type AlertChannelKind = (typeof ALERT_CHANNEL_KINDS)[number];
const RECIPIENTS_MAX = 20;
const SECRET_LENGTH_MAX = 512;

const channelMembers = {
  name: labelSchema,
  url: httpUrlSchema.nullish().describe('Where it sends to; of all kinds but email. Never shown again.'),
  secret: z
    .string()
    .min(1)
    .max(SECRET_LENGTH_MAX)
    .nullish()
    .describe('Signs what a webhook is sent. Never shown again.'),
  to: boundedList(z.email().max(320), RECIPIENTS_MAX).nullish().describe('Addresses, of email alone.'),
};

/** `POST /api/alert-channels`. */
export const createAlertChannelSchema = z
  .object({ kind: z.enum(ALERT_CHANNEL_KINDS), ...channelMembers })
  .superRefine((channel, context) => {
    for (const fault of channelFaults(channel)) context.addIssue({ code: 'custom', ...fault });
  })
  .meta({ id: 'CreateAlertChannel' });
export type CreateAlertChannel = z.output<typeof createAlertChannelSchema>;

/** `PUT /api/alert-channels/:id`: only members given change; the kind never does. */
export const updateAlertChannelSchema = z.object(channelMembers).partial().meta({ id: 'UpdateAlertChannel' });
export type UpdateAlertChannel = z.output<typeof updateAlertChannelSchema>;

/** What of a channel does not go with its kind. @param isNew whether what the kind needs must be there. */
export function channelFaults(
  { kind, url, secret, to }: Pick<CreateAlertChannel, 'kind' | 'url' | 'secret' | 'to'>,
  isNew = true,
) {
  const faults: { path: string[]; message: string }[] = [];
  const check = (isWrong: boolean, path: string, message: string): void => {
    if (isWrong) faults.push({ path: [path], message });
  };
  const isEmail = kind === 'email';
  check(isEmail && Boolean(url), 'url', 'is not for the kind email');
  check(!isEmail && isNew && !url, 'url', `is needed for the kind ${kind}`);
  check(kind !== 'webhook' && Boolean(secret), 'secret', 'is for the kind webhook alone');
  check(isEmail && (isNew || to !== undefined) && !to?.length, 'to', 'is needed for the kind email');
  check(!isEmail && Boolean(to?.length), 'to', 'is for the kind email alone');
  return faults;
}

export const alertChannelSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(ALERT_CHANNEL_KINDS),
    host: z
      .string()
      .nullable()
      .describe('Scheme, host and port that it sends to; `null` for email, and until it has a url.'),
    to: z.array(z.string()),
    signed: z.boolean().describe('Whether what is sent is signed.'),
    ...storedTimes,
  })
  .meta({ id: 'AlertChannel' });
export type AlertChannelResource = z.output<typeof alertChannelSchema>;
export const alertChannelListSchema = listAnswer('AlertChannelList', 'channels', alertChannelSchema);

/** Answer of `POST /api/alert-channels/:id/test`. */
export const alertChannelTestSchema = z
  .object({
    ok: z.boolean(),
    status: z.number().int().nullable().describe('The status of the answer; `null` without one, and of email.'),
    error: z.string().nullable(),
    latency_ms: countSchema,
  })
  .meta({ id: 'AlertChannelTest' });
export type AlertChannelTest = z.output<typeof alertChannelTestSchema>;

export const ALERT_DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type AlertDeliveryStatus = (typeof ALERT_DELIVERY_STATUSES)[number];

export const alertDeliverySchema = z
  .object({
    id: z.string(),
    channel_id: z.string(),
    alert_id: z.string().nullable().describe('`null` of a mention.'),
    comment_id: z.string().nullable().describe('The comment of a mention.'),
    key: z.string().nullable(),
    event: z.enum(['firing', 'resolved', 'mention']),
    status: z.enum(ALERT_DELIVERY_STATUSES),
    attempts: countSchema,
    status_code: z.number().int().nullable().describe('Status of the last answer.'),
    last_error: z.string().nullable(),
    next_try_at: timestampTextSchema.nullable(),
    delivered_at: timestampTextSchema.nullable(),
    created_at: timestampTextSchema,
  })
  .meta({ id: 'AlertDelivery' });
export type AlertDelivery = z.output<typeof alertDeliverySchema>;
export const alertDeliveryListSchema = listAnswer('AlertDeliveryList', 'deliveries', alertDeliverySchema);

/** Query of `GET /api/alert-channels/:id/deliveries`. */
export const listAlertDeliveriesSchema = z.object({
  alert_id: z.string().optional(),
  status: z.enum(ALERT_DELIVERY_STATUSES).optional(),
  ...paging(),
});
export type ListAlertDeliveries = z.output<typeof listAlertDeliveriesSchema>;

/** An alert and a channel as an export has them: no state, no secret, nothing of where a channel sends to but its host. */
export const exportedAlertSchema = z
  .object({ id: z.string(), ...storedRule, ...storedTimes })
  .meta({ id: 'ExportedAlert' });
export type ExportedAlert = z.output<typeof exportedAlertSchema>;
export const exportedAlertChannelSchema = alertChannelSchema.omit({ host: true, signed: true });
export type ExportedAlertChannel = z.output<typeof exportedAlertChannelSchema>;

const restoredShape = { id: clientIdSchema, ...restoredTimes };

/** An alert that comes back from an export. */
export const restoredAlertSchema = createAlertSchema.safeExtend(restoredShape);
export type RestoredAlert = z.output<typeof restoredAlertSchema>;

/** A channel that comes back from an export; it sends nothing until it is given its url. */
export const restoredAlertChannelSchema = z.object({
  kind: z.enum(ALERT_CHANNEL_KINDS),
  name: labelSchema,
  to: channelMembers.to,
  ...restoredShape,
});
export type RestoredAlertChannel = z.output<typeof restoredAlertChannelSchema>;
