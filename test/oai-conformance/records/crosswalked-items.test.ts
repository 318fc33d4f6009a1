import { describe, expect, test } from 'vitest';
import { writeWork } from '../../../src/core/crosswalks/target.ts';
import type { Circumstances } from '../../../src/core/crosswalks/work.ts';
import { fieldName } from '../../../src/core/dspace/field-name.ts';
import { readXml } from '../../../src/oai-conformance/answers/xml-element.ts';
import type { CheckId } from '../../../src/oai-conformance/checks/check-table.ts';
import { judgeJpcoar } from '../../../src/oai-conformance/records/jpcoar-records.ts';
import { judgeOpenaire } from '../../../src/oai-conformance/records/openaire-records.ts';
import { fixtureItems } from '../../house/core/fixture-items.ts';
import { value } from '../../house/core/items.ts';

const items = fixtureItems();
const page = 'https://repo.example.org/items/1';
const files = [{ url: `${page}/1.pdf`, name: 'a.pdf', mediaType: 'application/pdf', length: 812_544 }];
/** Without these nothing is written. */
const enough = [
  { field: 'dc.title', text: 'A' },
  { field: 'dc.type', text: 'Article' },
];
const circumstances: readonly Circumstances[] = [
  { page, access: 'open', availableAt: undefined, files },
  { page, access: 'embargoed', availableAt: '2050-01-01T00:00:00Z', files },
];

describe.skipIf(items.length === 0)('What our crosswalks write of every item that was recorded', () => {
  test.each([
    // What an item does not say nobody can write.
    ['jpcoar_2.0', judgeJpcoar, ['irdb-thesis-creator', 'jpcoar-doctoral']],
    ['oai_openaire', judgeOpenaire, ['openaire-creator', 'openaire-issued']],
  ] as const)('%s fails no check but those of what the item lacks', (target, judgePayload, unsaid) => {
    const faults: string[] = [];
    let documents = 0;
    for (const { file, item } of items) {
      for (const around of circumstances) {
        const lacking = enough.filter(({ field }) => !item.metadata.some((one) => fieldName(one) === field));
        const metadata = [...item.metadata, ...lacking.map(({ field, text }) => value(field, text))];
        const { document } = writeWork(target, { ...item, metadata }, around);
        if (document === undefined) continue;
        documents += 1;
        const header = { identifier: file, datestamp: '2026-11-21', sets: [], status: undefined };
        judgePayload(readXml(document).root, header, (check: CheckId, fault) => {
          if (fault !== undefined && !(unsaid as readonly CheckId[]).includes(check))
            faults.push(`${check}: ${fault}`);
        });
      }
    }
    expect(faults).toEqual([]);
    expect(documents).toBeGreaterThan(40);
  });
});
