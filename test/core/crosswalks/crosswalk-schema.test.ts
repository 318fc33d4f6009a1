import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';

function parse(crosswalk: unknown, adapter = 'dspace') {
  const source = { adapter, url: 'https://repo.example.org/server/api', crosswalk };
  return parseConfig({ sources: { repo: source } }).sources.repo?.crosswalk;
}

test('fields of a repository say what there are words for', () => {
  const crosswalk = {
    fields: { 'dc.local.ndc': 'subject:NDC', 'dc.description.peerreviewed': 'nothing' },
    jpcoar: { 'local.nii': 'type:NII' },
    openaire: { 'local.kana': 'nothing' },
    doiPrefixes: ['10.15017'],
  };
  expect(parse(crosswalk)).toEqual(crosswalk);
  expect(() => parse({ fields: { 'dc.local.ndc': 'subject:XYZ' } })).toThrow(
    /fields.*subject:NDC or alternative/s,
  );
  expect(() => parse({ jpcoar: { 'dc.local.ndc': 'jpcoar:subject' } })).toThrow('crosswalk.jpcoar');
  expect(() => parse({ doiPrefixes: ['https://doi.org/10.15017'] })).toThrow('such as 10.15017');
});

test('only a DSpace has them', () => {
  expect(() => parse({ doiPrefixes: ['10.15017'] }, 'oai-pmh')).toThrow('sources.repo.crosswalk');
});
