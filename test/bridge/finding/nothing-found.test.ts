import { expect, test } from 'vitest';
import { nothingFound } from '../../../src/bridge/finding/nothing-found.ts';

const address = 'https://repo.example.org/oai';
const given = { url: address, reason: `${address}?verb=Identify answered with HTTP status 404` };
const missing = { url: 'https://repo.example.org/server/api', reason: 'HTTP status 404' };
const slow = {
  url: 'https://repo.example.org/cgi/oai2',
  reason: 'repo.example.org took longer than 4 seconds',
};

test('an address is said once, places are counted, and one is singular', () => {
  expect(nothingFound(address, 'OAI-PMH', [given, missing], 'usual')).toBe(
    `${given.reason}. Nothing to harvest by OAI-PMH was found at ${address}. 1 other place, where such interfaces usually are, was tried as well (--verbose lists them). What helps: find the base URL of its OAI-PMH or, of a DSpace, REST interface, or the Capability List of its ResourceSync (in its documentation, or ask its managers)`,
  );
});

test('in a table of many it is one short sentence', () => {
  expect(nothingFound(address, 'OAI-PMH', [given, missing, missing], 'brief')).toBe(
    `${given.reason}. Nothing to harvest was found; 2 other places, where interfaces usually are, tried as well`,
  );
  expect(nothingFound(address, 'OAI-PMH', [given, slow], 'brief')).toBe(
    `${given.reason}. Nothing to harvest was found; ${slow.url} answered: ${slow.reason}`,
  );
});
