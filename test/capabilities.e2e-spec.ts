/** What the program reports itself in either mode (docs/spec/capabilities.md). */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { capabilitiesSchema, type CapabilitiesResource } from '@spandrel/contract';
import { FEATURES } from '../libs/server/src/features.ts';
import { describeOnBothDatabases } from './support/databases.ts';
import type { Place, Program } from './support/places.ts';

describeOnBothDatabases('GET /api/capabilities', ({ takePlace }) => {
  let place: Place;
  let program: Program;

  beforeAll(async () => {
    place = await takePlace();
    program = await place.start();
  });
  afterAll(() => place?.close());

  it('says what there is', async () => {
    const { status, body } = await program.api.get<CapabilitiesResource>('/api/capabilities');
    expect(status).toBe(200);
    expect(capabilitiesSchema.safeParse(body).error).toBeUndefined();
    const health = await program.api.get<{ version: string }>('/api/health');
    const isLocal = place.mode === 'local';
    expect(body).toMatchObject({
      version: health.body.version,
      mode: place.mode,
      gateway_url: isLocal ? program.gatewayUrl : null,
      search_modes: [],
      claim_timeout: null,
      evals_paused: false,
      alert_email: false,
      limits: { body_bytes: 10_485_760, import_file_bytes: 104_857_600, compared_runs: 4 },
    });
    if (isLocal) expect(body.retention_days).toBeNull();
    else expect([7, 30, 90]).toContain(body.retention_days);
    expect(body.providers.map(({ name }) => name)).toEqual(['openai', 'anthropic', 'ollama', 'custom']);
    const names = FEATURES.map(({ name }) => name);
    const features = names.filter((name) => !isLocal || !['access', 'audit', 'sharing'].includes(name));
    expect(body.features.toSorted()).toEqual(features.toSorted());
    const judge = body.scorers.find(({ name }) => name === 'LlmJudge')!;
    expect(judge.config_schema).toMatchObject({ type: 'object', properties: { rubric: { type: 'string' } } });
    expect(body.scorers.find(({ name }) => name === 'ExactMatch')).toEqual({
      name: 'ExactMatch',
      needs_expected: true,
      needs_baseline: false,
      asks_judge: false,
      embeds: false,
      is_graded: false,
      config_schema: null,
    });
    const graded = body.scorers.filter(({ is_graded: grades }) => grades).map(({ name }) => name);
    expect(graded.toSorted()).toEqual(['EmbeddingSimilarity', 'Levenshtein', 'LlmJudge', 'Preference']);
    expect(body.scorers.filter(({ needs_baseline: needs }) => needs).map(({ name }) => name)).toEqual(['Preference']);
    expect(judge).toMatchObject({ needs_expected: false, asks_judge: true, embeds: false });
    const needing = body.scorers.filter(({ needs_expected: needs }) => needs).map(({ name }) => name);
    expect(needing).toEqual(['ExactMatch', 'Contains', 'JsonEqual', 'Levenshtein', 'EmbeddingSimilarity']);
    expect(body.scorers.filter(({ embeds }) => embeds).map(({ name }) => name)).toEqual(['EmbeddingSimilarity']);
    for (const name of ['Regex', 'JsonSchema', 'JsonEqual', 'EmbeddingSimilarity', 'Latency', 'Cost']) {
      const { config_schema: schema } = body.scorers.find((scorer) => scorer.name === name)!;
      const [member] = Object.values((schema as { properties: Record<string, { description: string }> }).properties);
      expect([name, member!.description]).toEqual([name, expect.stringMatching(/\.$/)]);
    }
  });

  it('asks for a credential in cloud mode', async () => {
    const { status } = await fetch(`${program.apiUrl}/api/capabilities`);
    expect(status).toBe(place.mode === 'local' ? 200 : 401);
  });
});
