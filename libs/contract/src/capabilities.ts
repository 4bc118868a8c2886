import { z } from 'zod';
import { baseUrlSchema } from './connections.js';
import { SEARCH_MODES } from './search.js';
import { countSchema, amountSchema } from './values/numbers.js';
import { jsonMapSchema } from './values/text.js';

const providerCapabilitySchema = z
  .object({
    name: z.string(),
    needs_key: z.boolean().describe('Whether a connection of it must have a key.'),
    needs_base_url: z.boolean().describe('Whether a connection of it must have a `base_url`: there is no default.'),
    default_base_url: baseUrlSchema.nullable().describe('What a connection without `base_url` takes.'),
  })
  .meta({ id: 'ProviderCapability' });
export type ProviderCapability = z.output<typeof providerCapabilitySchema>;

const scorerCapabilitySchema = z
  .object({
    name: z.string().describe('The name that `scoring` takes.'),
    needs_expected: z.boolean().describe('Whether it fails datapoints without an expected value.'),
    needs_baseline: z
      .boolean()
      .describe("Whether it compares with another run's answers: `baseline_run_id` is required."),
    asks_judge: z.boolean().describe('Whether it asks a model for each score: `judge` says which.'),
    embeds: z.boolean().describe('Whether that is a model of embeddings, so that `judge.model` is required.'),
    is_graded: z
      .boolean()
      .describe('Whether its scores are grades: a sample passes at 0.5 unless it is given another pass score.'),
    config_schema: jsonMapSchema.nullable().describe('JSON Schema of `scoring_config`; `null` when it takes none.'),
  })
  .meta({ id: 'ScorerCapability' });

/** Answer of `GET /api/capabilities` (docs/spec/capabilities.md#the-answer). */
export const capabilitiesSchema = z
  .object({
    version: z.string(),
    mode: z.enum(['local', 'cloud']),
    features: z
      .array(z.string())
      .describe('The features of this server: those that `features:` of its settings leaves.'),
    gateway_url: z.string().nullable().describe('Where the gateway is; `null` where the server does not know.'),
    providers: z.array(providerCapabilitySchema),
    scorers: z.array(scorerCapabilitySchema),
    search_modes: z.array(z.enum(SEARCH_MODES)).describe('Modes of `POST /api/search` that this project has.'),
    retention_days: countSchema.nullable().describe('How long traces are kept; `null`: for ever.'),
    claim_timeout: countSchema.nullable().describe('Seconds after which a claim is released; `null`: never.'),
    evals_paused: z.boolean().describe('Whether the server works on no eval runs (`evals.paused`): runs wait.'),
    sharing: z.boolean().describe('Whether a trace can be shared by a link (`sharing.enabled`, cloud mode).'),
    alert_email: z.boolean().describe('Whether alerts can be sent as email (`alerts.smtp`).'),
    limits: z
      .object({
        body_bytes: countSchema,
        import_file_bytes: countSchema.nullable(),
        compared_runs: countSchema.nullable(),
      })
      .describe('`null` where the feature is left out.'),
  })
  .meta({ id: 'Capabilities' });
export type CapabilitiesResource = z.output<typeof capabilitiesSchema>;

/** Answer of `GET /api/health` (docs/spec/health.md#health). */
export const healthSchema = z
  .object({
    status: z.literal('ok'),
    instance_id: z.string().describe('Names the process; new at every start.'),
    uptime: amountSchema.describe('Seconds.'),
    version: z.string(),
    mode: z.enum(['local', 'cloud']),
  })
  .meta({ id: 'Health' });

/** Answer of `/livez` and `/readyz`. */
export const probeSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Probe' });
