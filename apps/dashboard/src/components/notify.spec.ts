import { describe, expect, it, jest } from '@jest/globals';
import { NotificationList } from './notify.js';

const titles = (list: NotificationList): string[] => list.get().map(({ title }) => title);

describe('NotificationList', () => {
  it('keeps what was said until it is dismissed, the newest four', () => {
    const list = new NotificationList();
    for (const title of ['a', 'b', 'c', 'd', 'e']) list.add({ role: 'status', title });
    expect(titles(list)).toEqual(['b', 'c', 'd', 'e']);
    list.dismiss(list.get()[1]!.id);
    expect(titles(list)).toEqual(['b', 'd', 'e']);
  });

  it('lets a status pass, one with an action once another page is open, and no error', () => {
    const list = new NotificationList();
    list.add({ role: 'status', title: 'a' });
    list.add({ role: 'status', title: 'b', action: 'Open' });
    list.add({ role: 'alert', title: 'c' });
    const passing = (): boolean[] => list.get().map(({ isPassing }) => isPassing);
    expect(passing()).toEqual([true, false, false]);
    list.letPass();
    expect(passing()).toEqual([true, true, false]);
    const before = list.get();
    list.letPass();
    expect(list.get()).toBe(before);
  });

  it('says who listens, as long as they listen', () => {
    const list = new NotificationList();
    const listener = jest.fn();
    const stop = list.subscribe(listener);
    const id = list.add({ role: 'alert', title: 'a' });
    list.dismiss(id);
    stop();
    list.add({ role: 'alert', title: 'b' });
    expect(listener).toHaveBeenCalledTimes(2);
  });
});
