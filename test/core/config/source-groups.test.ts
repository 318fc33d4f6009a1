import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import { faultsOf } from '../../house/core/config-faults.ts';

const url = 'https://repo.example.org/oai';

describe('groups', () => {
  test('a source has what its group says, and what it says itself takes precedence', () => {
    const { sources } = parseConfig({
      groups: {
        jairo: {
          formats: ['jpcoar_2.0', 'oai_dc'],
          schedule: '0 * * * *',
          contact: 'jairo@example.org',
          files: { from: 'jpcoar_2.0', mode: 'link' },
        },
      },
      sources: {
        plain: { url, group: 'jairo' },
        own: { url, group: 'jairo', formats: ['oai_dc'], schedule: false, files: { mode: 'none' } },
        other: { url },
      },
    });
    expect(sources.plain).toMatchObject({
      formats: ['jpcoar_2.0', 'oai_dc'],
      schedule: '0 * * * *',
      contact: 'jairo@example.org',
      files: { from: 'jpcoar_2.0', mode: 'link', verify: true },
    });
    expect(sources.own).toMatchObject({
      formats: ['oai_dc'],
      schedule: false,
      files: { from: 'jpcoar_2.0', mode: 'none' },
    });
    expect(sources.other).toEqual(parseConfig({ sources: { other: { url } } }).sources.other);
  });

  test('what is one choice is chosen as a whole', () => {
    const { sources } = parseConfig({
      groups: { long: { mementos: { keep: { days: 365 }, links: 'none' }, formats: { from: 'oai' } } },
      sources: {
        a: { url, adapter: 'dspace', group: 'long', mementos: { keep: { last: 2 } }, formats: ['dim'] },
      },
    });
    expect(sources.a?.mementos).toMatchObject({ keep: { last: 2 }, links: 'none' });
    expect(sources.a?.formats).toEqual(['dim']);
  });

  test('the adapter of a group brings its defaults', () => {
    const sources = { a: { url, group: 'd' }, b: { url, group: 'd', requestsPerHost: 5 } };
    const config = parseConfig({ groups: { d: { adapter: 'dspace' } }, sources });
    expect(config.sources.a?.requestsPerHost).toBe(2);
    expect(config.sources.b?.requestsPerHost).toBe(5);
  });

  test('a group that is not there is named with the nearest one', () => {
    const sources = { a: { url, group: 'jaro' } };
    expect(faultsOf({ groups: { jairo: {} }, sources })).toBe(
      'sources.a.group: there is no group "jaro" (did you mean "jairo"?)',
    );
    expect(faultsOf({ sources: { a: { url, group: 'toString' } } })).toBe(
      'sources.a.group: there is no group "toString"; write its settings below `groups:`',
    );
  });

  test.each([
    [{ schedul: false }, 'groups.g.schedul: unknown key (did you mean "schedule"?)'],
    [{ files: { mode: 'prox' } }, /^groups\.g\.files\.mode: write proxy, link, mirror or none, not "prox"/],
    // Of one repository alone; secrets are for one host.
    [{ url }, /^groups\.g\.url: unknown key/],
    [{ headers: { Authorization: 'Bearer x' } }, /^groups\.g\.headers: unknown key/],
    [{ login: { user: 'a', password: 'b' } }, /^groups\.g\.login: unknown key/],
  ])('a fault in a group is told once, not of each source: %j', (group, message) => {
    const sources = { a: { url, group: 'g' }, b: { url, group: 'g' } };
    const faults = faultsOf({ groups: { g: group }, sources });
    expect(faults.split('\n')).toHaveLength(1);
    expect(faults).toMatch(message);
  });
});
