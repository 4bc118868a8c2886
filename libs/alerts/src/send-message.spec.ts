import { createServer, type AddressInfo } from 'node:net';
import { expect, it, jest } from '@jest/globals';
import { AddressRule, ConnectionClient } from '@spandrel/connections';
import type { AlertChannelRow } from './alert.entity.js';
import { AlertChannelStore } from './alert-channel.store.js';
import { AlertsSettings } from './alerts.settings.js';
import { SendMessage } from './send-message.js';

it('gives an email up that takes as a whole longer than its delivery is held, however quick each step is', async () => {
  const smtp = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .resume()
      .write('220 test\r\n');
    const writing = setInterval(() => socket.write('250-more\r\n'), 2);
    socket.on('close', () => clearInterval(writing));
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(30));
  const url = `smtp://127.0.0.1:${(smtp.address() as AddressInfo).port}`;
  const settings = { smtp: url, smtpFrom: 'a@b.example' } as AlertsSettings;
  const messages = new SendMessage({} as AlertChannelStore, {} as ConnectionClient, {} as AddressRule, settings);
  try {
    const channel = { kind: 'email', recipients: '["a@b.example"]' } as AlertChannelRow;
    const message = { type: 'alert.test', id: 'm', alert: null, key: null, value: null };
    const sent = await messages.send(channel, message as never, 0);
    expect(sent).toEqual({ status: null, error: 'the email was not taken within 50 s' });
    expect(spy.mock.calls).toEqual([[50_000]]);
  } finally {
    spy.mockRestore();
    smtp.close();
  }
});
