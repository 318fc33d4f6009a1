import { describe, expect, it } from 'vitest';
import { type Manners, Visits } from '../../src/demo/visits.ts';

const manners: Manners = { still: 30, stillForAudit: 120, keep: 200, longest: 300 };
const client = (target: string, accept?: string) => ({ target, accept, agent: 'resync/2.0.1' });
const resource = (number: number) => client(`/sample/items/oai:x:${number}/oai_dc.xml`);

/** Reads the list, then twenty resources, one each moment. @returns when it has the last */
function copy(visits: Visits, start: number): number {
  visits.note(client('/sample/resourcelist.xml'), start);
  for (let number = 1; number <= 20; number += 1) visits.note(resource(number), start + number);
  return start + 20;
}

describe('the demo', () => {
  it('moves while nobody copies, people with a browser included', () => {
    const visits = new Visits(manners, 0);
    expect(visits.note(client('/sample/resourcelist.xml', 'text/html,*/*;q=0.8'), 1)).toBe(false);
    for (const path of ['/', '/readyz', '/metrics', '/sample/about', '/document.css']) {
      expect(visits.note(client(path), 1)).toBe(false);
    }
    expect([visits.mayMove(1), visits.mayRemove(1)]).toEqual([true, true]);
  });

  it('moves for those who watch what changes, and shows them what agrees', () => {
    const visits = new Visits(manners, 0);
    expect(visits.note(client('/sample/changelist.xml?again'), 1)).toBe(true);
    expect(visits.mayMove(1)).toBe(true);
  });

  it('holds still for a copy from its first list to some time after its last resource', () => {
    const visits = new Visits(manners, 0);
    visits.note(client('/.well-known/resourcesync'), 1);
    expect(visits.mayMove(2)).toBe(false);
    const end = copy(visits, 2);
    expect(visits.mayMove(end + 29)).toBe(false);
    expect(visits.mayMove(end + 30)).toBe(true);
    // What was listed can be fetched for longer than that.
    expect(visits.mayRemove(end + 199)).toBe(false);
    expect(visits.mayRemove(end + 200)).toBe(true);
  });

  it('holds still for longer when a client has followed, so that it can compare', () => {
    const visits = new Visits(manners, 0);
    const end = copy(visits, 0);
    visits.note(client('/sample/changelist.xml'), end + 100);
    visits.note(resource(3), end + 105);
    expect(visits.mayMove(end + 224)).toBe(false);
    expect(visits.mayMove(end + 225)).toBe(true);
  });

  it('does not stop for ever for a list, or a resource, that is read again and again', () => {
    for (const target of ['/sample/resourcelist.xml', '/sample/items/oai:x:1/oai_dc.xml']) {
      const visits = new Visits(manners, 0);
      for (let now = 0; now < 30; now += 5) visits.note(client(target), now);
      expect([target, visits.mayMove(29), visits.mayMove(30)]).toEqual([target, false, true]);
    }
  });

  it('does not stop for ever for a client that follows again and again, nor in the middle of what it does', () => {
    const visits = new Visits(manners, 0);
    let now = copy(visits, 0);
    for (; now < 320; now += 50) visits.note(client('/sample/changelist.xml'), now);
    const last = now - 50;
    expect(visits.mayMove(last + 29)).toBe(false);
    expect(visits.mayMove(last + 30)).toBe(true);
    visits.moved(last + 30);
    expect(visits.mayMove(last + 31)).toBe(false);
  });

  it('does not remember clients without end', () => {
    const visits = new Visits(manners, 0);
    for (let agent = 0; agent < 10_000; agent += 1) {
      visits.note({ target: '/sample/resourcelist.xml', accept: undefined, agent: `agent ${agent}` }, 0);
    }
    expect(visits.mayMove(30)).toBe(true);
  });
});
