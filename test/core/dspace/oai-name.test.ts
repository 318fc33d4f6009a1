import { describe, expect, it } from 'vitest';
import {
  isOaiHost,
  knownOaiHost,
  oaiHostLesson,
  readOaiName,
  toOaiName,
} from '../../../src/core/dspace/oai-name.ts';
import { createContext } from '../../house/adapters/http-double.ts';

describe('the name of an item in OAI-PMH', () => {
  it('is read as it is written, whatever its host', () => {
    expect(readOaiName(toOaiName('my_repo.example.org', '10986/42'))).toEqual({
      host: 'my_repo.example.org',
      handle: '10986/42',
    });
    expect(readOaiName('oai:r.org:1/2:3')).toEqual({ host: 'r.org', handle: '1/2:3' });
  });

  it.each([undefined, '', 'oai:r.org', 'oai:r.org:', 'oai:r.org:1/2 3', 'oai::1/2', 'r.org:1/2'])(
    'is not %j',
    (identifier) => {
      expect(readOaiName(identifier)).toBeUndefined();
    },
  );

  it('has no host that could not be one', () => {
    expect(['r.org', 'R-1.example', '1'].filter(isOaiHost)).toHaveLength(3);
    expect(['', '.org', 'a/b', 'a:1', '[::1]', 'a b', 'a'.repeat(300)].filter(isOaiHost)).toEqual([]);
  });
});

describe('the host that is known already', () => {
  const stored = async () => 'oai:stored.org:1/2';

  it('is that of the configuration, then of the store, then of the lessons', async () => {
    const { lessons } = createContext();
    expect(await knownOaiHost({}, { lessons })).toBeUndefined();
    lessons.learn(oaiHostLesson, 'learnt.org', '');
    expect(await knownOaiHost({ identity: 'oai' }, { lessons })).toBe('learnt.org');
    expect(await knownOaiHost({ identity: 'oai' }, { lessons, knownIdentifier: stored })).toBe('stored.org');
    const configured = { identity: 'oai:own.org' } as const;
    expect(await knownOaiHost(configured, { lessons, knownIdentifier: stored })).toBe('own.org');
  });

  it('is not read from an item that goes by its UUID', async () => {
    const { lessons } = createContext();
    const knownIdentifier = async () => '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
    expect(await knownOaiHost({}, { lessons, knownIdentifier })).toBeUndefined();
  });
});
