import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import {
  adminEmailOf,
  offeredJointOai,
  offeredOai,
  upstreamOai,
} from '../../../src/core/config/oai-schema.ts';

const url = 'https://repo.example.org/server';
const configured = (source: object, all: object = {}) =>
  parseConfig({ ...all, sources: { repo: { url, ...source } } }).sources.repo?.oai;
const contact = 'people@repo.example.org';

describe('oai of a source', () => {
  test('says whether we answer, and where a DSpace answers', () => {
    expect(offeredOai(configured({ oai: true }, { contact }))).toEqual({});
    expect(upstreamOai(configured({ oai: true, adapter: 'dspace' }, { contact }))).toBeUndefined();
    expect(upstreamOai(configured({ oai: false, adapter: 'dspace' }))).toBe(false);
    expect(offeredOai(configured({ oai: false, adapter: 'dspace' }))).toBeUndefined();
    expect(offeredOai(configured({ oai: `${url}/oai`, adapter: 'dspace' }))).toBeUndefined();
    const both = configured({ oai: { from: `${url}/oai` }, contact, adapter: 'dspace' });
    expect([upstreamOai(both), offeredOai(both)?.adminEmail]).toEqual([`${url}/oai`, undefined]);
    expect(offeredOai(configured({}))).toBeUndefined();
  });

  test.each([
    [{ oai: true }, 'sources.repo.oai: harvesters have to know whom to write to'],
    [{ oai: true, contact: 'me+oai@example.org' }, 'sources.repo.oai: harvesters have to know'],
    [{ oai: { adminEmail: 'root@localhost' } }, 'sources.repo.oai.adminEmail: write an e-mail address'],
    [{ oai: { adminEmail: contact, from: url } }, 'sources.repo.oai: only the adapters dspace'],
    [{ oai: url }, 'sources.repo.oai: only the adapters dspace'],
    [{ oai: { adminEmail: contact, namespace: 'localhost' } }, 'sources.repo.oai.namespace: write a domain'],
    [{ oai: { email: contact } }, 'sources.repo.oai'],
  ])('%o is refused with words', (source, words) => {
    expect(() => configured(source)).toThrow(words);
  });

  test('has the first address that harvesters take', () => {
    expect(configured({ oai: true, contact: 'a@b.org' })).toBeDefined();
    expect(adminEmailOf(undefined, 'https://repo.example.org/', 'a@b', contact)).toBe(contact);
  });
});

describe('oai of all sources together', () => {
  const joint = (oai: unknown, more: object = {}) =>
    offeredJointOai(parseConfig({ oai, sources: { repo: { url } }, ...more }).oai);

  test('says whether we answer, and for which of them', () => {
    expect(joint(true, { contact })).toEqual({});
    expect(joint(false)).toBeUndefined();
    expect(joint(undefined)).toBeUndefined();
    const some = { adminEmail: contact, sources: ['re*'], groups: ['partners'] };
    expect(joint(some, { groups: { partners: {} } })).toEqual(some);
  });

  test.each([
    [true, 'oai: harvesters have to know whom to write to'],
    [{ adminEmail: 'root@localhost' }, 'oai.adminEmail: write an e-mail address'],
    [{ adminEmail: contact, groups: ['partner'] }, 'oai.groups: there is no group "partner"'],
    [{ adminEmail: contact, icon: 'logo.png' }, 'oai.icon: write the web address of an image'],
    [{ adminEmail: contact, namespace: 'example.org' }, 'oai'],
  ])('%o is refused with words', (oai, words) => {
    expect(() => joint(oai)).toThrow(words);
  });
});
