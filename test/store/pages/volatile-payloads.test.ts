import { expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { deflatePayload } from '../../../src/core/payloads/deflated.ts';
import { readKnownItems } from '../../../src/store/changes/stored-items.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { withoutVolatileChanges } from '../../../src/store/pages/volatile-payloads.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = '2026-11-21T10:00:00Z';

/** A record whose server writes the time into it, delivered with what it is deflated. */
function delivered(time: string): SourceItem {
  const content = Buffer.from(
    `<mets xmlns="http://www.loc.gov/METS/"><metsHdr CREATEDATE="${time}"/><dmdSec ID="a"/></mets>`,
  );
  return {
    identifier: 'oai:x:1',
    datestamp: at,
    collections: [],
    speaksFor: { formats: ['mets'], files: undefined },
    deleted: false,
    metadata: [{ format: 'mets', content, deflated: deflatePayload(content) }],
    files: [],
  };
}

describeOnBoth('volatile payloads', (open) => {
  test('a payload that is taken for the stored one leaves nothing behind of what came', async () => {
    const { database } = open();
    await ensureSource(database, 'volatile', at);
    const clock = { iso: at, milliseconds: Date.parse(at) };
    const lease = await acquireLease(database, 'volatile', clock.milliseconds);
    const { sourceId } = lease;
    const begun = { sourceId, mode: 'full', selection: '{}', since: undefined, startedAt: at } as const;
    const run = await startRun(database.writer, begun);
    const first = mapItem('volatile', delivered('10:00'));
    const page = { items: [first], problems: [], checkpoint: undefined };
    await storePage(database, lease, run, page, clock);
    const known = await readKnownItems(database.reader, 'volatile', ['oai:x:1'], false);
    const later = mapItem('volatile', delivered('10:15'));
    const [kept] = await withoutVolatileChanges(database, [later], known);
    expect(kept?.resources).toMatchObject([{ hash: first.resources[0]?.hash, deflated: undefined }]);
  });
});
