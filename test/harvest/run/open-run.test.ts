import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import type { HarvestSource } from '../../../src/harvest/harvest-source.ts';
import { describeSelection } from '../../../src/harvest/run/open-run.ts';

function selectionOf(more: object): unknown {
  const source = { adapter: 'dspace', url: 'https://repo.example.org/server/api', ...more };
  const { repo } = parseConfig({ sources: { repo: source } }).sources;
  const info = { formats: [] } as unknown as Parameters<typeof describeSelection>[1];
  return JSON.parse(describeSelection({ name: 'repo', config: repo } as HarvestSource, info));
}

test('how JPCOAR and OpenAIRE are written is a part of what a harvest covers, and of no other', () => {
  const fields = { 'dc.local.ndc': 'subject:NDC' };
  const formats = ['json', 'jpcoar_2.0'];
  expect(selectionOf({ formats: ['json'], crosswalk: { fields } })).toEqual(
    selectionOf({ formats: ['json'] }),
  );
  expect(selectionOf({ formats: ['json'] })).not.toHaveProperty('crosswalk');
  expect(selectionOf({ formats })).toHaveProperty('crosswalk');
  expect(selectionOf({ formats, crosswalk: { fields } })).not.toEqual(selectionOf({ formats }));
});
