import { AUDIT_ACTIONS } from '@spandrel/contract/browser';
import type { AuditEntry } from '@spandrel/contract';
import { describe, expect, it } from '@jest/globals';
import { describeAction, describeActor, describeDetails, describeTarget } from './audit-words.js';

const ID = '01KAHZ4Q6X8M2V7N3R5T9W1Y0B';
const projects = new Map([[ID, 'Chat']]);
const entry = (over: Partial<AuditEntry>): AuditEntry =>
  ({ action: 'key.created', target_id: 'x', target_name: null, project_id: null, details: {}, ...over }) as AuditEntry;

describe('the words of the audit log', () => {
  it.each([
    ['key.created', 'API key created'],
    ['connection.updated', 'Provider connection updated'],
    ['session.created', 'Signed in'],
    ['dataset.exported', 'Dataset exported'],
    ['capture_rule.deleted', 'Capture rule deleted'],
    ['some_thing.done_twice', 'Some thing done twice'],
  ])('%s is %s', (action, words) => {
    expect(describeAction(action)).toBe(words);
  });

  it('differ for all actions', () => {
    expect(new Set(AUDIT_ACTIONS.map(describeAction)).size).toBe(AUDIT_ACTIONS.length);
  });

  it.each([
    ['key:k', 'Ada', 'Ada (key)'],
    [`key:${ID}`, null, 'Key …9W1Y0B'],
    ['jwt:ada@example.com', null, 'ada@example.com'],
    ['jwt:1234', 'Ada Lovelace', 'Ada Lovelace'],
    ['admin', null, 'Operator'],
    ['cli', 'root', 'Command line (root)'],
    ['service', null, 'The service itself'],
    ['person:7', 'Grace', 'Grace'],
    [`person:${ID}`, null, '…9W1Y0B'],
    ['robot:7', null, 'robot:7'],
  ])('%s called %p is %s', (actor, actor_name, words) => {
    expect(describeActor({ actor, actor_name })).toBe(words);
  });

  it('name what something was done to as it was called then, else by what is known of it', () => {
    expect(describeTarget(entry({ target_name: 'Ada' }), projects)).toBe('Ada');
    expect(describeTarget(entry({ details: { name: 'Bob' } }), projects)).toBe('Bob');
    expect(describeTarget(entry({ action: 'traces.deleted', target_id: ID }), projects)).toBe('Chat');
    expect(describeTarget(entry({ action: 'session.created', target_id: 'y', project_id: ID }), projects)).toBe('Chat');
    expect(describeTarget(entry({ target_id: ID }), new Map())).toBe('…9W1Y0B');
    expect(describeTarget(entry({ action: 'request.refused', target_id: 'GET /api/keys' }), projects)).toBe(
      'GET /api/keys',
    );
  });

  it('say details member by member', () => {
    const details = {
      ...{ name: 'left to the target', project_id: ID, spans_deleted: 12_000, scopes: ['read', 'write'] },
      ...{ plan: { from: 'team', to: null }, projects: { [ID]: { traces_deleted: 1 } }, none: [], rows: {} },
      ...{ protected: true, expires_at: '2026-11-30T05:06:07.123Z', requested_by: `key:${ID}` },
    };
    expect(describeDetails(details, projects, 'utc')).toBe(
      'project: Chat; spans deleted: 12,000; scopes: read, write; plan: from team to none; ' +
        'projects: Chat traces deleted 1; none: none; rows: none; ' +
        'protected: yes; ends: 2026-11-30 05:06:07; requested by: Key …9W1Y0B',
    );
    expect(describeDetails({}, projects, 'utc')).toBe('');
  });
});
