/** Alerts of the built program: what a kill, a rotation of the secret key and a list of features leave of them. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AlertChannelResource, AlertChannelTest, AlertDelivery, AlertResource } from '@spandrel/contract';
import { describeOnBothDatabases } from './support/databases.ts';
import type { Place, Program } from './support/places.ts';
import { until } from './support/spandrel.ts';
import { Receiver } from './support/webhook-receiver.ts';

describeOnBothDatabases('alerts of a server', ({ takePlace }) => {
  const receiver = new Receiver();
  let place: Place;
  let program: Program;
  let channel: AlertChannelResource;
  let alert: AlertResource;

  beforeAll(async () => {
    const url = await receiver.start();
    place = await takePlace();
    program = await place.start({ command: 'server' });
    const hook = { name: 'hook', kind: 'webhook', url: `${url}/hook`, secret: 'hush' };
    channel = (await program.api.post<AlertChannelResource>('/api/alert-channels', hook)).body;
    expect((await program.api.post('/api/traces', { id: 't' })).status).toBe(201);
    const call = { id: 's', trace_id: 't', name: 'call', kind: { type: 'llm_call', model: 'm' } };
    expect((await program.api.post('/api/spans', call)).status).toBe(201);
  });
  afterAll(async () => {
    await place?.close();
    receiver.close();
  });

  const deliveries = async (): Promise<AlertDelivery[]> =>
    (await program.api.get<{ deliveries: AlertDelivery[] }>(`/api/alert-channels/${channel.id}/deliveries`)).body
      .deliveries;

  it('are delivered once when the receiver was down and the server was killed meanwhile', async () => {
    receiver.status = 503;
    const rule = { measure: 'calls', window: '1d', condition: { op: '>', value: 0 }, channel_ids: [channel.id] };
    alert = (await program.api.post<AlertResource>('/api/alerts', { name: 'calls', ...rule })).body;
    await until(async () => (await deliveries()).some(({ status_code: status }) => status === 503));
    await program.stop('SIGKILL');
    receiver.status = 204;
    const attempts = receiver.attempts;
    program = await place.start({ command: 'server' });
    await until(async () => (await deliveries()).every(({ status }) => status === 'delivered'));

    expect(await deliveries()).toMatchObject([{ event: 'firing', alert_id: alert.id, last_error: null }]);
    expect(receiver.of(alert.id)).toMatchObject([{ type: 'alert.firing', value: 1 }]);
    expect(receiver.attempts - attempts).toBe(1);
  });

  it('wait while the feature is left out, and go on afterwards', async () => {
    await program.stop();
    const config = join(place.dataDir, 'features.yaml');
    const allowed = 'connections: { allow_private: ["127.0.0.1"] }';
    const ofCloud = place.mode === 'cloud' ? 'access, audit, ' : '';
    const features = `[events, ${ofCloud}masking, tracing, scores, analytics, connections]`;
    writeFileSync(config, `features: ${features}\n${allowed}\n`);
    program = await place.start({ command: 'server', env: { SPANDREL_CONFIG: config } });
    for (const path of ['/api/alerts', `/api/alert-channels/${channel.id}`])
      expect([path, (await program.api.get(path)).status]).toEqual([path, 404]);
    const capabilities = await program.api.get<{ features: string[] }>('/api/capabilities');
    expect(capabilities.body.features).not.toContain('alerts');
    expect((await program.api.get('/api/traces')).status).toBe(200);
    await program.stop();
    program = await place.start({ command: 'server' });
    expect((await program.api.get<AlertResource>(`/api/alerts/${alert.id}`)).body).toMatchObject({ state: 'firing' });
    expect(receiver.of(alert.id)).toHaveLength(1);
  });

  it('have the secrets of their channels encrypted again by a rotation, which names them as what they are', async () => {
    if (place.mode !== 'local') return;
    await program.stop();
    const rotated = await place.run('secrets', 'rotate');
    expect([rotated.code, rotated.output]).toEqual([
      0,
      'Encrypted the keys of 0 provider connections with the new secret key.\n' +
        'Encrypted the URLs and secrets of 1 alert channel with it.\n',
    ]);
    program = await place.start({ command: 'server' });
    const tested = await program.api.post<AlertChannelTest>(`/api/alert-channels/${channel.id}/test`);
    expect(tested.body).toMatchObject({ ok: true, error: null });
    expect(receiver.received.at(-1)!.headers['webhook-signature']).toMatch(/^v1,/);
    await program.stop();
    rmSync(join(place.dataDir, 'secret.key'));
    const lost = await place.run('secrets', 'rotate');
    expect(lost.code).toBe(1);
    expect(lost.output).not.toContain('hush');
    expect(lost.output).toContain(
      'spandrel: 1 alert channel could not be decrypted and stayed as before; give each its url and secret again:\n' +
        `spandrel:   ${channel.id} (project local)\n`,
    );
  });
});
