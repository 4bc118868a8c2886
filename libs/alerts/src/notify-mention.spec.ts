import { describe, expect, it } from '@jest/globals';
import type { AccessSettings } from '@spandrel/access';
import type { WriteTx } from '@spandrel/storage';
import type { MentionMessage } from './alert-message.js';
import type { DeliverAlerts } from './deliver-alerts.js';
import { NotifyMention } from './notify-mention.js';

const COMMENT = { id: 'c', names: ['bo'], text: '@bo', url: '/traces/t' } as unknown as MentionMessage['comment'];

describe('NotifyMention', () => {
  it.each([
    ['https://spandrel.example', 'https://spandrel.example/p/ours/traces/t'],
    [null, '/traces/t'],
  ])('with the origin %j says where the comment is, its project included', async (dashboardOrigin, url) => {
    const sent: { message: string }[] = [];
    const em = {
      find: async () => [{ id: 'channel', projectId: 'ours' }],
      create: (_: unknown, row: { message: string }) => sent.push(row),
    };
    const notify = new NotifyMention({} as DeliverAlerts, { dashboardOrigin } as AccessSettings);
    await notify.write({ em } as unknown as WriteTx, { orgId: 'org', projectId: 'ours' }, COMMENT);
    expect(sent.map(({ message }) => (JSON.parse(message) as MentionMessage).comment.url)).toEqual([url]);
  });
});
